"""A night on disk: its plan's outline and what came of each stage, written as stages end.

The file is whole whenever it is there, so that a night which was ended by anything goes on where it
was.  It holds all that the next night compares itself with: nothing else has to be kept for that.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput
from reports.render.aside import write_aside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "NIGHT_FORMAT",
    "RECORD_FILE",
    "NightFinding",
    "NightRecord",
    "StageOutcome",
    "StageResult",
    "nights_in",
    "read_night",
    "write_night",
]

NIGHT_FORMAT: Final = 1
"""Of the record; a reader passes over any other."""

RECORD_FILE: Final = "night.json"


class StageOutcome(Enum):
    """What became of a stage."""

    CLEAN = "clean"
    """It did all that it was to do, and nothing failed."""
    NOT_RUN = "not run"
    """What it takes is not there, or no time was left."""
    CUT = "cut short"
    """Its time was over before it had judged all."""
    FAILED = "failed"
    """It came to its end, and something failed or was found."""
    HUNG = "hung"
    """It did not end within its time, and had to be ended."""
    DIED = "died"
    """It ended as no command should."""


class NightFinding(msgspec.Struct, frozen=True):
    """Something that was found.

    Attributes:
        cause: the same for findings that are alike, so that nights can be compared.
        detail: what was seen, in one line.
        again: the command that shows it again; empty if there is none.
    """

    cause: str
    detail: str
    again: str = ""


class StageResult(msgspec.Struct, frozen=True):
    """What came of a stage.

    Attributes:
        name: of the stage.  command: that was run.  outcome: see there.
        why: in one sentence, unless all is well.
        status: of the process; None if there was none, negative after a signal.
        seconds: that it took.  allotted: that it had.
        wanted: a person has asked for it by name.
        by_baseline: a baseline says what of it is known.
        of_device: what is found is in a device, and known after the first night.
        counts: numbers of verdicts or of tests.
        rates: what was done a second or minute, by name.
        verdicts: case or test -> verdict, without what passed or does not apply.
        passed: the cases that passed.
        reasons: case -> why, for the verdicts above; cut to a line.
        failures: case or test -> what is held against it; with a baseline, where the two disagree.
        findings: what was found.
    """

    name: str
    command: str
    outcome: StageOutcome
    why: str = ""
    status: int | None = None
    seconds: float = 0.0
    allotted: float = 0.0
    wanted: bool = False
    by_baseline: bool = False
    of_device: bool = False
    counts: dict[str, int] = {}
    rates: dict[str, float] = {}
    verdicts: dict[str, str] = {}
    passed: tuple[str, ...] = ()
    reasons: dict[str, str] = {}
    failures: dict[str, str] = {}
    findings: tuple[NightFinding, ...] = ()


class NightRecord(msgspec.Struct, frozen=True):
    """A night.

    Attributes:
        started: local time with offset, ISO 8601.
        suite: version and commit of the suite.
        seed: from which every stage draws.
        budget: seconds.
        options: what was asked for; a night goes on only under the same.
        plan: names of the stages, in order.
        known: stage -> causes that were found in nights before.
        spent: seconds so far, over all the times that it was begun or went on.
        results: of the stages that have ended.
        finished: whether it came to its end.
        format: of this layout.
    """

    started: str
    suite: str
    seed: int
    budget: float
    options: str
    plan: tuple[str, ...]
    known: dict[str, tuple[str, ...]] = {}
    spent: float = 0.0
    results: tuple[StageResult, ...] = ()
    finished: bool = False
    format: int = NIGHT_FORMAT

    @property
    def by_name(self) -> dict[str, StageResult]:
        """Stage -> what came of it."""
        return {result.name: result for result in self.results}

    def known_afterwards(self) -> dict[str, tuple[str, ...]]:
        """Stage -> causes that were found in this night or in one before."""
        causes = {stage: dict.fromkeys(known) for stage, known in self.known.items()}
        for result in self.results:
            causes.setdefault(result.name, {}).update(
                dict.fromkeys(finding.cause for finding in result.findings)
            )
        return {stage: tuple(known) for stage, known in causes.items() if known}


def write_night(folder: Path, night: NightRecord) -> None:
    """Write a night's record into its folder.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_aside(folder / RECORD_FILE, msgspec.json.encode(night) + b"\n")


def read_night(folder: Path) -> NightRecord:
    """Read the record in a night's folder.

    Raises:
        BadInput: it is none, or of another format.
        OSError: it cannot be read.
    """
    path = folder / RECORD_FILE
    octets = path.read_bytes()
    try:
        written = msgspec.json.decode(octets, type=_AnyFormat).format
        if written != NIGHT_FORMAT:
            raise _OtherFormat(f"`{path}` has format {written}, this reads {NIGHT_FORMAT}")
        return msgspec.json.decode(octets, type=NightRecord)
    except msgspec.DecodeError as error:
        raise BadInput(f"`{path}` is no record of a night: {error}; remove it") from error


def nights_in(folder: Path) -> Iterator[tuple[Path, NightRecord]]:
    """The nights below a folder, newest first, but for those of another format of the record.

    Raises:
        BadInput: a record cannot be used.
    """
    for file in sorted(folder.glob(f"*/{RECORD_FILE}"), reverse=True):
        with suppress(_OtherFormat):
            yield file.parent, read_night(file.parent)


class _AnyFormat(msgspec.Struct):
    """What of a record is read first."""

    format: int


class _OtherFormat(BadInput):
    """Another version of the suite has written it."""
