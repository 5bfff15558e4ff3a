"""Holds whatever a server says on a connection against the oracle, whatever a case is about.

A case looks at the answer to its own message.  What comes before, between and after that is judged
here: each answer against what the oracle allows of the message that it answers, and what answers
nothing.  Which kind of answer its own message may get is for the case to say: it may know more than
the oracle (`@requirement(..., wider=...)`), and says itself which rule another kind breaks.

    rfc8166 section 2.2.2  RPC Calls (a Reply answers a Call in flight)
    rfc8166 section 4.5    Error Handling

Silence is no answer, and not judged: the good call after the case shows whether the device serves.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.oracle.layout import broken_by
from conformance.oracle.marks import WHAT_IT_IS, faulty_fields, seen_outcome
from conformance.oracle.outcome import (
    AnsweringOutcome,
    Called,
    OptionReceived,
    Undecodable,
    Unexpected,
    as_called,
    read_outcome,
)
from conformance.oracle.responder.answer_rules import obsolete_rule
from conformance.oracle.responder.expectation import Answer
from conformance.oracle.responder.expected import expected
from conformance.oracle.transmissions import Reported, begins
from conformance.oracle.verdict import BrokenRule, FaultyField, broken_rule
from reports.record import Verdict
from rpcrdma.wire.operations import XmtCont, XmtReq

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation, ResponderState

__all__ = ["Exchanges"]

ANSWERS_NOTHING: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"
OPTION_ANSWERS_NOTHING: Final = "xcharext.4.3.answer-has-the-requests-xid"

_XID: Final = slice(0, 4)


@dataclass(frozen=True, slots=True)
class _Sent:
    """A message of the tester; without an expectation anything may answer it."""

    sends: tuple[bytes, ...]
    expectation: Expectation | None


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A message of the tester, and what answered it."""

    sent: _Sent
    outcome: Outcome
    reply_chunk: bytes | None


class Exchanges:
    """Follows one connection.

    Args:
        version: of messages that cannot be read.
    """

    def __init__(self, version: int) -> None:
        self._version = version
        self._open: dict[int, list[_Sent]] = defaultdict(list)
        self._answered: list[_Exchange] = []
        self._broken: list[BrokenRule] = []

    def sending(self, sends: tuple[bytes, ...], state: ResponderState) -> None:
        """A message is about to be sent.

        Args:
            sends: its Sends.
            state: of the device and of the connection; the memory as it is now.
        """
        first, *later = sends
        if len(first) < _XID.stop:
            return  # nothing can answer it
        # What comes of a group that is sent piece by piece is for the case to say.
        whole = bool(later) or not _is_piece(first)
        sent = _Sent(sends, expected(first, state, *later) if whole else None)
        self._open[int.from_bytes(first[_XID])].append(sent)

    def arrived(self, outcome: Outcome, reply_chunk: bytes | None) -> None:
        """A message has arrived.

        Args:
            outcome: what it is.
            reply_chunk: what the Reply chunk of a Long Reply holds; None if nobody can say.
        """
        if isinstance(outcome, Undecodable):
            ids = statements(broken_by(outcome.octets, outcome.error, self._version), self._version)
            fields = (FaultyField(outcome.error.path, str(outcome.error)),)
            self._keep(BrokenRule(ids, str(outcome), fields=fields), outcome)
        elif isinstance(outcome, Unexpected):
            self._keep(obsolete_rule(outcome), outcome)
        elif isinstance(outcome, AnsweringOutcome) and not _begins(outcome):
            self._answer(outcome, reply_chunk)

    def _answer(self, outcome: AnsweringOutcome, reply_chunk: bytes | None) -> None:
        waiting = self._open[outcome.xid]
        if not waiting:
            if not isinstance(outcome, Reported):
                self._keep(_answers_nothing(outcome, self._version), outcome)
            return
        chosen = waiting[0]
        if len(waiting) > 1:
            # Of messages of one XID that is answered which an answer fits best.
            chosen = min(waiting, key=lambda one: _rank(one.expectation, outcome, reply_chunk))
        waiting.remove(chosen)
        self._answered.append(_Exchange(chosen, outcome, reply_chunk))

    def _keep(self, rule: BrokenRule, outcome: Outcome) -> None:
        self._broken.append(replace(rule, seen=seen_outcome(outcome)))

    def broken(self, of_the_case: Collection[tuple[bytes, ...]]) -> Iterator[BrokenRule]:
        """What the device has broken on this connection so far.

        Args:
            of_the_case: the messages, each by its Sends, of whose answers the case says itself
                which kinds it accepts.
        """
        for exchange in self._answered:
            kind_too = exchange.sent.sends not in of_the_case
            seen = seen_outcome(exchange.outcome)
            yield from (replace(rule, seen=seen) for rule in _judged(exchange, kind_too=kind_too))
        yield from self._broken


def _judged(exchange: _Exchange, *, kind_too: bool) -> Iterator[BrokenRule]:
    """What the answer breaks; `kind_too`: also by being an answer of its kind."""
    outcome, expectation = exchange.outcome, exchange.sent.expectation
    if expectation is None:
        return
    if not kind_too:
        same = replace(expectation.allowed[0], kind=Answer(type(outcome)), warning=False)
        expectation = replace(expectation, allowed=(same,))
    judgement = expectation.judge(outcome, exchange.reply_chunk)
    if judgement.verdict is not Verdict.PASS:
        yield BrokenRule(
            judgement.violated,
            f"the answer to {expectation.xid:#010x}: {judgement.reason}",
            judgement.interpretations,
            judgement.verdict,
            fields=faulty_fields(judgement.rules) or (FaultyField(WHAT_IT_IS, judgement.reason),),
        )


def _rank(expectation: Expectation | None, outcome: Outcome, reply_chunk: bytes | None) -> int:
    order = (Verdict.PASS, Verdict.WARN, Verdict.FAIL)
    if expectation is None:
        return 0
    return order.index(expectation.judge(outcome, reply_chunk).verdict)


def _begins(outcome: AnsweringOutcome) -> bool:
    """Whether the device begins something: a backward Call, or an optional operation."""
    if isinstance(outcome, OptionReceived):
        return begins(outcome)
    return isinstance(as_called(outcome), Called)


def _is_piece(octets: bytes) -> bool:
    """Whether this is one Send of a group of several (rtrext 4.2)."""
    option = read_outcome(octets)
    contents = option.option if isinstance(option, OptionReceived) else None
    return isinstance(contents, XmtCont) or (
        isinstance(contents, XmtReq) and contents.optxrq_count > 1
    )


def _answers_nothing(outcome: AnsweringOutcome, version: int) -> BrokenRule:
    option = isinstance(outcome, OptionReceived)
    detail = f"{outcome} answers nothing that is in flight"
    return broken_rule(OPTION_ANSWERS_NOTHING if option else ANSWERS_NOTHING, detail, version)
