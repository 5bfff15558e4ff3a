"""Mutants: the fixed words of a reply, and what form it takes (rfc8166 sections 3.2, 3.5 and 4.2).

Those whose every reply would be useless break only replies that return chunks, so that the suite's
own good calls before and after a case still find the device alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import RdmaWrite, Send
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import RdmaMsg, RdmaNomsg, ReadSegment, encode_header
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import TransportHeader, WriteChunk

THRESHOLD = "rfc8166.3.3.2.message-within-inline-threshold"


@mutant(
    breaks="rfc8166.2.2.2.reply-xid-is-the-calls",
    also_trips={
        "bidir.1.3.4.reply-xid-is-the-calls": (
            "calls with Write chunks are made beside backward calls, too"
        )
    },
)
class MisnumbersReplies(ReplyRules):
    """Sends replies that return Write chunks under the next XID."""

    def reply_xid(self, call: IncomingCall) -> int:
        return call.xid + bool(call.writes)


@mutant(
    breaks="rfc8166.3.2.payload-begins-with-xid",
    also_trips={"rfc8166.4.2.1": "that XID no longer equals the one in the header"},
)
class SwapsPayloadXid(ReplyRules):
    """Reverses the octets of the XID in the payload of replies with results."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if len(payload) > 24:
            payload = payload[3::-1] + payload[4:]
        return super().encode_reply(header, payload)


@mutant(breaks="rfc8166.4.3.1.read-list-empty-in-replies")
class EchoesReadList(ReplyRules):
    """Copies the Read list of the call into the reply."""

    def reply_reads(self, call: IncomingCall) -> tuple[ReadSegment, ...]:
        return tuple(
            ReadSegment(chunk.position, segment)
            for chunk in call.chunks
            for segment in chunk.target
        )


@mutant(
    breaks="rfc8166.3.2.no-other-framing",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.3.3.3.one-exchange-of-1024-octets",
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.3.3.3.1024-octets-unless-known",
        ),
        because.UNREADABLE_RESULTS,
    ),
)
class AddsRecordMark(ReplyRules):
    """Puts a record mark, as on TCP, before the payload of replies with results."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if len(payload) > 24:
            payload = (0x80000000 | len(payload)).to_bytes(4) + payload
        return super().encode_reply(header, payload)


@mutant(
    breaks="rfc8166.3.5.3.long-message-sends-the-header-only",
    also_trips={"rfc8166.4.3.3.one-reply-chunk-slot": "something stands after the Reply chunk"},
)
class SendsLongRepliesInline(ReplyRules):
    """Sends the start of a Long Reply after its header, too."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        return octets + bytes(24) if isinstance(header.rdma_body, RdmaNomsg) else octets


@mutant(
    breaks="rfc8166.4.2.4.nomsg-is-one",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written",
            "rfc8166.4.rpc-layout-is-unchanged",
        ),
        "an RDMA_MSG without payload is no reply, whatever else is looked at",
    ),
)
class SendsLongRepliesAsMsg(ReplyRules):
    """Sends the header of a Long Reply as RDMA_MSG."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        if isinstance(header.rdma_body, RdmaNomsg):
            return octets[:12] + bytes(4) + octets[16:]
        return octets + payload


@mutant(
    breaks="rfc8166.4.2.4.nomsg-lists-hold-the-payload",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.1.2.header-layout",
            "rfc8166.3.2.payload-follows-the-header",
        ),
        "an RDMA_NOMSG has no payload of its own, whatever else is looked at",
    ),
)
class SendsChunkedRepliesAsNomsg(ReplyRules):
    """Sends replies that return Write chunks as RDMA_NOMSG, payload and all."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        if isinstance(header.rdma_body, RdmaMsg) and header.rdma_body.rdma_writes:
            octets = octets[:12] + (1).to_bytes(4) + octets[16:]
        return octets + payload


@mutant(
    breaks=THRESHOLD,
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.2.version-is-one",
            "rfc8166.4.3.2.3.inline-results-may-need-a-long-reply",
            "rfc8166.4.5.",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.4.2.4.nomsg-is-one",
        ),
        because.CAME_INLINE,
    ),
)
class IgnoresThreshold(ReplyRules):
    """Sends replies of any length inline."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return True


@mutant(
    breaks="rfc8166.4.2.4.streams-fit-the-threshold-together",
    also_trips={"rfc8166.3.3.2": "a reply just above the threshold comes inline"},
)
class MeasuresPayloadAlone(ReplyRules):
    """Leaves the header out when it compares a reply with the threshold."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return length <= threshold + 28


@mutant(
    breaks="rfc8166.3.5.3.large-reply-uses-the-reply-chunk",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.",
            "rfc8166.3.3.",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.6.1.responder-reduces-no-ineligible-result",
            "rfc8166.8.2.2.",
        ),
        "a case that uses a Long Reply for something else is refused, too",
    ),
)
class RefusesLongReplies(ReplyRules):
    """Answers ERR_CHUNK where a reply needs the Reply chunk, although it was offered."""

    def reply_chunk_usable(self, chunk: WriteChunk | None, length: int) -> WriteChunk:
        raise FaultFound(Fault.REPLY_CHUNK_MISSING, f"{chunk} for {length} octets")


@mutant(
    breaks="rfc8166.3.5.2.writes-precede-the-reply",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.5.3.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.8.1.1.memory-belongs-to-one-connection",
        ),
        "a reply comes although its results could not be written",
    ),
)
class SendsBeforeItWrites(Responder):
    """Posts the Send of a reply before the Writes of its results."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [send, *writes]


@mutant(breaks="rfc8166.3.5.2.writes-precede-the-reply")
class WritesAgainAfterItReplied(Responder):
    """Writes the results of a reply once more after its Send: the octets do not change."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [*writes, send, *writes]


@mutant(
    breaks="rfc8166.4.3.2.results-pushed-into-write-chunks",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
            "rfc8166.3.4.",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.8.1.1.memory-belongs-to-one-connection",
            "rfc8166.3.5.3.any-item-in-a-long-message",
            "rfc8166.3.5.3.large-reply-uses-the-reply-chunk",
            "rfc8166.3.5.3.long-message-sends-the-header-only",
            "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
            "rfc8166.4.2.4.streams-fit-the-threshold-together",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.6.1.responder-reduces-no-ineligible-result",
            "rfc8166.8.2.2.",
        ),
        because.WRITTEN_ELSEWHERE,
    ),
)
class SkipsWrites(Responder):
    """Sends the reply and makes none of its Writes."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [send]


@mutant(breaks="rfc8166.3.4.3.memory-used-by-responder")
class InvalidatesUnasked(Responder):
    """Invalidates the first handle that it wrote to, by its Send, which nobody asked for."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        handles = [one.transfers[0].handle for one in writes if isinstance(one, RdmaWrite)]
        invalidate = handles[0] if handles else None
        return super().transmit(writes, Send(send.key, send.data, invalidate))
