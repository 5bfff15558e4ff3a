"""What a run says of its target in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.record import RunRecord, Verdict
from reports.summary import counted, summarise
from reports.totals import ADVISORY, BINDING, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reports.baseline import BaselineCheck
    from reports.summary import Summary

__all__ = ["ending", "in_one_sentence"]


def in_one_sentence(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """The result: what was found against the target, or that nothing was, and of how much."""
    summary = summarise(run)
    parts = list(_found(run.header.target, summary))
    if count := len(summary.deaths):
        parts.append(f"it died {'once' if count == 1 else f'{count} times'}")
    if count := summary.lost:
        parts.append(f"{counted(count, 'case')} not judged because it did not serve")
    if count := summary.counts[Verdict.ERROR]:
        parts.append(f"{counted(count, 'case')} ended by a fault of the suite")
    if count := summary.counts[Verdict.INCONC] - summary.lost:
        parts.append(f"{counted(count, 'case')} could not be brought about")
    if check is not None:
        parts.append(_agreement(check))
    return "; ".join(parts) + "."


def ending(run: RunRecord) -> str:
    """That a run was cut short, and why; nothing of a whole one."""
    summary = summarise(run)
    planned = counted(len(run.header.planned), "case")
    judged = f"{len(run.header.planned) - len(summary.missing)} of {planned} judged"
    if run.footer is None:
        return f"The run was cut short: {judged}; its records have no end."
    if not run.footer.complete:
        return f"The run was cut short: {judged}; {run.footer.reason}."
    return f"The run was cut short: {judged}." if summary.missing else ""


def _found(target: str, summary: Summary) -> Iterator[str]:
    """What cases say of the device."""
    spoken = sum(summary.counts[one] for one in (Verdict.PASS, Verdict.WARN, Verdict.FAIL))
    if not spoken:
        yield f"Nothing was judged: no case says anything of {target}"
        return
    results = summary.requirements
    binding = tally("", [one for one in results if one.citation.level in BINDING])
    advisory = tally("", [one for one in results if one.citation.level in ADVISORY])
    if binding.unmet:
        broken = counted(binding.unmet, "binding statement")
        yield f"{target} does not meet {broken} of {binding.tested} tested"
    elif summary.counts[Verdict.FAIL]:
        yield f"{target} fails {counted(summary.counts[Verdict.FAIL], 'case')}"
    else:
        yield f"{target} meets {_all(binding.tested)}"
    if advisory.unmet:
        ignored = counted(advisory.unmet, "recommendation")
        yield f"it does not follow {ignored} of {advisory.tested} tested"


def _all(tested: int) -> str:
    """What is met where nothing is broken."""
    if not tested:
        return "what was tested of it, and no binding statement was"
    return (
        "the one binding statement tested"
        if tested == 1
        else f"all {tested} binding statements tested"
    )


def _agreement(check: BaselineCheck) -> str:
    """Whether the baseline holds."""
    if check.problems:
        return f"the baseline does not hold in {counted(len(check.problems), 'case')}"
    if not check.known:
        return "the baseline expects the same"
    return f"the baseline knows all {counted(len(check.known), 'deviation')}"
