"""What the end of a case breaks, as far as the end itself does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reports.record import Verdict

if TYPE_CHECKING:
    from conformance.catalogue.entries import Catalogue
    from conformance.suite.plugin import Case

__all__ = ["MOST_BLAMED", "cited_and_broken", "meant"]

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


def meant(case: Case, violated: tuple[str, ...]) -> tuple[str, ...]:
    """What is violated, with what that means in the situation of the case."""
    more = (one for rule, ids in case.means if rule in violated for one in ids)
    return tuple(dict.fromkeys((*violated, *more)))
