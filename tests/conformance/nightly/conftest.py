"""Stages that take no time, and nights made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from conformance.nightly.night import Night
from conformance.nightly.process import ProcessEnd
from conformance.nightly.record import NightRecord
from conformance.nightly.stage import NightStage, StageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def stage(name: str, share: float = 1.0, least: float = 1.0, **more: object) -> NightStage:
    """A stage that finds nothing."""
    return NightStage(name, ("rpcrdma", name), StageKind.FINDINGS, share, least, **more)  # type: ignore[arg-type]


def record(stages: Sequence[NightStage], budget: float = 100.0) -> NightRecord:
    """A night that has just begun."""
    names = tuple(one.name for one in stages)
    return NightRecord("2026-11-26T22:00:00+00:00", "0.1.0", 7, budget, "nightly", names)


@dataclass
class Played:
    """Processes that are not started, by a clock that they move.

    Attributes:
        takes: stage -> seconds; one of which nothing is said takes all that it is given.
        ends: stage -> how it ends, or the exception that ends it.
        given: stage -> seconds that it had.
    """

    takes: dict[str, float] = field(default_factory=dict)
    ends: dict[str, ProcessEnd | BaseException] = field(default_factory=dict)
    given: dict[str, float] = field(default_factory=dict)
    now: float = 0.0

    def __call__(
        self, command: Sequence[str], log: Path, deadline: float, environment: dict[str, str]
    ) -> ProcessEnd:
        name = log.parent.name
        self.given[name] = deadline
        self.now += min(self.takes.get(name, deadline), deadline)
        log.write_text(f"{name} has run\n")
        end = self.ends.get(name, ProcessEnd(0))
        if isinstance(end, BaseException):
            raise end
        return end


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.fixture
def night(tmp_path: Path, played: Played) -> Callable[..., Night]:
    """A night of stages in a folder."""

    def make(
        stages: Sequence[NightStage], begun: NightRecord | None = None, name: str = "2026-11-26"
    ) -> Night:
        return Night(
            tuple(stages),
            tmp_path / "nights" / name,
            tmp_path / "kept",
            begun or record(stages),
            lambda line: None,
            played,
            lambda: played.now,
        )

    return make
