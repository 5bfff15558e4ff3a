"""A night: stages one after the other, each a process, within one budget; begun, or gone on with.

After each stage the record is written, so that whatever ends a night, it goes on with the stage in
which it was ended.  What a stage does costs the others nothing but the time that it had.
"""

from __future__ import annotations

import shlex
import shutil
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.nightly import outcome
from conformance.nightly.budget import allotted, in_words
from conformance.nightly.process import run_process
from conformance.nightly.record import (
    NightRecord,
    StageOutcome,
    StageResult,
    nights_in,
    write_night,
)
from conformance.nightly.stage import NightStage, command_of, filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.nightly.process import ProcessEnd

    Runner = Callable[[Sequence[str], Path, float, dict[str, str]], ProcessEnd]

__all__ = ["GOES_ON_WITHIN", "NIGHTS", "Night", "night_before", "prune", "unfinished"]

NIGHTS: Final = "nights"
"""Folder of a folder for each night; beside it is what stays: corpora."""

GOES_ON_WITHIN: Final = timedelta(hours=18)
"""After which a night that was not finished is last night's."""

_AT_ONCE: Final = "the time is over"


def unfinished(nights: Path, wanted: NightRecord, now: datetime) -> tuple[Path | None, str]:
    """The folder of the newest night, if that was not finished and can be gone on with.

    Args:
        nights: folder of all of them.
        wanted: what a new one would be: the same suite, options and plan are asked for.
        now: the time.

    Returns:
        The folder, or None; and why a night that was not finished is left as it is.
    """
    folder, night = next(nights_in(nights), (None, None))
    if folder is None or night is None or night.finished:
        return None, ""
    others = {
        "another version of the suite": night.suite != wanted.suite,
        "other options": (night.options, night.plan) != (wanted.options, wanted.plan),
        "longer ago than a night lasts": (
            now - datetime.fromisoformat(night.started) >= GOES_ON_WITHIN
        ),
    }
    reasons = [words for words, holds in others.items() if holds]
    if not reasons:
        return folder, ""
    return None, f"the night of {night.started} is left unfinished: {', '.join(reasons)}"


def night_before(nights: Path, folder: Path) -> NightRecord | None:
    """The newest finished night that was begun before the one in `folder`."""
    return next(
        (
            night
            for other, night in nights_in(nights)
            if night.finished and other.name < folder.name
        ),
        None,
    )


def prune(nights: Path, keep: int) -> None:
    """Remove all nights but the newest ones; the newest finished one stays in any case."""
    folders = list(nights_in(nights))
    last = next((folder for folder, night in folders if night.finished), None)
    for folder, _ in folders[keep:]:
        if folder != last:
            shutil.rmtree(folder)


@dataclass(slots=True)
class Night:
    """What runs the stages of one night.

    Attributes:
        stages: in order.
        folder: of this night.
        kept: folder of what stays from night to night.
        record: what is known so far.
        say: is told a line for each stage.
        runner: runs one process; see `run_process`.
        clock: seconds that only grow.
    """

    stages: tuple[NightStage, ...]
    folder: Path
    kept: Path
    record: NightRecord
    say: Callable[[str], None]
    runner: Runner = run_process
    clock: Callable[[], float] = time.monotonic

    def run(self) -> NightRecord:
        """Run what has not run; returns the record of the whole night.

        Raises:
            KeyboardInterrupt: it was ended from outside; the record is written.
            OSError: the record cannot be written.
        """
        done = set(self.record.by_name)
        waiting = [stage for stage in self.stages if stage.name not in done]
        write_night(self.folder, self.record)
        while waiting:
            began = self.clock()
            try:
                result = self._run_stage(waiting)
            except KeyboardInterrupt:
                self._keep(spent=self.record.spent + self.clock() - began)
                raise
            spent = self.record.spent + self.clock() - began
            self._keep(results=(*self.record.results, result), spent=spent)
            self.say(_line_about(result, len(self.record.results), len(self.stages)))
            waiting.pop(0)
        self._keep(finished=True)
        return self.record

    def _keep(self, **changes: object) -> None:
        self.record = msgspec.structs.replace(self.record, **changes)
        write_night(self.folder, self.record)

    def _run_stage(self, waiting: Sequence[NightStage]) -> StageResult:
        stage = waiting[0]
        left = self.record.budget - self.record.spent
        seconds = allotted(left, waiting)
        place = self.folder / stage.name
        words = filled(stage.words, place, self.kept, seconds - stage.extra, self.record.seed)
        result = StageResult(
            stage.name,
            shlex.join(words),
            StageOutcome.NOT_RUN,
            allotted=seconds,
            wanted=stage.wanted,
            by_baseline=stage.by_baseline,
            of_device=stage.of_device,
        )
        if not seconds:
            why = f"it takes {in_words(stage.needed)} at least"
            why += f", and of the budget {in_words(left)} are left" if left > 0 else f"; {_AT_ONCE}"
            return msgspec.structs.replace(result, why=why)
        return self._judged(stage, result, words, place)

    def _judged(
        self, stage: NightStage, result: StageResult, words: list[str], place: Path
    ) -> StageResult:
        """Run a stage's process and read what it leaves."""
        if place.exists():
            shutil.rmtree(place)  # of the time before the night was ended
        place.mkdir(parents=True)
        taken = [Path(one) for one in filled(stage.taken, place, self.kept, 0, 0)]
        for path in taken:  # of a time before that was ended before they were moved
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
        log = place / outcome.LOG
        began = self.clock()
        # What is interrupted needs time to end; to any other a busy machine may be slow to begin.
        deadline = result.allotted + (-stage.extra if stage.ends_by_signal else stage.extra)
        ended = self.runner(command_of(words), log, deadline, dict(stage.environment))
        became, why = outcome.outcome_of(stage, ended, log)
        if ended.overran and became is StageOutcome.CLEAN:
            why = f"its share of the time, {in_words(result.allotted)}, was over"
        result = msgspec.structs.replace(
            result,
            outcome=became,
            why=why,
            status=ended.status,
            seconds=self.clock() - began,
        )
        for path in filter(Path.exists, taken):
            shutil.move(path, place / path.name)
        return outcome.with_results(result, stage, place)


def _line_about(result: StageResult, number: int, stages: int) -> str:
    """What is printed when a stage has ended."""
    why = f": {result.why}" if result.why else ""
    took = f" in {in_words(result.seconds)}" if result.status is not None else ""
    return f"{number}/{stages} {result.name}: {result.outcome.value}{took}{why}"
