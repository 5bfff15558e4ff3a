"""The reference client in this process, and those of mutants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.server.harness import ClientHarness
from targets.base import Target
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def harness_of() -> Iterator[Callable[[str], ClientHarness]]:
    made: list[ClientHarness] = []

    def make(name: str) -> ClientHarness:
        target = find_any_target(name)
        assert not isinstance(target, Target)
        made.append(ClientHarness(target))
        return made[-1]

    yield make
    for harness in made:
        harness.close()
