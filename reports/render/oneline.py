"""A run in one line, for a log, a chat or the head of a page; and in a few words, for a badge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from reports.record import RunRecord, Verdict
from reports.summary import NOTHING_JUDGED, counted, exit_status, summarise

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck

__all__ = ["RunState", "Words", "one_line", "standing"]

_FAILED = 1


class RunState(Enum):
    """How a run stands, by its exit status."""

    GOOD = "good"
    FAILED = "failed"
    NOTHING_JUDGED = "nothing judged"
    CUT_SHORT = "cut short"


@dataclass(frozen=True, slots=True)
class Words:
    """How a run stands, and the figures that say so, `3 of 780 failed`."""

    state: RunState
    text: str


def standing(run: RunRecord, check: BaselineCheck | None = None) -> Words:
    """How a run stands, with a baseline or without."""
    summary = summarise(run)
    status = exit_status(run, check)
    judged = summary.total - summary.counts[Verdict.NA] - summary.counts[Verdict.INCONC]
    if status == 0:
        known = f", {len(check.known)} known" if check and check.known else ""
        passed = summary.counts[Verdict.PASS] + summary.counts[Verdict.WARN]
        return Words(RunState.GOOD, f"{passed} of {judged} passed{known}")
    if status == NOTHING_JUDGED and summary.lost:
        text = f"{counted(summary.lost, 'case')} not judged, the device did not serve"
        return Words(RunState.NOTHING_JUDGED, text)
    if status == NOTHING_JUDGED:
        return Words(RunState.NOTHING_JUDGED, "nothing judged")
    if status != _FAILED:
        planned = len(run.header.planned)
        done = planned - len(summary.missing)
        return Words(RunState.CUT_SHORT, f"cut short, {done} of {planned} judged")
    if check:
        return Words(RunState.FAILED, f"{counted(len(check.problems), 'case')} not as known")
    failed = summary.counts[Verdict.FAIL] + summary.counts[Verdict.ERROR]
    died = f", died {len(summary.deaths)} times" if summary.deaths else ""
    return Words(RunState.FAILED, f"{failed} of {judged} failed{died}")


def one_line(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """Target, how the run stands, each verdict's count, exit status, and what made it."""
    counts = summarise(run).counts
    verdicts = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    baseline = f", baseline {check.file}" if check else ""
    suite = dict(run.header.facts).get("suite", "")
    by = f"; suite {suite}" if suite else ""
    return (
        f"{run.header.target} over {run.header.fabric}: {standing(run, check).text}"
        f" ({verdicts or 'no case'}{baseline}); status {exit_status(run, check)}{by}"
    )
