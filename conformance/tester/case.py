"""One case while it runs: what was noted about it, apart from what went over the fabric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import BrokenRule, SeenMessage
from reports.record import Mark, Verdict

if TYPE_CHECKING:
    from conformance.tester.acceptance import Acceptance

__all__ = [
    "MOST_ARRIVALS",
    "CaseLog",
    "Deviation",
    "Flooded",
    "Inconclusive",
    "NoSuchCall",
    "NotServing",
]


class Deviation(AssertionError):
    """The device did something that the documents do not allow.

    This is how a verification ends a case; the plugin makes FAIL or WARN of it, by the level of the
    requirements that it breaks.

    Attributes:
        reason: one or two sentences.
        expected: the outcomes that would have been accepted.
        actual: what came.
        breaks: ids of requirements.  If empty: of a case that cites one or two, these; of one that
            cites more, the one alone that the case is about.
        unanswered: whether there is no answer, or none that can be decoded, so that nothing could
            be looked at.  If `breaks` is empty, that is held against one requirement alone, too.
        marks: the fields that are wrong; if empty, the one that the first requirement with a field
            is about, in the message that the case has looked at last.
    """

    def __init__(
        self,
        reason: str,
        *,
        expected: tuple[str, ...] = (),
        actual: str = "",
        breaks: tuple[str, ...] = (),
        unanswered: bool = False,
        marks: tuple[Mark, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.expected = expected
        self.actual = actual
        self.breaks = breaks
        self.unanswered = unanswered
        self.marks = marks


class Inconclusive(Exception):  # a verdict, not an error
    """The situation that a case needs could not be brought about; the message says why."""


class NoSuchCall(Inconclusive):
    """A client made no call of the kind that the case is about."""


class NotServing(Inconclusive):
    """The device does not serve, or call, before the case, and could not be brought to."""


class Flooded(Inconclusive):
    """So many messages have come that the case was ended."""


MOST_ARRIVALS: Final = 10_000
"""Messages that may come in one case: more than any device has to send in one."""


@dataclass(slots=True)
class CaseLog:
    """Notes of a running case.

    Attributes:
        expected: sentences of the outcomes that the last verification accepts.
        actual: the outcome that it got.
        warnings: what was let pass although a document recommends something else; one without ids
            breaks what the case cites.
        notes: what is worth knowing and breaks nothing, one sentence each.
        cut_short: whether some of that came in place of what the case is about, so that nothing
            else of what the case cites was looked at.
        interpretations: entries of INTERPRETATIONS.md that decided something.
        looked_at: the message of the device that the case has looked at last.
        mutations: octets that were sent -> what was changed in them, as a clause.
        acceptances: what its verifications accept, message by message.
        arrivals: messages of the device that have come.
        opened: when the device had been seen to live, before anything else was asked of it: what
            passes until then depends on earlier cases.  Seconds of the fabric's clock.
        asides: from when to when something was found out that later cases make use of and do not
            find out again, on connections of its own; likewise.
    """

    expected: tuple[str, ...] = ()
    actual: str = ""
    warnings: list[BrokenRule] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cut_short: bool = False
    interpretations: list[str] = field(default_factory=list)
    looked_at: SeenMessage | None = None
    mutations: dict[bytes, str] = field(default_factory=dict)
    acceptances: list[Acceptance] = field(default_factory=list)
    arrivals: int = 0
    opened: float = 0.0
    asides: list[tuple[float, float]] = field(default_factory=list)

    def count_arrival(self) -> None:
        """A message of the device has come.

        Raises:
            Flooded: it is one too many.
        """
        self.arrivals += 1
        if self.arrivals > MOST_ARRIVALS:
            raise Flooded(f"the device sent more than {MOST_ARRIVALS} messages in one case")

    def let_pass(self, reason: str, breaks: tuple[str, ...], *, instead: bool = False) -> None:
        """Let something pass with a warning.

        Args:
            reason: one sentence.
            breaks: ids of requirements.
            instead: whether it came in place of what the case is about.
        """
        rule = BrokenRule(breaks, reason, severity=Verdict.WARN, seen=self.looked_at)
        self.warnings.append(rule)
        self.cut_short = self.cut_short or instead

    def remark(self, sentence: str) -> None:
        """Tell what breaks nothing: what a document permits, or only describes.

        It is shown and counted, and no verdict depends on it.

        Args:
            sentence: what was seen.
        """
        if sentence not in self.notes:
            self.notes.append(sentence)
