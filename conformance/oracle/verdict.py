"""What every judge of the oracle says: which rule a message breaks, and what an outcome is worth.

    v2 section 1  What is not changed is done as in Version One (D-61)

A rule is written down once, under the id of the document that states it first, and says where it
stands in which version it is applied: `broken_rule` then finds the ids under which the sender of
the message is bound (`conformance.catalogue.inheritance`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from conformance.catalogue.inheritance import statements
from reports.record import Verdict

__all__ = ["BrokenRule", "Ids", "broken_ids", "broken_rule", "readings_of"]

Ids: TypeAlias = tuple[str, ...]
"""Ids of requirements, the one that says it most plainly first."""

_SECTIONS: Final = "D-61"
"""The reading by which the rules of Version One go on in Version Two."""


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One rule that a message breaks.

    Attributes:
        ids: of the statements that it breaks, in the version of the message.
        detail: what is wrong with this message.
        readings: entries of INTERPRETATIONS.md that the judgement rests on.
        severity: FAIL, or WARN of what a document only recommends, or tolerates.
        origin: the id under which a document states the rule first, whatever the version: by it a
            judge tells rules apart for which Version Two has one statement.
    """

    ids: Ids
    detail: str
    readings: tuple[str, ...] = ()
    severity: Verdict = Verdict.FAIL
    origin: str = ""

    def __str__(self) -> str:
        return f"{self.ids[0]}: {self.detail}"


def broken_rule(
    rules: str | Ids,
    detail: str,
    version: int = 1,
    readings: tuple[str, ...] = (),
    severity: Verdict = Verdict.FAIL,
) -> BrokenRule:
    """A broken rule, under the ids that it has in a version.

    Args:
        rules: ids under which documents state it first, the plainest first.
        detail: what is wrong with this message.
        version: by whose ids it is told.
        readings: on which the judgement rests.
        severity: FAIL or WARN.
    """
    stated = (rules,) if isinstance(rules, str) else rules
    ids = statements(stated, version)
    rests_on = readings if ids == stated else (*readings, _SECTIONS)
    return BrokenRule(ids, detail, tuple(dict.fromkeys(rests_on)), severity, stated[0])


def broken_ids(broken: tuple[BrokenRule, ...] | list[BrokenRule]) -> Ids:
    """The statements that several rules name, each once."""
    return tuple(dict.fromkeys(name for rule in broken for name in rule.ids))


def readings_of(broken: tuple[BrokenRule, ...] | list[BrokenRule]) -> tuple[str, ...]:
    """The readings on which several rules rest, each once."""
    return tuple(dict.fromkeys(name for rule in broken for name in rule.readings))
