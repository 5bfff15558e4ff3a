"""How many requirements are met: by document and level, by section, by whom they bind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.record import Verdict
from reports.summary import verdict_for, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reports.summary import RequirementResult

__all__ = ["ADVISORY", "BINDING", "LEVELS", "MetCount", "tallies", "tally"]

BINDING: Final = ("MUST", "MUST NOT", "RULE", "MAY")
"""Levels that a device fails by; a MAY is what the other end may do, and this one has to bear."""

ADVISORY: Final = ("SHOULD", "SHOULD NOT", "ADVICE")
"""Levels that a device is warned by."""

LEVELS: Final = ("MUST", "MUST NOT", "RULE", "MAY", "SHOULD", "SHOULD NOT", "ADVICE")
"""All levels, in the order of tables."""


@dataclass(frozen=True, slots=True)
class MetCount:
    """Requirements of one kind.

    Attributes:
        name: of the kind.
        met: how many were tested and are met.
        unmet: how many were not: a FAIL, or a WARN about a recommendation.
        tolerated: how many that bind were not kept to the letter, in a way that is only warned of.
        untested: how many came to no verdict: INCONC, ERROR, or something else came first.
        unclaimed: how many the profile does not claim.
    """

    name: str
    met: int = 0
    unmet: int = 0
    tolerated: int = 0
    untested: int = 0
    unclaimed: int = 0

    @property
    def tested(self) -> int:
        """How many have a verdict."""
        return self.met + self.unmet + self.tolerated

    @property
    def share(self) -> str:
        """`3 of 120 not met`, `all 12 met`, or what else there is to say."""
        if not self.tested:
            return "none tested" if self.untested else "none claimed"
        if self.unmet or self.tolerated:
            tolerated = f", {self.tolerated} tolerated" if self.tolerated else ""
            return f"{self.unmet} of {self.tested} not met{tolerated}"
        return f"all {self.tested} met" if self.tested > 1 else "the one met"


def tally(name: str, results: Iterable[RequirementResult]) -> MetCount:
    """Count some requirements."""
    counts = dict.fromkeys(("met", "unmet", "tolerated", "untested", "unclaimed"), 0)
    for result in results:
        counts[_outcome(result)] += 1
    return MetCount(name, **counts)


def _outcome(result: RequirementResult) -> str:
    """Which of the counts it belongs to.

    A fault of the suite in one case leaves standing what others have shown.
    """
    level, verdict = result.citation.level, result.verdict
    if verdict is Verdict.ERROR:
        spoken = (verdict_for(case, result.citation.id) for case in result.cases)
        broken = [one for one in spoken if one in (Verdict.FAIL, Verdict.WARN)]
        verdict = worst(broken) if broken else Verdict.ERROR
    match verdict:
        case Verdict.PASS:
            return "met"
        case Verdict.WARN if level in BINDING:
            return "tolerated"
        case Verdict.FAIL | Verdict.WARN:
            return "unmet"
        case Verdict.INCONC | Verdict.ERROR:
            return "untested"
        case Verdict.NA:
            return "unclaimed"


def tallies(
    results: Sequence[RequirementResult], key: Callable[[RequirementResult], str]
) -> tuple[MetCount, ...]:
    """Count them by what `key` says of each, in the order in which that comes first."""
    groups: dict[str, list[RequirementResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return tuple(tally(name, members) for name, members in groups.items())
