"""What a device on the tester's own machine holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from targets.lab import held_here as module
from targets.lab.guest import INSIDE
from targets.lab.held_here import held_here
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    import pytest


def test_a_program_of_this_machine_is_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INSIDE, raising=False)

    usage = held_here(os.getpid())

    assert usage is not None
    assert usage.of(Resource.RESIDENT)
    assert usage.of(Resource.KERNEL) is None
    assert held_here() is None


def test_in_a_guest_the_kernel_is_told_of_and_not_the_memory_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(INSIDE, "1")
    all_of_it = Usage(((Resource.MACHINE, 1), (Resource.KERNEL, 2)))
    asked: list[int] = []

    def held(process: int) -> Usage:
        asked.append(process)
        return all_of_it

    monkeypatch.setattr(module, "held", held)

    assert held_here(7) == held_here() == Usage(((Resource.KERNEL, 2),))
    assert asked == [7, 0]
