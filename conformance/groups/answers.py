"""Checks that a case about groups ends with: requests that are executed.

    reply = answers.served(client, call, breaks=ID)            the right results, by directions
    answers.each_served(client, calls, breaks=ID)              of several, in any order
    answers.garbage(client, call, breaks=ID)                   GARBAGE_ARGS

    rtrext section 7.4  Response Direction DDP Structures
    rtrext section 9.3  Transmit Response Operation

What a response must be whatever was asked is the oracle's
(`conformance.oracle.responder.responses`); `conformance.groups.faults` has what must be refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.groups.receiving import (
    is_continued,
    judge,
    more_than_told,
    received,
    right_kind,
)
from conformance.oracle.marks import marks_of_contents
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    Outcome,
    Silent,
    answered_xid,
)
from conformance.oracle.responder.opened import opened
from conformance.oracle.responder.responses import broken_response_rules
from conformance.oracle.transmissions import GroupAnswered
from conformance.tester.case import Deviation
from conformance.verify import accepted
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire._generated_rtrext import ByExplicitRdma

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.groups.client import GroupClient
    from conformance.groups.request import GroupCall
    from conformance.verify import Ids
    from rpcrdma.wire._generated_rtrext import MessageItem

__all__ = ["GroupReply", "each_served", "garbage", "note_served", "right", "served"]

_UNTOUCHED: Final = "rtrext.7.4.memory-of-a-small-item-is-left-alone"
_UNPARSABLE: Final = "v2.4.2.3.unparsable-arguments-get-garbage-args"
_ROOM: Final = "rtrext.7.4.exrw-direction-is-written-to"


@dataclass(frozen=True, slots=True)
class GroupReply:
    """An answer whose payload has been put together.

    Attributes:
        answer: as it came; None if it came as one of Version Two's own messages.
        payload: unreduced.
    """

    answer: GroupAnswered | None
    payload: bytes

    @property
    def entries(self) -> tuple[MessageItem, ...]:
        """What became of the directions."""
        return () if self.answer is None else self.answer.contents.optxrs_ddp

    @property
    def sends(self) -> int:
        """How many transmissions it has."""
        return 1 if self.answer is None else self.answer.sends


def served(client: GroupClient, call: GroupCall, *, breaks: Ids) -> GroupReply:
    """The request is executed, and its results arrive whole where the directions want them.

    Args:
        client: where it was sent.
        call: that was sent.
        breaks: requirements that any other outcome breaks.
    """
    kinds = note_served(client, call, breaks)
    outcome = received(client.peer, call.message, kinds, breaks)
    return right(client, call, outcome, breaks=breaks)


def each_served(client: GroupClient, calls: Iterable[GroupCall], *, breaks: Ids) -> None:
    """Every request is executed as by `served`, in whichever order the responses come."""
    waiting = {call.xid: call for call in calls}
    kinds = {call.xid: note_served(client, call, breaks) for call in waiting.values()}
    while waiting:
        outcome = client.peer.receive()
        xid = answered_xid(outcome)
        call = waiting[xid] if xid in waiting else next(iter(waiting.values()))
        right_kind(client.peer, call.message, kinds[call.xid], outcome, breaks)
        right(client, call, outcome, breaks=breaks)
        del waiting[call.xid]


def garbage(client: GroupClient, call: GroupCall, *, breaks: Ids) -> None:
    """The request comes to an RPC reply that says that its arguments are garbage.

    Other ways to say so, and to say nothing, are let pass with a warning.
    """
    kinds = _kinds(call)
    or_else = (ErrChunk, Silent, Disconnected)
    peer, ids = client.peer, verify.ids_of(breaks)
    accepted.note(peer, call.message, kinds, or_else, accepted.REFUSED, ids)
    outcome = received(peer, call.message, (*kinds, *or_else), breaks)
    status = None
    if isinstance(outcome, kinds):
        status = _status(_judged(client, call, outcome).payload)
        done = status is None or status is rpc.RpcOutcome.SUCCESS
        verify.that(not done, "the request is refused", actual=str(outcome), breaks=breaks)
    verify.recommended(
        peer,
        status is rpc.RpcOutcome.GARBAGE_ARGS,
        "the RPC's status is GARBAGE_ARGS",
        actual=str(outcome),
        breaks=_UNPARSABLE,
    )


def note_served(client: GroupClient, call: GroupCall, breaks: Ids) -> tuple[type[Outcome], ...]:
    """Note, and return, which kinds of outcome convey the results of a request."""
    kinds = _kinds(call)
    ids = verify.ids_of(breaks)
    accepted.note(client.peer, call.message, kinds, (), accepted.SERVED, ids)
    return kinds


def right(client: GroupClient, call: GroupCall, outcome: Outcome, *, breaks: Ids) -> GroupReply:
    """An outcome of the right kind holds the results of the request."""
    reply = _judged(client, call, outcome)
    status = _status(reply.payload)
    problem = "the reply cannot be decoded"
    if status is rpc.RpcOutcome.SUCCESS:
        problem = call.request.check(call.unreduced, reply.payload)
    elif status is not None:
        problem = f"the RPC ended with {status.value}"
    if problem and is_continued(client.peer, outcome):
        raise more_than_told(outcome)
    if problem:
        raise Deviation(
            f"{call.title} was served wrongly: {problem}.",
            expected=("a successful reply with the right results",),
            actual=f"{outcome}: {problem}",
            breaks=verify.ids_of(breaks),
            marks=marks_of_contents(outcome, problem, ended=status is not rpc.RpcOutcome.SUCCESS),
        )
    _judge_rooms(call, reply)
    return reply


def _kinds(call: GroupCall) -> tuple[type[Outcome], ...]:
    """What may carry the RPC reply to a request (D-116)."""
    return (GroupAnswered,) if call.good.directions else (GroupAnswered, Answered)


def _judged(client: GroupClient, call: GroupCall, outcome: Outcome) -> GroupReply:
    """What a reply carries, once its message has kept the rules."""
    if not isinstance(outcome, GroupAnswered):
        return GroupReply(None, outcome.payload if isinstance(outcome, Answered) else b"")
    state = client.peer.state
    judge(client.peer, outcome, broken_response_rules(outcome, call.good, state))
    return GroupReply(outcome, opened(outcome, state).octets)


def _status(payload: bytes) -> rpc.RpcOutcome | None:
    try:
        return rpc.decode_reply(payload)[0].outcome
    except DecodeError:
        return None


def _judge_rooms(call: GroupCall, reply: GroupReply) -> None:
    """Memory of directions holds what its entries say, and nothing more."""
    for number, (room, entry) in enumerate(zip(call.rooms, reply.entries, strict=False)):
        where = entry.xmdmi_where
        returned = where.xmdl_ex if isinstance(where, ByExplicitRdma) else None
        place = room.overwritten(returned or ())
        verify.that(
            place is None,
            f"the memory of direction {number} holds what its entry says, and nothing more",
            actual=f"{place} was written",
            breaks=_UNTOUCHED if returned is None else _ROOM,
        )
