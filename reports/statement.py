"""A conformance statement: what a finished run says of a device, and of what it says nothing.

It is made of the run's records and the digest of its evidence alone, and of what the catalogue
knows of the requirements that no case looks at, which the caller adds.  The same run gives the same
statement, letter for letter, so that one can be held against the evidence that it names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from reports.record import STOPPED, CaseRecord, Citation, RunRecord, Verdict
from reports.sentence import in_one_sentence
from reports.summary import CUT_SHORT, NOTHING_JUDGED, counted, summarise
from reports.totals import tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reports.summary import RequirementResult, Summary
    from reports.totals import MetCount

__all__ = ["NoStatement", "NotTested", "Statement", "Violation", "statement_of"]


class NoStatement(Exception):
    """A run of which nothing is stated; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A requirement that was found broken, or not followed, and the cases that say so."""

    citation: Citation
    verdict: Verdict
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotTested:
    """What nothing is stated of, and why.

    Attributes:
        what: `12 cases`, `48 requirements`.
        why: one sentence or clause.
        ids: of them.
    """

    what: str
    why: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """All that a statement says.

    Attributes:
        target: name of the device.
        result: the run in one sentence.
        facts: what was tested, by what, when and how, (name, value).
        tallies: document, level, and what came of those requirements that were cited.
        violations: worst first.
        readings: entries of INTERPRETATIONS.md on which verdicts rest -> their title.
        not_tested: the rest.
        digest: of the evidence.
        files: how many files that is of.
    """

    target: str
    result: str
    facts: tuple[tuple[str, str], ...]
    tallies: tuple[tuple[str, str, MetCount], ...]
    violations: tuple[Violation, ...]
    readings: tuple[tuple[str, str], ...]
    not_tested: tuple[NotTested, ...]
    digest: str
    files: int


def statement_of(
    run: RunRecord,
    digest: str,
    files: int,
    *,
    titles: Mapping[str, str],
    unselected: Sequence[str] = (),
    unseen: Sequence[NotTested] = (),
) -> Statement:
    """The statement of a run.

    Args:
        run: whole.
        digest: of its evidence.
        files: how many files were digested.
        titles: of the interpretations.
        unselected: cases for the device's roles that the run was not asked for.
        unseen: what the run knows nothing of, because no case of it looks there.

    Raises:
        NoStatement: the run was cut short, or judged nothing.
    """
    summary = summarise(run)
    _refuse(run, summary)
    return Statement(
        target=run.header.target,
        result=_result(run, len(unselected)),
        facts=_facts(run),
        tallies=tuple(
            (*place, tally(" ".join(place), results))
            for place, results in groupby(
                sorted(summary.requirements, key=_document_and_level), _document_and_level
            )
        ),
        violations=tuple(_violations(summary.requirements)),
        readings=tuple((one, titles.get(one, "")) for one in _readings(run.cases)),
        not_tested=(
            *_unjudged(run.cases),
            *_not_reached(summary),
            *_unselected(tuple(unselected)),
            *unseen,
        ),
        digest=digest,
        files=files,
    )


def _refuse(run: RunRecord, summary: Summary) -> None:
    if run.footer is not None and run.footer.reason == STOPPED:
        raise NoStatement("the run was stopped at its first failure; run it without that option")
    if summary.exit_status >= CUT_SHORT:
        planned = counted(len(run.header.planned), "case")
        judged = len(run.header.planned) - len(summary.missing)
        raise NoStatement(f"the run was cut short, {judged} of {planned} judged; run it to its end")
    if summary.lost:
        lost = counted(summary.lost, "case")
        raise NoStatement(f"the device did not serve, and {lost} had no verdict; run it again")
    if summary.exit_status == NOTHING_JUDGED or not summary.requirements:
        raise NoStatement("the run judged nothing; select cases that the profile's claims allow")


def _result(run: RunRecord, unselected: int) -> str:
    said = in_one_sentence(run)
    if unselected:
        said += f" {counted(unselected, 'case')} of its roles had not been selected."
    return said


def _facts(run: RunRecord) -> tuple[tuple[str, str], ...]:
    counts = summarise(run).counts
    judged = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    return (
        ("target", run.header.target),
        ("profile", run.header.profile),
        ("fabric", run.header.fabric),
        ("begun", run.header.started),
        ("cases", judged),
        *run.header.facts,
    )


def _readings(cases: Iterable[CaseRecord]) -> list[str]:
    """The entries on which verdicts about the device rest, in the order of their numbers."""
    judged = (Verdict.PASS, Verdict.WARN, Verdict.FAIL)
    found = {one for case in cases if case.verdict in judged for one in case.interpretations}
    return sorted(found, key=lambda one: (one.partition("-")[0], len(one), one))


def _document_and_level(result: RequirementResult) -> tuple[str, str]:
    return result.citation.document, result.citation.level


def _violations(results: Iterable[RequirementResult]) -> list[Violation]:
    found = [
        Violation(result.citation, verdict, cases)
        for result in results
        for verdict in (Verdict.FAIL, Verdict.WARN)
        if (cases := _violating(result, verdict))
    ]
    return sorted(found, key=lambda one: one.verdict is not Verdict.FAIL)


def _violating(result: RequirementResult, verdict: Verdict) -> tuple[str, ...]:
    return tuple(
        case.id
        for case in result.cases
        if case.verdict is verdict and result.citation.id in case.violated
    )


def _unjudged(cases: Iterable[CaseRecord]) -> list[NotTested]:
    """Cases that say nothing of the device, by why; reasons differ in their numbers alone."""
    groups: dict[tuple[str, str], list[CaseRecord]] = {}
    for case in cases:
        if case.verdict in (Verdict.NA, Verdict.INCONC, Verdict.ERROR):
            pattern = re.sub(r"\b\d+\b", "N", case.reason)
            groups.setdefault((case.verdict.value, pattern), []).append(case)
    found: list[NotTested] = []
    for (verdict, pattern), group in sorted(groups.items(), key=_most_first):
        reasons = {case.reason for case in group}
        why = reasons.pop() if len(reasons) == 1 else pattern
        ids = tuple(case.id for case in group)
        found.append(NotTested(counted(len(ids), "case"), f"{verdict}: {why}", ids))
    return found


def _most_first(item: tuple[tuple[str, str], list[CaseRecord]]) -> tuple[str, int]:
    (verdict, _), group = item
    return verdict, -len(group)


def _not_reached(summary: Summary) -> list[NotTested]:
    ids = tuple(result.citation.id for result in summary.not_reached)
    if not ids:
        return []
    why = "another was broken first in every case that looks at them"
    return [NotTested(counted(len(ids), "requirement"), why, ids)]


def _unselected(ids: tuple[str, ...]) -> list[NotTested]:
    why = "they were not selected"
    return [NotTested(counted(len(ids), "case"), why, ids)] if ids else []
