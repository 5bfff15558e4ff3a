"""Mutants: how a client counts, numbers and orders the transmissions of a request (rtrext 4, 9)."""

from __future__ import annotations

from dataclasses import replace
from itertools import dropwhile
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire.operations import ROPT_XMTREQ, UpdProp, XmtCont, XmtReq
from rpcrdma.wire.rpc import MessageType
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import EditedSend, edited_first, edited_later, edited_parts

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import CallRequested, MessageReceived
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall

UNKNOWN: Final = 77
"""An operation that no document defines."""

LONGEST: Final = 4096
"""Octets of the longest Send."""


def _later(part: EditedSend, number: int = 0, length: int = 0) -> EditedSend:
    """A continuation with other numbers, by so much."""
    contents = part.contents
    if not isinstance(contents, XmtCont):
        return part
    changed = (contents.optxc_xnum + number) % 2**32, contents.optxc_pslen + length
    return part.saying(optxc_xnum=changed[0], optxc_pslen=changed[1])


def _first(part: EditedSend, count: int = 0, length: int = 0) -> EditedSend:
    """A first transmission with other numbers, by so much."""
    contents = part.contents
    if not isinstance(contents, XmtReq):
        return part
    changed = contents.optxrq_count + count, contents.optxrq_pslen + length
    return part.saying(optxrq_count=changed[0], optxrq_pslen=changed[1])


def _with_gap(part: EditedSend) -> EditedSend:
    """A Send with a word of nothing after its header, if there is room for it."""
    has_room = len(part.octets) + 4 <= LONGEST
    return replace(part, rest=bytes(4) + part.rest) if has_room else part


# -- counts and numbers


@mutant(breaks="rtrext.9.2.count-of-a-request")
class CountsOneTransmissionTooMany(Requester):
    """Counts one transmission more than it sends."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(super()._sent(call), lambda part: _first(part, count=1))


@mutant(breaks="rtrext.9.4.number-of-a-continuation")
class NumbersContinuationsFromZero(Requester):
    """Gives the first continuation the number 0."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_later(super()._sent(call), lambda part: _later(part, number=-1))


@mutant(breaks="rtrext.4.2.group-is-received-in-order")
class SendsTheLastTransmissionFirst(Requester):
    """Sends the continuations of a request in descending order."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_parts(super()._sent(call), lambda parts: [parts[0], *reversed(parts[1:])])


@mutant(breaks="rtrext.4.2.nothing-in-between")
class UpdatesWithinAGroup(Requester):
    """Sends an announcement between the transmissions of a request."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(parts: list[EditedSend]) -> list[EditedSend]:
            if len(parts) == 1:
                return parts
            update = EditedSend(UNKNOWN, parts[0].credit, MessageType.CALL, UpdProp(()), b"")
            return [parts[0], update, *parts[1:]]

        return edited_parts(super()._sent(call), change)


@mutant(breaks="rtrext.9.4.continuation-has-the-xid")
class ContinuesUnderAnotherXid(Requester):
    """Gives each continuation an XID of its own."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_later(
            super()._sent(call), lambda part: replace(part, xid=part.xid ^ 0x5A000000)
        )


@mutant(breaks="rtrext.9.4.continuations-follow-a-beginning")
class ContinuesWhatIsWhole(Requester):
    """Sends a continuation after a request that is whole."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(parts: list[EditedSend]) -> list[EditedSend]:
            more = XmtCont(len(parts), ROPT_XMTREQ, 0)
            return [*parts, replace(parts[0], contents=more, rest=b"")]

        return edited_parts(super()._sent(call), change)


@mutant(breaks="rtrext.9.4.itype-is-the-first-operation")
class LeavesTheTypeOut(Requester):
    """Leaves optxc_itype at zero."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_later(super()._sent(call), lambda part: part.saying(optxc_itype=0))


# -- codes and structures


@mutant(breaks="rtrext.9.1.code-of-xmtreq")
class BeginsRequestsByOperationOne(Requester):
    """Sends XMTREQ under the code that the constants of the document give it."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(super()._sent(call), lambda part: replace(part, opttype=1))


@mutant(breaks="rtrext.9.1.code-of-xmtcont")
class ContinuesByAnUnknownOperation(Requester):
    """Sends XMTCONT under a code that no document has."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_later(super()._sent(call), lambda part: replace(part, opttype=UNKNOWN))


@mutant(breaks="rtrext.9.1.structure-overlays-the-information")
class PadsTheInformation(Requester):
    """Leaves a word after the structure of an XMTREQ in rdma_optinfo."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(super()._sent(call), lambda part: replace(part, spare=bytes(4)))


# -- payload


@mutant(breaks="rtrext.9.2.payload-begins-after-xmtreq")
class LeavesAGapAfterTheHeader(Requester):
    """Leaves a word between the header of an XMTREQ and the payload."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(super()._sent(call), _with_gap)


@mutant(
    breaks="rtrext.9.4.payload-begins-after-xmtcont",
    also_trips={
        **dict.fromkeys(
            (
                "rtrext.3.3.only-eligible-items-leave-the-stream",
                "rtrext.4.2.",
                "rtrext.4.3.credits-for-the-whole-request",
                "rtrext.5.1.told-operations-are-understood",
                "rtrext.5.4.reply-may-be-sent-otherwise",
                "rtrext.5.peers-without-the-extension-are-served",
                "rtrext.8.4.no-request-beyond-the-limit",
                "rtrext.9.1.",
                "rtrext.9.2.",
                "rtrext.9.4.",
            ),
            "a Call of several transmissions gets no right Reply, whatever is looked at",
        ),
        **dict.fromkeys(
            (
                "rtrext.8.3.size-follows-from-the-structure",
                "xcharext.2.1.zero-length-means-the-default",
            ),
            "a word more makes a full Send too long",
        ),
    },
)
class LeavesAGapAfterAContinuation(Requester):
    """Leaves a word between the header of an XMTCONT and the payload."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(part: EditedSend) -> EditedSend:
            contents = part.contents
            is_bare = isinstance(contents, XmtCont) and contents.optxc_pslen == len(part.rest)
            return _with_gap(part) if is_bare else part

        return edited_later(super()._sent(call), change)


@mutant(breaks="rtrext.9.1.first-transmission-has-payload")
class BeginsWithoutPayload(Requester):
    """Sends the payload of a short request in a continuation."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(parts: list[EditedSend]) -> list[EditedSend]:
            first = parts[0].contents
            is_short = len(parts) == 1 and isinstance(first, XmtReq) and not first.optxrq_ddp
            may_continue = min(self._planner.groups.most(), self.allowance.limit) > 1
            if not isinstance(first, XmtReq) or not (is_short and may_continue):
                return parts
            later = XmtCont(1, ROPT_XMTREQ, first.optxrq_pslen)
            begun = _first(parts[0], count=1, length=-first.optxrq_pslen)
            return [replace(begun, rest=b""), replace(parts[0], contents=later)]

        return edited_parts(super()._sent(call), change)


@mutant(breaks="rtrext.9.1.pslen-of-a-first-transmission")
class SaysToHaveMorePayload(Requester):
    """Says that an XMTREQ has more of the Payload stream than the Send has octets."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_first(super()._sent(call), lambda part: _first(part, length=LONGEST))


@mutant(breaks="rtrext.9.4.pslen-of-a-continuation")
class SaysToContinueWithMore(Requester):
    """Says that an XMTCONT has more of the Payload stream than the Send has octets."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return edited_later(super()._sent(call), lambda part: _later(part, length=LONGEST))


@mutant(breaks="rtrext.9.4.parts-are-the-payload-stream")
class RepeatsAWordWhereItCuts(Requester):
    """Begins the last transmission with the last word of the one before."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        def change(parts: list[EditedSend]) -> list[EditedSend]:
            *before, last = parts
            if not before or len(last.octets) + 4 > LONGEST:
                return parts
            repeated = replace(last, rest=before[-1].rest[-4:] + last.rest)
            return [*before, _later(repeated, length=4)]

        return edited_parts(super()._sent(call), change)


# -- what there must be room for


@mutant(breaks="rtrext.4.3.credits-for-the-whole-request")
class TakesOneCreditForAGroup(Allowance):
    """Counts a request of several transmissions as one Send."""

    def try_take(self, sends: int) -> bool:
        if not super().try_take(1):
            return False
        self.outstanding += sends - 1
        return True


@mutant(breaks="rtrext.4.3.reserved-receives-are-there")
class ReservesNoReceives(Requester):
    """Tells of Receives for later transmissions of a response, and posts none."""

    def _begin(self, event: CallRequested, *, again: bool = False) -> list[Action]:
        actions = super()._begin(event, again=again)
        return [*dropwhile(lambda action: isinstance(action, PostReceive), actions)]


@mutant(breaks="rtrext.4.3.reserved-receives-are-there")
class ReservesReceivesForOneCall(Requester):
    """Posts Receives for later transmissions of a response while no other call has any."""

    def _begin(self, event: CallRequested, *, again: bool = False) -> list[Action]:
        others = any(call.reserved for call in self._calls.values())
        actions = super()._begin(event, again=again)
        if not others:
            return actions
        return [*dropwhile(lambda action: isinstance(action, PostReceive), actions)]


@mutant(breaks="rtrext.8.4.no-request-beyond-the-limit")
class ForgetsTheLimitOfRequests(GroupPlanner):
    """Sends as many transmissions as it likes where the Responder tells of fewer."""

    def most(self) -> int:
        return self.reductions.send_limit


@mutant(breaks="rtrext.8.1.default-of-the-request-limit")
class AssumesALimitOfTwo(GroupPlanner):
    """Takes it that a Responder takes two transmissions if it tells of no limit."""

    def most(self) -> int:
        return max(2, super().most())


@mutant(
    breaks="rtrext.4.3.reserved-receives-are-there",
    also_trips={"rtrext.8.3.receives-are-as-told": "where no Receive is left, no Send is taken"},
)
class PostsOneReceiveForALongResponse(Requester):
    """Posts a single Receive again for a response of several transmissions."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        return super()._receive(event, now)[event.sends - 1 :]


@mutant(breaks="rtrext.4.3.reserved-receives-are-there")
class PostsOneReceiveForABrokenResponse(ClientDuplex):
    """Posts a single Receive again for all Sends of a response that breaks off."""

    def _again(self, sends: int) -> list[Action]:
        return super()._again(min(sends, 1))
