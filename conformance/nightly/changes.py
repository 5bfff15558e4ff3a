"""What has changed since the night before: verdicts, findings, outcomes of stages.

Something is worse where a verdict weighs more than it did, something is found that was not, or a
stage fails, hangs or does not run that did.  What a baseline takes for known is shown and is not
worse; nor is what was found in a device in any night before, since devices may stay as they are.
Rates and durations are shown beside those of before; they depend on the machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.nightly.record import (
    NightRecord,
    StageOutcome,
    StageResult,
)
from reports.record import Verdict
from reports.summary import SEVERITY

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NOTHING_RAN", "NightChange", "NightReport", "report_of"]

NOTHING_RAN: Final = 3
"""Exit status of a night in which no stage ran, as that of a run in which nothing was judged."""

NOT_JUDGED: Final = "N/A or not judged"
"""In place of a verdict."""

_WEIGHT: Final = {
    StageOutcome.CLEAN: 0,
    StageOutcome.NOT_RUN: 1,
    StageOutcome.CUT: 2,
    StageOutcome.FAILED: 3,
    StageOutcome.HUNG: 3,
    StageOutcome.DIED: 3,
}

_GOOD: Final = (StageOutcome.CLEAN, StageOutcome.NOT_RUN)


class NightChange(msgspec.Struct, frozen=True):
    """Something that is not as it was.

    Attributes:
        stage: in which.
        what: a case, a test, a finding, or the stage itself.
        before: verdict or outcome; empty if there was none.
        now: likewise.
        why: reason, or the command that shows it again.
        worse: whether it turns the night red.
    """

    stage: str
    what: str
    before: str
    now: str
    why: str = ""
    worse: bool = False


class NightReport(msgspec.Struct, frozen=True):
    """A night and what it is compared with: the layout of `nightly.json`.

    Attributes:
        night: this one.
        before: when the night before was begun; empty for a first night.
        suite_before: which suite that was.
        stages_before: what came of its stages, for the figures.
        changes: what is not as it was, the worse first.
        still: stages that fail, as they did the night before or for the first time.
        settled: stages of devices in which nothing was found but what is known.
        not_run: stages that did not run.
        exit_status: of the command.
    """

    night: NightRecord
    before: str
    suite_before: str
    stages_before: dict[str, StageResult]
    changes: tuple[NightChange, ...]
    still: tuple[StageResult, ...]
    settled: tuple[str, ...]
    not_run: tuple[StageResult, ...]
    exit_status: int

    @property
    def worse(self) -> tuple[NightChange, ...]:
        """The changes that turn the night red."""
        return tuple(change for change in self.changes if change.worse)

    @property
    def otherwise(self) -> tuple[NightChange, ...]:
        """The other changes."""
        return tuple(change for change in self.changes if not change.worse)


def report_of(night: NightRecord, before: NightRecord | None) -> NightReport:
    """Compare a night with the one before, if there is one."""
    earlier = before.by_name if before else {}
    changes: list[NightChange] = []
    settled = tuple(result.name for result in night.results if _is_settled(result, night))
    for result in night.results:
        if result.name in earlier:
            changes += _since(earlier[result.name], result, night, result.name in settled)
    if before is not None and night.finished:
        gone = [name for name in earlier if name not in night.plan]
        changes += [
            NightChange(name, name, earlier[name].outcome.value, "no stage") for name in gone
        ]
    changes.sort(key=lambda change: not change.worse)
    bad = (result for result in night.results if result.outcome not in _GOOD)
    still = tuple(result for result in bad if result.name not in settled)
    not_run = tuple(one for one in night.results if one.outcome is StageOutcome.NOT_RUN)
    return NightReport(
        night,
        before.started if before else "",
        before.suite if before else "",
        earlier,
        tuple(changes),
        still,
        settled,
        not_run,
        _status(night, changes, still, not_run),
    )


def _status(
    night: NightRecord,
    changes: list[NightChange],
    still: tuple[StageResult, ...],
    not_run: tuple[StageResult, ...],
) -> int:
    """1 if anything is worse, fails, or was asked for by name and is missing."""
    if still or any(change.worse for change in changes) or any(one.wanted for one in not_run):
        return 1
    return NOTHING_RAN if len(not_run) == len(night.results) else 0


def _is_settled(result: StageResult, night: NightRecord) -> bool:
    """Whether a stage found nothing in a device but what is known of it."""
    known = night.known.get(result.name, ())
    return (
        result.of_device
        and result.outcome is StageOutcome.FAILED
        and bool(result.findings)
        and all(finding.cause in known for finding in result.findings)
    )


def _since(
    before: StageResult, now: StageResult, night: NightRecord, settled: bool
) -> Iterator[NightChange]:
    """The changes of one stage."""
    if before.outcome is not now.outcome:
        worse = _WEIGHT[now.outcome] > _WEIGHT[before.outcome] and not settled
        old, new = before.outcome.value, now.outcome.value
        yield NightChange(now.name, now.name, old, new, now.why, worse)
    if now.counts:
        yield from _verdicts(before, now)
    yield from _findings(now, night.known.get(now.name, ()))


def _verdicts(before: StageResult, now: StageResult) -> Iterator[NightChange]:
    was, is_now = _all_verdicts(before), _all_verdicts(now)
    for case in {**was, **is_now, **now.failures}:
        old, new = was.get(case, ""), is_now.get(case, "")
        held = case in now.failures and case not in before.failures
        if old == new and not held:
            continue
        why = now.failures.get(case) or now.reasons.get(case, "")
        # What a baseline takes for known is not held against a case, whatever its verdict.
        worse = held if now.by_baseline else _is_worse(old, new)
        yield NightChange(now.name, case, old or NOT_JUDGED, new or NOT_JUDGED, why, worse)


def _is_worse(old: str, new: str) -> bool:
    """What is new, or applies only now, is worse if it fails; any other if it weighs more."""
    if not new or Verdict(new) in (Verdict.PASS, Verdict.NA):
        return False
    if not old:
        return Verdict(new) in (Verdict.FAIL, Verdict.ERROR)
    return SEVERITY[Verdict(new)] > SEVERITY[Verdict(old)]


def _all_verdicts(result: StageResult) -> dict[str, str]:
    """What is not in it passed or does not apply: neither is told of, unless that changes."""
    return dict.fromkeys(result.passed, Verdict.PASS.value) | result.verdicts


def _findings(now: StageResult, known_before: tuple[str, ...]) -> Iterator[NightChange]:
    """A cause that did not come again is not told of: it may be there all the same."""
    known = set(known_before)
    for finding in now.findings:
        if finding.cause not in known:
            known.add(finding.cause)
            why = f"{finding.detail} Again: {finding.again}"
            yield NightChange(now.name, finding.cause, "", "found", why, worse=True)
