"""Mutants of the client: what its messages are, and what stands around calls (rfc8166 3.2, 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import PostReceive, Send
from rpcrdma.endpoint.core.faults import FaultFound
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import ErrChunk, RdmaDone, RdmaError, TransportHeader, encode_header
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall


@mutant(breaks="rfc8166.3.2.no-other-framing")
class MarksRecords(RequestRules):
    """Puts the record mark of RPC over TCP before each call without chunks."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        mark = (len(payload) | 1 << 31).to_bytes(4, "big")
        return payload[:4] + behind_xid + mark + payload


@mutant(breaks="rfc8166.3.2.payload-follows-the-header")
class LeavesGapsBehindHeaders(RequestRules):
    """Leaves eight octets between the header and the call."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        return payload[:4] + behind_xid + bytes(8) + payload


@mutant(breaks="rfc8166.3.2.one-rpc-message-each")
class SendsTwoCallsInOne(RequestRules):
    """Sends every call without chunks twice in one message."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        return payload[:4] + behind_xid + payload + payload


@mutant(breaks="rfc8166.2.2.2.call-msg-type")
class CallsByReplies(RequestRules):
    """Gives calls without chunks the message type of replies."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        return payload[:4] + behind_xid + payload[:4] + (1).to_bytes(4, "big") + payload[8:]


@mutant(breaks="rfc8166.4.6.2.done-is-not-sent")
class SaysDoneAfterCalls(Requester):
    """Says RDMA_DONE when a call that offered memory is over."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        header = TransportHeader(call.xid, 1, self.options.credits, RdmaDone())
        done = Send(next(self._keys), encode_header(header).ljust(28, b"\0"))
        return [*super()._end(call), done] if call.plan is not None else super()._end(call)


@mutant(breaks="rfc8166.4.6.1.msgp-is-not-sent")
class CallsByMsgp(RequestRules):
    """Sends calls with Read chunks as RDMA_MSGP."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        message = super().encode(header, payload)
        if not payload or message[16:20] == bytes(4):
            return message
        alignment = (4).to_bytes(4, "big") + (1024).to_bytes(4, "big")
        return message[:12] + (2).to_bytes(4, "big") + alignment + message[16:]


@mutant(breaks="rfc8166.4.2.4.requester-sends-no-error")
class AnswersBadRepliesByErrors(Requester):
    """Answers by ERR_CHUNK what cannot be a reply."""

    def _receive(self, event: events.MessageReceived, _now: float) -> list[Action]:
        again = PostReceive.of(self.options.thresholds.reply)
        try:
            return [again, *self._judge(event.data)]
        except FaultFound:
            xid = int.from_bytes(event.data[:4], "big")
            header = TransportHeader(xid, 1, self.options.credits, RdmaError(ErrChunk()))
            return [again, Send(next(self._keys), encode_header(header))]
