"""Sequences at servers in this process: the reference, mutants, and tiny devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from fuzz.live.executor import LiveExecutor
from fuzz.live.server.steps import item_of
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzz.live.execution import LiveExecution
    from targets.base import Target


@pytest.fixture
def play() -> Iterator[Callable[..., LiveExecution]]:
    """Plays lines at a target, by its name or itself."""
    made: list[Harness] = []

    def lines_at(target: str | Target, *lines: str) -> LiveExecution:
        harness = Harness(find_target(target) if isinstance(target, str) else target)
        made.append(harness)
        executor = LiveExecutor(harness, destructive=True)
        return executor.run([item_of(line) for line in lines])

    yield lines_at
    for harness in made:
        harness.close()
