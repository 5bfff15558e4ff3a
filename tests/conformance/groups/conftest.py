from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from conformance.groups.client import GroupClient
from conformance.tester.client.harness import Harness
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import Parts
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.oracle.announced import Announced


@pytest.fixture
def facing() -> Iterator[Callable[..., GroupClient]]:
    """Makes a tester before the reference, or before one with other parts."""
    running: list[Harness] = []

    def make(parts: Parts | None = None, **told: Announced | None) -> GroupClient:
        harness = Harness(ReferenceTarget(find_profile("reference"), parts=parts or Parts()))
        harness.begin()
        running.append(harness)
        return GroupClient.of(partial(harness.connect, version=2), **told)

    yield make
    for harness in running:
        harness.close()
