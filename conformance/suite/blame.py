"""What the end of a case breaks, as far as the end itself does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.marks import field_of, marks_in, marks_of
from conformance.oracle.verdict import FaultyField
from conformance.tester.case import Deviation
from reports.record import Verdict

if TYPE_CHECKING:
    from conformance.catalogue.entries import Catalogue
    from conformance.suite.case import Case
    from conformance.tester.case import CaseLog
    from reports.record import Mark

__all__ = ["MOST_BLAMED", "cited_and_broken", "marks_on", "meant"]

_MOST_MARKS: Final = 8
"""Fields that are marked: a device that floods has thousands that are wrong."""

MOST_BLAMED: Final = 2
"""Requirements that a case may cite for all of them to be blamed where nothing is said."""


def cited_and_broken(
    case: Case, catalogue: Catalogue, *, unanswered: bool = False
) -> tuple[str, ...]:
    """What a deviation breaks that does not say: nothing is blamed that was not looked at.

    Without an answer that is what the case is about: the first requirement that it cites, but
    rather a rule than a recommendation.

    Args:
        case: in which it was found.
        catalogue: of the requirements.
        unanswered: whether there was nothing to look at.
    """
    if len(case.requirements) <= MOST_BLAMED and not unanswered:
        return case.requirements
    rules = (one for one in case.requirements if catalogue[one].verdict_when_broken is Verdict.FAIL)
    return (next(rules, case.requirements[0]),)


def marks_on(
    found: BaseException | None, case: CaseLog, violated: tuple[str, ...]
) -> tuple[Mark, ...]:
    """The fields that were wrong in the device's messages, as far as anybody knows.

    Of a deviation that does not say, it is the field that a violated requirement is about, in the
    message that the case has looked at last.

    Args:
        found: what ended the case.
        case: its notes.
        violated: what was broken.
    """
    if not isinstance(found, Deviation):
        return () if found is not None else marks_of(case.warnings)
    path = field_of(violated)
    told = (FaultyField(path, found.reason),) if path else ()
    return (found.marks or marks_in(case.looked_at, told))[:_MOST_MARKS]


def meant(case: Case, violated: tuple[str, ...]) -> tuple[str, ...]:
    """What is violated, with what that means in the situation of the case."""
    more = (one for rule, ids in case.means if rule in violated for one in ids)
    return tuple(dict.fromkeys((*violated, *more)))
