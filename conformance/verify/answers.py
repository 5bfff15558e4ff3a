"""Verifications: wait for an outcome, accept every one that the documents allow, say what broke.

    error = verify.expect(peer, call, ErrVers)              one kind; returns it
    verify.expect(peer, call, ErrChunk, Disconnected)       any of several
    verify.expect(peer, call, ErrChunk, tolerated=(Silent,))     the second is a warning
    verify.served(peer, call)                               the right results, however conveyed
    verify.garbage_args(peer, call)                         an RPC-level refusal
    verify.equal(error.versions, (1, 1), "the range", breaks="rfc8166.4.5.1.err-vers-range")
    verify.that(condition, "what must hold", breaks=...)
    verify.recommended(peer, condition, "what should hold", breaks=...)
    verify.each(peer, (good, Answered), (bad, ErrChunk))    several calls, answered in any order

`breaks` names the requirements that a wrong outcome breaks; a case that cites more than two must
say it.  Without it they are all that the case cites, or, where no answer came at all or none that
can be decoded, the first.
Each level decides: a broken MUST is a FAIL, a SHOULD not followed a WARN.

Whatever is accepted, an error must carry the call's XID and version, and a reply the XID of a call.

    verify.refused(peer, message)                           INVAL_OPTION, in Version Two

What is verified is a `Call` or any other `Message`.  In Version Two the rules of
Version One that go on are told by the ids of that document.

    rfc8166 section 4.5  Error Handling
    v2 section 4.2.3     Transport Errors
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar, overload

from conformance.catalogue.inheritance import statements
from conformance.oracle.marks import marks_by, marks_of_contents, marks_of_kind
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    InvalidOption,
    Outcome,
    answered_xid,
)
from conformance.oracle.responder.answer_rules import broken_answer_rules
from conformance.oracle.responder.reply_rules import PAYLOAD_XID
from conformance.oracle.verdict import broken_rule
from conformance.tester.case import Deviation
from conformance.tester.sent import Call
from conformance.verify import accepted
from conformance.verify.blame import Ids, blamed, ids_of, unreadable
from conformance.verify.words import sentences
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import rpc
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Message
    from conformance.verify.accepted import Statuses

__all__ = [
    "Reply",
    "awaited",
    "blamed",
    "each",
    "equal",
    "expect",
    "garbage_args",
    "look",
    "not_executed",
    "recommend_garbage_args",
    "recommended",
    "refused",
    "reply_of",
    "right",
    "served",
    "that",
]

T = TypeVar("T", bound=Outcome)

GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
LAYOUT: Final = "rfc8166.4.rpc-layout-is-unchanged"
VALID_STREAM: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply whose payload has been put together.

    Attributes:
        answer: as it came.
        payload: unreduced: out of the Send, the Write chunks and the Reply chunk.
        rpc: its header.
    """

    answer: Answered
    payload: bytes
    rpc: rpc.RpcReply


@overload
def expect(
    peer: Peer,
    call: Call | Message,
    allowed: type[T],
    /,
    *,
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> T: ...
@overload
def expect(
    peer: Peer,
    call: Call | Message,
    /,
    *allowed: type[Outcome],
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> Outcome: ...
def expect(
    peer: Peer,
    call: Call | Message,
    /,
    *allowed: type[Outcome],
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> Outcome:
    """Wait for what answers `call` and check that it is of an allowed kind, its results right.

    Args:
        peer: where `call` was sent.
        call: what must be answered.
        allowed: kinds of outcome.
        tolerated: kinds that are let pass with a warning.
        breaks: requirements that any other outcome breaks.
        statuses: of a Reply that the caller accepts of those that this function lets pass.
    """
    outcome = awaited(peer, call, *allowed, tolerated=tolerated, breaks=breaks, statuses=statuses)
    look(peer, call, outcome)
    return outcome


@overload
def awaited(
    peer: Peer,
    call: Call | Message,
    allowed: type[T],
    /,
    *,
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> T: ...
@overload
def awaited(
    peer: Peer,
    call: Call | Message,
    /,
    *allowed: type[Outcome],
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> Outcome: ...
def awaited(
    peer: Peer,
    call: Call | Message,
    /,
    *allowed: type[Outcome],
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> Outcome:
    """Like `expect`, but the results of a Reply are for the caller to look at."""
    accepted.note(peer, call, allowed, tolerated, statuses, ids_of(breaks))
    expected = sentences((*allowed, *tolerated), call)
    outcome = _answer(peer, call, expected)
    peer.case.expected, peer.case.actual = expected, str(outcome)
    if isinstance(outcome, tolerated):
        reason = f"{outcome} came for {call}; {expected[0]} is recommended."
        peer.case.let_pass(reason, ids_of(breaks), instead=True)
    elif not isinstance(outcome, allowed):
        raise Deviation(
            f"{call.title} was answered wrongly: {outcome}.",
            expected=expected,
            actual=str(outcome),
            breaks=blamed(outcome, call.version, breaks),
            unanswered=answered_xid(outcome) is None,
            marks=marks_of_kind(outcome),
        )
    return outcome


def served(peer: Peer, call: Call, *, breaks: Ids = ()) -> Reply:
    """The call is executed, and its results arrive whole in the places that it offered."""
    answer = awaited(peer, call, Answered, breaks=breaks, statuses=accepted.SERVED)
    return right(peer, call, answer, breaks=breaks)


def right(peer: Peer, call: Call, answer: Answered, *, breaks: Ids = ()) -> Reply:
    """An answer that has come holds the results of the call, whole and in their places."""
    reply = reply_of(call, answer, breaks=breaks)
    wanted = ("a successful reply with the right results",)
    peer.case.expected = wanted
    problem = "" if reply.rpc.succeeded else f"the RPC ended with {reply.rpc.outcome.value}"
    problem = problem or call.request.check(call.unreduced, reply.payload)
    if problem:
        raise Deviation(
            f"{call.request.title} was served wrongly: {problem}.",
            expected=wanted,
            actual=f"{answer}: {problem}",
            breaks=ids_of(breaks),
            marks=marks_of_contents(answer, problem, ended=not reply.rpc.succeeded),
        )
    return reply


def look(peer: Peer, call: Call | Message, outcome: Outcome) -> None:
    """A successful Reply to a Call that went out as it was built has the right results.

    Whatever a case is about, no Reply passes that says that all went well and did not.
    """
    if not isinstance(call, Call) or call.mutations or not isinstance(outcome, Answered):
        return
    breaks = statements((VALID_STREAM,), call.version)
    reply = reply_of(call, outcome, breaks=breaks)
    if reply.rpc.succeeded and not call.request.fails(reply.payload):
        right(peer, call, outcome, breaks=breaks)


def reply_of(call: Call, answer: Answered, *, breaks: Ids = ()) -> Reply:
    """Put a reply's payload together, whatever the RPC's outcome."""
    try:
        payload = call.reply_payload(answer)
        header, _ = rpc.decode_reply(payload)
    except DecodeError as error:
        raise Deviation(
            f"The reply to {call.request.title} cannot be decoded: {error}.",
            expected=("a reply that its program's XDR describes",),
            actual=str(answer),
            breaks=unreadable(answer, error, call.version, breaks),
            marks=marks_of_contents(answer, f"{error}"),
        ) from error
    except LocalProtocolError as error:
        # The binding matches replies with calls; what it does not match answers another one.
        raise Deviation(
            f"The RPC message of the reply to {call.request.title} is not its answer: {error}.",
            expected=("the same XID in the RPC messages of call and reply",),
            actual=str(answer),
            breaks=broken_rule(PAYLOAD_XID, str(error), call.version).ids,
        ) from error
    return Reply(answer, payload, header)


def garbage_args(peer: Peer, call: Call, *, breaks: Ids = ()) -> Reply:
    """The call is refused at RPC level, with GARBAGE_ARGS."""
    answer = awaited(peer, call, Answered, breaks=breaks, statuses=accepted.GARBAGE)
    reply = reply_of(call, answer, breaks=breaks)
    equal(reply.rpc.outcome, rpc.RpcOutcome.GARBAGE_ARGS, "the RPC's status", breaks=breaks)
    return reply


def not_executed(peer: Peer, call: Call | Message, answer: Answered, *, breaks: Ids = ()) -> None:
    """A Reply is a whole RPC error; another one than GARBAGE_ARGS brings a warning (D-40)."""
    layout = statements((LAYOUT,), call.version)
    whole = "an RPC Reply has a whole header"
    that(answer.rpc is not None, whole, actual=str(answer), breaks=layout)
    refused = answer.rpc is not None and not answer.rpc.succeeded
    that(refused, "the Call is not executed", actual=str(answer), breaks=breaks)
    recommend_garbage_args(peer, answer)


def recommend_garbage_args(peer: Peer, answer: Answered) -> None:
    """An RPC error about what cannot be decoded is GARBAGE_ARGS (rfc8166 4.5.2)."""
    garbage = answer.rpc is None or answer.rpc.outcome is rpc.RpcOutcome.GARBAGE_ARGS
    breaks = statements((GARBAGE,), peer.version)
    recommended(peer, garbage, "the status is GARBAGE_ARGS", actual=str(answer), breaks=breaks)


def refused(peer: Peer, message: Message, *, breaks: Ids = ()) -> InvalidOption:
    """An optional message is refused, as one that is not supported (v2 3.1)."""
    return expect(peer, message, InvalidOption, breaks=breaks)


def each(peer: Peer, *wanted: tuple[Call | Message, type[Outcome]], breaks: Ids = ()) -> None:
    """Every call gets an answer of its kind, in whichever order they come.

    An error among them may be the last of the connection (D-155).

    Args:
        peer: where the calls were sent.
        wanted: each call with what must answer it.
        breaks: requirements that any other outcome breaks.
    """
    for call, kind in wanted:
        accepted.note(peer, call, (kind,), breaks=ids_of(breaks))
    waiting = {call.xid: (call, kind) for call, kind in wanted}
    is_refused = False
    while waiting:
        expected = tuple(
            f"{sentences((kind,), call)[0]}, for {call}" for call, kind in waiting.values()
        )
        outcome = peer.receive()
        peer.case.expected, peer.case.actual = expected, str(outcome)
        xid = answered_xid(outcome)
        if isinstance(outcome, Disconnected) and is_refused:
            peer.case.interpretations.append(accepted.MAY_CLOSE)
            return
        is_refused = is_refused or isinstance(outcome, accepted.ERRORS)
        answered = waiting.pop(xid, None) if xid is not None else None
        if answered is None or not isinstance(outcome, answered[1]):
            raise Deviation(
                f"This answers none of the calls as it must: {outcome}.",
                expected=expected,
                actual=str(outcome),
                breaks=blamed(outcome, peer.version, breaks),
                unanswered=xid is None,
                marks=marks_of_kind(outcome),
            )
        look(peer, answered[0], outcome)


def equal(actual: object, expected: object, what: str, *, breaks: Ids = ()) -> None:
    """A value is as the documents have it."""
    if actual != expected:
        came, wanted = in_words(actual), in_words(expected)
        raise Deviation(
            f"{what} is {came}, not {wanted}.",
            expected=(f"{what} is {wanted}",),
            actual=f"{what} is {came}",
            breaks=ids_of(breaks),
        )


def that(condition: object, sentence: str, *, actual: object, breaks: Ids = ()) -> None:
    """Something holds; `sentence` says what, `actual` what was seen instead."""
    if not condition:
        seen = in_words(actual)
        raise Deviation(
            f"{seen}; required: {sentence}.",
            expected=(sentence,),
            actual=seen,
            breaks=ids_of(breaks),
        )


def recommended(
    peer: Peer, condition: object, sentence: str, *, actual: object, breaks: Ids = ()
) -> None:
    """Something should hold; if it does not, the case goes on, with a warning."""
    if not condition:
        peer.case.let_pass(f"{in_words(actual)}; recommended: {sentence}.", ids_of(breaks))


def _answer(peer: Peer, call: Call | Message, expected: tuple[str, ...]) -> Outcome:
    """The next outcome that concerns `call`; errors and replies must say what they answer."""
    outcome = peer.receive()
    peer.case.expected, peer.case.actual = expected, str(outcome)
    for broken in broken_answer_rules(outcome, call.xid, call.version):
        # The first one is enough: who answers another message is not asked in which version.
        raise Deviation(
            f"{call.title} was answered by what is no answer to it: {broken.detail}.",
            expected=expected,
            actual=str(outcome),
            breaks=broken.ids,
            marks=marks_by(outcome, (broken,)),
        )
    return outcome
