"""What every judge of the oracle says: which rule a message breaks, and what an outcome is worth.

    v2 section 1  What is not changed is done as in Version One (D-61)

The documents often allow more than one thing, so what is expected is a set of `Alternative`s, each
with what it rests on; `best_of` compares what was seen with them.  It is one for both roles.

A rule is written down once, under the id of the document that states it first, and says where it
stands in which version it is applied: `broken_rule` then finds the ids under which the sender of
the message is bound (`conformance.catalogue.inheritance`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeAlias, TypeVar

from conformance.catalogue.inheritance import statements
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "Alternative",
    "BrokenRule",
    "FaultyField",
    "Ids",
    "Judgement",
    "SeenMessage",
    "Wording",
    "alternative",
    "best_of",
    "broken_ids",
    "broken_rule",
    "readings_of",
]

Kind = TypeVar("Kind")
"""What a role can be seen to do: an outcome at the tester, or what becomes of a Call."""

Ids: TypeAlias = tuple[str, ...]
"""Ids of requirements, the one that says it most plainly first."""

_SECTIONS: Final = "D-61"
"""The reading by which the rules of Version One go on in Version Two."""


class SeenMessage(NamedTuple):
    """By what a message that came from the device is found in a trace.

    Attributes:
        xid: its first word.
        length: in octets; 0 where nobody has counted them.
    """

    xid: int
    length: int


class FaultyField(NamedTuple):
    """A field of a message that is not as it must be.

    Attributes:
        path: as in DecodeError.
        why: in a few words.
    """

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One rule that a message breaks, or what else was seen of an end.

    Attributes:
        ids: of the statements that it breaks, in the version of the message; empty where whoever
            notes it leaves that to its reader.
        detail: what is wrong.
        readings: entries of INTERPRETATIONS.md that the judgement rests on.
        severity: FAIL, or WARN of what a document only recommends, or tolerates.
        origin: the id under which a document states the rule first, whatever the version: by it a
            judge tells rules apart for which Version Two has one statement.
        fields: those that are wrong; empty where the ids tell it, or none is.
        seen: the message; None where there is none, or nobody has said.  Neither of the two makes
            two broken rules different.
    """

    ids: Ids
    detail: str
    readings: tuple[str, ...] = ()
    severity: Verdict = Verdict.FAIL
    origin: str = ""
    fields: tuple[FaultyField, ...] = field(default=(), compare=False)
    seen: SeenMessage | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.ids[0]}: {self.detail}" if self.ids else self.detail

    @property
    def warns(self) -> bool:
        """Whether it is worth a WARN alone."""
        return self.severity is Verdict.WARN


@dataclass(frozen=True, slots=True)
class Alternative(Generic[Kind]):
    """One thing that may be done about a message.

    Attributes:
        kind: what is then seen.
        ids: of the statements that ask for it or permit it, in the version of the message.
        readings: entries of INTERPRETATIONS.md that it rests on.
        warning: whether it is only tolerated.
    """

    kind: Kind
    ids: Ids
    readings: tuple[str, ...] = ()
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.kind} (warning)" if self.warning else f"{self.kind}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was seen is worth: the verdict, why, the ids broken, the readings it rests on.

    `rules` are those that what came breaks although its kind is right.
    """

    verdict: Verdict
    reason: str = ""
    violated: Ids = ()
    interpretations: tuple[str, ...] = ()
    rules: tuple[BrokenRule, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a role words its judgements.

    Attributes:
        wrong: what is said of a thing that no alternative allows; `{wanted}` stands for them.
        tolerated: what is said of one that is let pass with a warning.
    """

    wrong: str
    tolerated: str


def alternative(
    kind: Kind,
    rules: str | Ids,
    version: int,
    readings: tuple[str, ...] = (),
    *,
    warning: bool = False,
) -> Alternative[Kind]:
    """An alternative, under the ids that its rules have in a version.

    Args:
        kind: what is seen.
        rules: ids under which documents state first what asks for it or permits it.
        version: by whose ids it is told.
        readings: on which it rests.
        warning: whether it is only tolerated.
    """
    stated = (rules,) if isinstance(rules, str) else rules
    return Alternative(kind, statements(stated, version), readings, warning)


def best_of(
    allowed: Sequence[Alternative[Kind]],
    fits: Callable[[Kind], bool],
    broken: Callable[[], Sequence[BrokenRule]],
    wording: Callable[[], Wording],
) -> Judgement:
    """Compare what was seen with what is allowed; the best alternative that fits counts.

    Args:
        allowed: the alternatives, what the documents ask for most plainly first.
        fits: whether what was seen is of a kind.
        broken: the rules that it breaks all the same; asked only of what fits.
        wording: of the reasons; asked only where one is needed.
    """
    fitting = [item for item in allowed if fits(item.kind)]
    if not fitting:
        wanted = "; or ".join(str(item) for item in allowed)
        reason = wording().wrong.replace("{wanted}", wanted)
        # What the message really asked for comes first; the others are ways around it.
        return Judgement(Verdict.FAIL, reason, allowed[0].ids, readings_of(allowed))
    found = broken()
    worst = [rule for rule in found if not rule.warns] or found
    if worst:
        reason = "; ".join(rule.detail for rule in worst)
        rules = tuple(worst)
        return Judgement(worst[0].severity, reason, broken_ids(worst), readings_of(worst), rules)
    best = min(fitting, key=lambda item: item.warning)
    if best.warning:
        return Judgement(Verdict.WARN, wording().tolerated, best.ids, best.readings)
    return Judgement(Verdict.PASS, interpretations=best.readings)


def broken_rule(
    rules: str | Ids,
    detail: str,
    version: int = 1,
    readings: tuple[str, ...] = (),
    severity: Verdict = Verdict.FAIL,
    where: str = "",
) -> BrokenRule:
    """A broken rule, under the ids that it has in a version.

    Args:
        rules: ids under which documents state it first, the plainest first.
        detail: what is wrong with this message.
        version: by whose ids it is told.
        readings: on which the judgement rests.
        severity: FAIL or WARN.
        where: path of the field that is wrong, where the ids do not tell it.
    """
    stated = (rules,) if isinstance(rules, str) else rules
    ids = statements(stated, version)
    rests_on = readings if ids == stated else (*readings, _SECTIONS)
    fields = (FaultyField(where, detail),) if where else ()
    return BrokenRule(ids, detail, tuple(dict.fromkeys(rests_on)), severity, stated[0], fields)


def broken_ids(broken: Iterable[BrokenRule]) -> Ids:
    """The statements that several broken rules name, each once."""
    return tuple(dict.fromkeys(name for rule in broken for name in rule.ids))


def readings_of(found: Iterable[BrokenRule | Alternative[Kind]]) -> tuple[str, ...]:
    """The readings on which several broken rules, or alternatives, rest, each once."""
    return tuple(dict.fromkeys(name for one in found for name in one.readings))
