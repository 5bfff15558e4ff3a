"""What a case is to a CI server or a test runner, which know fewer verdicts than we do.

FAIL is a failure, ERROR an error; so is a planned case without a record.  INCONC and N/A are
skipped.  WARN passes: a SHOULD does not fail a build.  With a baseline, a deviation that is as it
says is known, and whatever else it disagrees with is a failure, of a case of its own where the run
has none.

One cause is told once: what deviates by the same cause as a case before it says so, and no more.
JUnit, TAP, KTAP and the annotations of GitHub are made from these.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from reports.printable import printable
from reports.record import CaseRecord, RunRecord, Verdict
from reports.summary import by_cause, ground, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.baseline import BaselineCheck

__all__ = ["CiCase", "CiResult", "by_section", "ci_cases"]


_TOLD_ONCE: Final = (Verdict.FAIL, Verdict.ERROR, Verdict.WARN)


class CiResult(Enum):
    """What became of a case."""

    PASSED = auto()
    SKIPPED = auto()
    KNOWN = auto()
    """It deviates as the baseline says."""
    FAILED = auto()
    ERROR = auto()
    """Nothing is said of the device by this."""

    @property
    def good(self) -> bool:
        """Whether it leaves a build green."""
        return self not in (CiResult.FAILED, CiResult.ERROR)


@dataclass(frozen=True, slots=True)
class CiCase:
    """One case, as text that may be shown.

    Attributes:
        id: of the case.
        result: what became of it.
        verdict: of the case; empty if it has no record.
        message: why, in a sentence or two; empty if it passed without a word.
        explanation: all there is to say, in lines; empty if there is no more than the message.
        notes: what breaks nothing, whatever the result.
        duration: seconds; None if it has no record.
        same_as: id of the case before it that deviated by the same cause; empty if none did.
    """

    id: str
    result: CiResult
    verdict: str
    message: str
    explanation: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    duration: float | None = None
    same_as: str = ""

    @property
    def section(self) -> str:
        """Document and section, `rfc8166/4.5.1`."""
        return "/".join(self.id.split("/")[:2])


def ci_cases(run: RunRecord, check: BaselineCheck | None = None) -> tuple[CiCase, ...]:
    """Of every case of a run, of those that it has not judged, and of a baseline's that are gone.

    Args:
        run: complete or not.
        check: what a baseline says of it.
    """
    first = _first_of_cause(case for case in run.cases if not (check and case.id in check.known))
    found = [_judged(case, check, first.get(case.id, "")) for case in run.cases]
    found += [
        CiCase(case, CiResult.ERROR, "", "no record: the run was cut short")
        for case in summarise(run).missing
    ]
    judged = {case.id for case in run.cases}
    found += [
        CiCase(problem.case, CiResult.FAILED, "", printable(problem.sentence))
        for problem in (check.problems if check else ())
        if problem.case not in judged
    ]
    return tuple(found)


def by_section(found: Iterable[CiCase]) -> dict[str, tuple[CiCase, ...]]:
    """Section -> its ci_cases, in the order in which each is met first."""
    groups: dict[str, list[CiCase]] = {}
    for case in found:
        groups.setdefault(case.section, []).append(case)
    return {section: tuple(group) for section, group in groups.items()}


def _first_of_cause(cases: Iterable[CaseRecord]) -> dict[str, str]:
    """Case -> the first one that deviated by the same cause, for all but that one."""
    wrong = [case for case in cases if case.verdict in _TOLD_ONCE]
    return {case.id: first.id for first, *others in by_cause(wrong) for case in others}


def _judged(case: CaseRecord, check: BaselineCheck | None, first: str) -> CiCase:
    result, message = _result(case), case.reason or case.title
    known = check.known.get(case.id) if check else None
    problem = check.problem_with(case.id) if check else ""
    if known:
        link = f" ({known.link})" if known.link else ""
        result, message = CiResult.KNOWN, f"known {case.verdict.value}: {known.why}{link}"
    elif problem:
        result = CiResult.ERROR if case.verdict is Verdict.ERROR else CiResult.FAILED
        message = " ".join(filter(None, (problem, case.reason)))
    if first:
        same = f"same cause as {first}"
        message = f"{problem} ({same})" if problem else same
    passed = case.verdict is Verdict.PASS and not problem
    return CiCase(
        case.id,
        result,
        case.verdict.value,
        "" if passed else printable(message),
        () if passed or case.verdict is Verdict.NA else printable(_explanation(case, first)),
        printable(case.notes),
        case.duration,
        first,
    )


def _result(case: CaseRecord) -> CiResult:
    """What the verdict alone says."""
    match case.verdict:
        case Verdict.FAIL:
            return CiResult.FAILED
        case Verdict.ERROR:
            return CiResult.ERROR
        case Verdict.INCONC | Verdict.NA:
            return CiResult.SKIPPED
        case Verdict.PASS | Verdict.WARN:
            return CiResult.PASSED


def _explanation(case: CaseRecord, first: str) -> tuple[str, ...]:
    again = f"run again: {case.rerun}"
    if first:
        return tuple(filter(None, (case.reason, again)))
    lines = list(filter(None, (case.reason,)))
    lines += [f"violated: {requirement}" for requirement in case.violated]
    lines += [f"rests on: {resting}" for resting in (ground(case),) if resting]
    lines += [f"not reached: {requirement}" for requirement in case.not_reached]
    lines += [f"expected: {outcome}" for outcome in case.expected]
    return (*lines, f"actual: {case.actual}", again)
