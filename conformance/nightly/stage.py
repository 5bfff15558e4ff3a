"""A stage of a night: one command, its part of the time, and what its results are.

Stages are data.  Whoever runs them (`conformance.nightly.night`) fills in the words in braces:

    {folder}   of the stage, in this night; empty when it begins
    {kept}     what stays from night to night: corpora
    {seconds}  that it may work for; {minutes}: the same as minutes
    {seed}     of this night
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NightStage", "StageKind", "command_of", "filled"]


class StageKind(Enum):
    """What a stage leaves, and what its exit status means."""

    RUN = "run"
    """A folder `run` with the records of `rpcrdma certify`."""
    TESTS = "tests"
    """A file `junit.xml` of pytest's."""
    FINDINGS = "findings"
    """A folder `findings`; its rate is in the last lines that it printed."""
    LIVE = "live"
    """The same of a campaign against a running device, with its `report.json`."""


@dataclass(frozen=True, slots=True)
class NightStage:
    """One command.

    Attributes:
        name: in kebab case; by it a stage is compared with that of the night before.
        words: the command; `rpcrdma` and `pytest` are those of this Python.
        kind: of its results.
        share: of the time that is left; only its proportion to the others' counts.
        least: seconds under which the stage says nothing.
        extra: seconds that it takes beside those that it is told: booting, reading a corpus.
        wanted: a person has named its target or kernel, so that it must not be missing.
        by_baseline: its exit status rests on a baseline, which says what is known.
        ends_by_signal: it works until it is interrupted, which then is no fault.
        of_device: what it finds is in a device, which may stay as it is: known from then on.
        taken: what it leaves in `{kept}` and is of this night: moved into the stage's folder.
        environment: variables beside those that there are.
    """

    name: str
    words: tuple[str, ...]
    kind: StageKind
    share: float
    least: float = 30.0
    extra: float = 0.0
    wanted: bool = False
    by_baseline: bool = False
    ends_by_signal: bool = False
    of_device: bool = False
    taken: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def kernel(self) -> str:
        """The kernel that its command names; empty if it names none."""
        named = [after for word, after in pairwise(self.words) if word == "--kernel"]
        return named[0] if named else ""

    @property
    def needed(self) -> float:
        """Seconds that the stage takes at least."""
        return self.least + self.extra


_PROGRAMS: Final = {
    "rpcrdma": ("-m", "conformance.cli.main"),
    "pytest": ("-m", "pytest"),
    "python": (),
}


def filled(
    words: tuple[str, ...], folder: Path, kept: Path, seconds: float, seed: int
) -> list[str]:
    """Words with what stands in braces filled in."""
    values = {
        "{folder}": str(folder),
        "{kept}": str(kept),
        "{seconds}": str(max(1, int(seconds))),
        "{minutes}": f"{max(seconds, 1.0) / 60:.2f}",
        "{seed}": str(seed),
    }
    return [_filled(word, values) for word in words]


def command_of(words: list[str]) -> list[str]:
    """What is started: programs of this project are those of this Python."""
    program, *rest = words
    if program in _PROGRAMS:
        return [sys.executable, *_PROGRAMS[program], *rest]
    return words


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word
