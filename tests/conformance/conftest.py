from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from targets.registry import find_target
from tests.conformance import miniatures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from conformance.tester.client.peer import Peer


@pytest.fixture
def harness() -> Iterator[Harness]:
    """The reference endpoint, a case begun."""
    running = Harness(find_target("reference"))
    running.begin()
    yield running
    running.close()


@pytest.fixture
def peer(harness: Harness) -> Peer:
    """A connection to the reference endpoint on which nothing has been sent."""
    return harness.connect()


@pytest.fixture(scope="session")
def mini() -> ModuleType:
    """The miniatures, for tests that name them by parameters."""
    return miniatures
