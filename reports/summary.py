"""What a run says as a whole: counts, exit status, per-requirement results.

Every renderer takes its figures from here, so that terminal, JUnit, JSON and HTML agree.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.record import STOPPED, CaseRecord, Citation, RunRecord, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.baseline import BaselineCheck

__all__ = [
    "CUT_SHORT",
    "NOTHING_JUDGED",
    "SEVERITY",
    "RequirementResult",
    "Summary",
    "by_cause",
    "counted",
    "deaths",
    "exit_status",
    "ground",
    "section_key",
    "summarise",
    "verdict_for",
    "worst",
]

NOTHING_JUDGED: Final = 3
"""Exit status of a run in which no case says anything of the device: no PASS, no WARN, no FAIL; or
in which a case was not judged because the device did not serve."""

CUT_SHORT: Final = 4
"""Exit status of a run that ended before it had judged every planned case, by no signal."""

SEVERITY: Final[dict[Verdict, int]] = {
    Verdict.ERROR: 5,
    Verdict.FAIL: 4,
    Verdict.INCONC: 3,
    Verdict.WARN: 2,
    Verdict.PASS: 1,
    Verdict.NA: 0,
}
"""Which verdict stands for a group of cases: the most severe one that it holds."""

_GROUNDS: Final[dict[str, str]] = {
    "MUST": "a MUST",
    "MUST NOT": "a MUST NOT",
    "RULE": "a rule without which the two ends cannot work",
    "MAY": "what the other end MAY do, and this one has to bear",
    "SHOULD": "a SHOULD",
    "SHOULD NOT": "a SHOULD NOT",
    "ADVICE": "an advisory rule (a lower-case should)",
}
"""What a verdict rests on, by the level of what was broken, the most binding first."""

_ADVICE: Final = ("SHOULD", "SHOULD NOT", "ADVICE")
"""Levels on which a WARN rests."""

_NO_ANSWER: Final = ("nothing within", "the connection ended")
"""How cases begin to say that nothing came of the device: silence is no wrong word in a header."""


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """One cited requirement with the cases that cite it.

    Attributes:
        citation: the requirement.
        verdict: of those that looked at it; INCONC if something else came first in each that
            could have.
        cases: that cite it.
        not_reached: those of them in which something else came first.
    """

    citation: Citation
    verdict: Verdict
    cases: tuple[CaseRecord, ...]
    not_reached: tuple[CaseRecord, ...] = ()

    @property
    def reached(self) -> bool:
        """Whether a case came to look at it, or there was none that could have."""
        judged = (case for case in self.cases if case.verdict is not Verdict.NA)
        return not self.not_reached or any(case not in self.not_reached for case in judged)


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in figures.

    Attributes:
        counts: cases for each verdict, every verdict present.
        missing: planned cases without a record: the run was cut short.
        notes: how many things cases, and the run as a whole, tell that break nothing.
        requirements: what was cited, by document and section.
        exit_status: without a baseline; see `exit_status`.
        deaths: the cases that tell of a death of the device.
        lost: how many cases were not judged because the device did not serve.
    """

    counts: dict[Verdict, int]
    missing: tuple[str, ...]
    requirements: tuple[RequirementResult, ...]
    exit_status: int
    notes: int = 0
    deaths: tuple[CaseRecord, ...] = ()
    lost: int = 0

    @property
    def total(self) -> int:
        """Number of judged cases."""
        return sum(self.counts.values())

    @property
    def not_reached(self) -> tuple[RequirementResult, ...]:
        """The requirements that no case came to look at, because others were broken first."""
        return tuple(result for result in self.requirements if not result.reached)


def by_cause(cases: Iterable[CaseRecord]) -> tuple[tuple[CaseRecord, ...], ...]:
    """The cases in groups that one cause explains, in the order of the first of each.

    Those that violate the same requirements are one group: a wrong word in a header fails whatever
    looks at an answer.  Where none came, because the device was silent, went away or died, that is
    something else.  Of an ERROR or INCONC, which violates nothing, the reason tells.
    """
    groups: dict[tuple[Verdict, str, tuple[str, ...]], list[CaseRecord]] = {}
    for case in cases:
        cause = tuple(sorted(case.violated)) or (case.reason,)
        groups.setdefault((case.verdict, _in_place_of_answer(case), cause), []).append(case)
    return tuple(map(tuple, groups.values()))


def _in_place_of_answer(case: CaseRecord) -> str:
    """How the device died, that it was silent, or that it went away; empty if it answered."""
    if case.died:
        return case.died.partition(";")[0]
    return next((words for words in _NO_ANSWER if case.actual.startswith(words)), "")


def counted(number: int, noun: str) -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ground(case: CaseRecord) -> str:
    """On how binding a statement a FAIL or WARN rests; empty for other verdicts.

    A WARN may rest on a binding statement alone: then what was done is tolerated, as the readings
    of the case say.
    """
    levels = {citation.level for citation in case.citations if citation.id in case.violated}
    match case.verdict:
        case Verdict.FAIL:
            return next((text for level, text in _GROUNDS.items() if level in levels), "")
        case Verdict.WARN:
            advice = (_GROUNDS[level] for level in _ADVICE if level in levels)
            return next(advice, "what is tolerated in place of what is asked for")
        case _:
            return ""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that stands for all of them; N/A if there is none."""
    return max(verdicts, key=SEVERITY.__getitem__, default=Verdict.NA)


def verdict_for(case: CaseRecord, requirement: str) -> Verdict:
    """What one case says about one of the requirements that it has looked at.

    A FAIL or WARN speaks only against the requirements that it names as violated.
    """
    if case.verdict in (Verdict.FAIL, Verdict.WARN) and case.violated:
        return case.verdict if requirement in case.violated else Verdict.PASS
    return case.verdict


def summarise(run: RunRecord) -> Summary:
    """Count a run."""
    counts = dict.fromkeys(Verdict, 0)
    for case in run.cases:
        counts[case.verdict] += 1
    judged = {case.id for case in run.cases}
    missing = tuple(case for case in run.header.planned if case not in judged)
    notes = sum(len(case.notes) for case in run.cases)
    notes += len(run.footer.notes) if run.footer else 0
    failed = bool(counts[Verdict.FAIL] or counts[Verdict.ERROR] or deaths(run.cases))
    status = _status(run, counts, missing, failed=failed)
    return Summary(
        counts,
        missing,
        _requirements(run.cases),
        status,
        notes,
        deaths(run.cases),
        sum(case.lost for case in run.cases),
    )


def deaths(cases: Iterable[CaseRecord]) -> tuple[CaseRecord, ...]:
    """The cases that tell of a death of the device, in their order."""
    return tuple(case for case in cases if case.died)


def exit_status(run: RunRecord, check: BaselineCheck | None = None) -> int:
    """What `rpcrdma certify` ends with.

    A run that was cut short ends with 128 and the number of the signal that did it, else with
    `CUT_SHORT`, whatever it had found.  Of others, 1 says that something failed: a FAIL or ERROR, a
    device that died or, with a baseline, anything that is not as it says.  `NOTHING_JUDGED` is for
    a run that says nothing of the device, or in which a case was not judged because the device did
    not serve.  0 is all the rest.
    """
    summary = summarise(run)
    if check is None:
        return summary.exit_status
    # A death that a baseline knows is the verdict of a case; any other is nobody's.
    untold = any(case.verdict is not Verdict.FAIL for case in deaths(run.cases))
    return _status(run, summary.counts, summary.missing, failed=bool(check.problems) or untold)


def _status(
    run: RunRecord, counts: dict[Verdict, int], missing: tuple[str, ...], *, failed: bool
) -> int:
    if run.footer is not None and run.footer.signal:
        return 128 + signal.Signals[run.footer.signal]
    stopped = run.footer is not None and run.footer.reason == STOPPED
    if not stopped and (missing or run.footer is None or not run.footer.complete):
        return CUT_SHORT
    if failed or stopped:
        return 1
    if any(case.lost for case in run.cases):
        return NOTHING_JUDGED
    judged = counts[Verdict.PASS] or counts[Verdict.WARN] or counts[Verdict.FAIL]
    return 0 if judged else NOTHING_JUDGED


def _requirements(cases: tuple[CaseRecord, ...]) -> tuple[RequirementResult, ...]:
    citations: dict[str, Citation] = {}
    citing: dict[str, list[CaseRecord]] = {}
    for case in cases:
        for citation in case.citations:
            citations.setdefault(citation.id, citation)
            citing.setdefault(citation.id, []).append(case)
    results = [_result(citation, citing[citation.id]) for citation in citations.values()]
    return tuple(sorted(results, key=lambda result: section_key(result.citation)))


def _result(citation: Citation, cases: list[CaseRecord]) -> RequirementResult:
    unreached = tuple(case for case in cases if citation.id in case.not_reached)
    reached = [case for case in cases if case not in unreached]
    verdict = worst(verdict_for(case, citation.id) for case in reached)
    if unreached and verdict is Verdict.NA:
        verdict = Verdict.INCONC
    return RequirementResult(citation, verdict, tuple(cases), unreached)


def section_key(citation: Citation) -> tuple[str, tuple[int, ...], str]:
    """By which requirements are sorted: document, section by its numbers, id."""
    numbers = tuple(int(part) for part in citation.section.split(".") if part.isdigit())
    return citation.document, numbers, citation.id
