"""Mutants of the client: which replies it takes, and what for (rfc8166 4.2.4, 4.3, 4.5, 6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Disconnect, ReplyReceived
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import rpc
from rpcrdma.ulp.rpc import RpcOutcome, decode_reply
from rpcrdma.wire import Procedure, RdmaMsg, RdmaNomsg, chunk_length
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action, ApplicationEvent
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.reply_parsing import Offer
    from rpcrdma.wire import TransportHeader

NOMSG: Final = int(Procedure.RDMA_NOMSG).to_bytes(4)
RPC_HEADER: Final = 24
"""Octets of an accepted reply before its results."""

_NO_LONG_REPLY: Final = dict.fromkeys(
    (
        "rfc8166.3.4.",
        "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
        "rfc8166.4.2.",
        "rfc8166.4.3.",
        "rfc8166.4.7.reply-chunk-encoding",
        "rfc8166.4.header-is-xdr",
        "rfc8166.6.2.",
        "rfc8166.8.1.3.invalidated-when-complete",
    ),
    because.NEEDS_SUCH_A_REPLY,
)
"""The cases that need a Long Reply for something else look at these statements."""


@mutant(
    breaks="rfc8166.4.any-endpoint-sends-msg-and-nomsg",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.",
            "rfc8166.3.5.3.any-item-in-a-long-message",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.2.2.2.reply-retires-the-xid",
            "rfc8166.3.3.1.new-calls-within-lower-value",
            "rfc8166.4.4.1.memory-protected-before-upper-layer-access",
            "rfc8166.4.5.header-checked-before-the-rpc-layer",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.4.header-is-xdr",
            "rfc8166.6.2.",
            "rfc8166.8.2.2.",
        ),
        because.NEEDS_SUCH_A_REPLY,
    ),
)
class DropsLongReplies(Requester):
    """Drops every RDMA_NOMSG."""

    def _judge(self, message: bytes) -> list[Action]:
        if message[12:16] == NOMSG:
            raise FaultFound(Fault.BAD_REPLY_HEADER, "a Long Reply")
        return super()._judge(message)


@mutant(
    breaks="rfc8166.6.1.ineligible-items-in-long-messages",
    also_trips={**_NO_LONG_REPLY, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class RefusesTextsInReplyChunks(Requester):
    """Takes nothing from a Reply chunk for a call that has no eligible results."""

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        super()._judge_lists(offer, body)
        if isinstance(body, RdmaNomsg) and not offer.writes:
            raise FaultFound(Fault.INELIGIBLE_RESULT)


@mutant(
    breaks="rfc8166.4.2.4.nomsg-lists-may-be-absent",
    also_trips={**_NO_LONG_REPLY, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class WantsWriteListsInLongReplies(Requester):
    """Refuses a Long Reply without a Write list."""

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        super()._judge_lists(offer, body)
        if isinstance(body, RdmaNomsg) and not body.rdma_writes:
            raise FaultFound(Fault.RETURNED_CHUNKS)


@mutant(breaks="rfc8166.4.2.4.msg-lists-may-be-absent")
class WaitsForSomeList(Requester):
    """Drops an RDMA_MSG without any list as a reply to a call that offered memory for it."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        call = self._calls.get(header.rdma_xid)
        offered = call is not None and bool(call.writes or call.reply)
        if offered and not body.rdma_writes and body.rdma_reply is None:
            return []
        return super()._take_reply(header, body, payload)


@mutant(
    breaks="rfc8166.4.3.3.small-reply-may-be-inline",
    also_trips={
        "rfc8166.4.4.1.memory-protected-before-upper-layer-access": because.NEEDS_SUCH_A_REPLY
    },
)
class WaitsForTheReplyChunk(Requester):
    """Drops a reply that leaves the Reply chunk unused."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        call = self._calls.get(header.rdma_xid)
        if call is not None and call.reply and isinstance(body, RdmaMsg):
            return []
        return super()._take_reply(header, body, payload)


@mutant(breaks="rfc8166.4.2.1.payload-xid-may-be-ignored")
class HangsUpOverTheInnerXid(Requester):
    """Ends the connection when the XID of the RPC message is another than rdma_xid."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        if payload and int.from_bytes(payload[:4]) != header.rdma_xid:
            return [Disconnect("two XIDs")]
        return super()._take_reply(header, body, payload)


@mutant(breaks="rfc8166.4.5.header-checked-before-the-rpc-layer")
class HandsRepliesOverUnchecked(Requester):
    """Hands a reply over whatever its lists are, but for the count of their chunks."""

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        if len(offer.writes) != len(body.rdma_writes):
            super()._judge_lists(offer, body)


@mutant(
    breaks="rfc8166.4.3.2.2.unconsumed-chunk-may-have-been-written",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.3.first-reply-before-second-call",
            "rfc8166.4.5.bad-reply-header-discarded",
            "rfc8166.6.1.unreduced-result-ends-the-rpc",
        ),
        "what was placed is taken whatever the reply says of it",
    ),
)
class TakesWhatWasWritten(Requester):
    """Takes what stands in a Write chunk for the result, though it came back unused."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        call = self._calls.get(header.rdma_xid)
        used = any(map(chunk_length, body.rdma_writes))
        if call is None or not call.writes or used:
            return super()._take_reply(header, body, payload)
        length = chunk_length(call.offer.writes[0])
        success = rpc.accepted(call.xid, bytes(4) + length.to_bytes(4))
        return super()._take_reply(header, RdmaMsg((), call.offer.writes, None), success)


@mutant(breaks="rfc8166.4.3.2.1.reply-tells-which-chunk-is-which")
class BelievesChunksAndNoReply(Requester):
    """Takes the octets of a Write chunk for the result without reading the reply."""

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        length = sum(map(chunk_length, body.rdma_writes))
        if length and decode_reply(payload)[0].outcome is not RpcOutcome.SUCCESS:
            payload = rpc.accepted(header.rdma_xid, bytes(4) + length.to_bytes(4))
        return super()._take_reply(header, body, payload)


@mutant(breaks="rfc8166.6.1.reduced-ineligible-result-ends-the-rpc")
class TakesChunksForAllResults(Requester):
    """Takes the octets of a Write chunk for all results where nothing follows the RPC header."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        if call.failure is None and call.writes and len(call.inline) == RPC_HEADER:
            results = b"".join(memory.data for chunk in call.writes for memory in chunk)
            return ReplyReceived(call.token, call.inline + results)
        return super()._outcome(call)


@mutant(breaks="rfc8166.6.1.unreduced-result-ends-the-rpc")
class TakesResultsBesideTheirChunk(Requester):
    """Takes a result that comes inline although there is a Write chunk for it."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        unused = not any(memory.data for chunk in call.writes for memory in chunk)
        if call.failure is None and call.writes and unused:
            return ReplyReceived(call.token, call.inline)
        return super()._outcome(call)


@mutant(breaks="rfc8166.3.3.1.replies-in-any-order")
class ComparesHalfOfTheXid(Requester):
    """Takes a reply for that of the call whose XID has the same lower half."""

    def _judge(self, message: bytes) -> list[Action]:
        xid = next((xid for xid in self._calls if xid.to_bytes(4)[2:] == message[2:4]), None)
        if xid is None:
            return super()._judge(message)
        stranger, known = message[:4], xid.to_bytes(4)
        return super()._judge(known + message[4:].replace(stranger, known, 1))
