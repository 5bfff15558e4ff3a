"""Mutants: the Payload stream of a reply, as it stands after the header or in the Reply chunk.

rfc8166 section 2.2.2    Requesters and Responders
rfc8166 section 2.2.4.2  XDR Roundup
rfc8166 section 3.2      Message Framing
rfc8166 section 4.2.1    Transaction ID (XID)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import RdmaSegment, ReadSegment, encode_header
from rpcrdma.wire.rpc import xid_of
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import TransportHeader

BARE = 24
"""Octets of a successful reply without results."""


@mutant(
    breaks="rfc8166.2.2.2.reply-msg-type",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.",
            "bidir.1.5.3.no-rdma-for-backward-transactions",
            "bidir.2.1.",
            "bidir.2.2.",
            "bidir.2.3.",
            "bidir.2.4.",
            "bidir.2.5.call-has-version-one",
            "rfc8166.2.2.4.2.roundup-is-zero-octets",
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
        ),
        because.UNREADABLE_RESULTS,
    ),
)
class SendsRepliesAsCalls(ReplyRules):
    """Sends replies with results under the message type of a Call."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if len(payload) > BARE:
            payload = payload[:4] + bytes(4) + payload[8:]
        return super().encode_reply(header, payload)


@mutant(
    breaks="rfc8166.3.2.one-rpc-message-each",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.",
            "bidir.2.1.receives-posted-before-sends",
            "bidir.2.4.runt-is-dropped",
            "rfc8166.3.3.",
            "rfc8166.3.4.",
            "rfc8166.3.5.",
            "rfc8166.4.2.4.",
            "rfc8166.4.3.1.1.position-tells-where-to-reinsert",
            "rfc8166.4.5.",
            "rfc8166.4.6.2.done-is-discarded",
            "rfc8166.4.7.no-chunks-three-zero-words",
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.6.1.",
            "rfc8166.8.1.no-new-vulnerabilities",
            "rfc8166.4.3.2.1.results-fill-chunks-in-order",
            "rfc8166.4.3.2.3.empty-chunk-result-is-inline",
            "rfc8166.4.3.2.pushed-results-leave-the-stream",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
            "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",
            "rfc8166.8.2.2.",
        ),
        because.UNREADABLE_RESULTS,
    ),
)
class SendsTwoMessagesInOne(ReplyRules):
    """Sends the RPC message of a reply with results a second time after the first."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        twice = payload if len(payload) > BARE else b""
        return super().encode_reply(header, payload + twice)


@mutant(
    breaks="rfc8166.3.2.payload-follows-the-header",
    also_trips=dict.fromkeys(
        (
            "bidir.2.5.call-header-follows-with-the-same-xid",
            "rfc8166.2.2.4.2.roundup-is-zero-octets",
            "rfc8166.3.3.",
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
        ),
        because.UNREADABLE_RESULTS,
    ),
)
class LeavesGapBehindTheHeader(ReplyRules):
    """Leaves a gap of eight octets between the header and a payload with results."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        gap = bytes(8 if len(payload) > BARE else 0)
        return encode_header(header) + gap + payload


@mutant(
    breaks="rfc8166.4.2.1.xid-equals-payload-xid",
)
class ClearsTheTopOfPayloadXids(ReplyRules):
    """Leaves out the highest bit of the XID in the RPC message of a reply."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        first = bytes(octet & 0x7F for octet in payload[:1])
        return super().encode_reply(header, first + payload[1:])


@mutant(
    breaks="rfc8166.4.rpc-layout-is-unchanged",
    also_trips={
        "rfc8166.6.1.reassembly-gives-a-valid-stream": (
            "a refusal cannot be decoded, whatever it was for"
        )
    },
)
class DropsVerifiersOfRefusals(ReplyRules):
    """Leaves the verifier out of accepted replies that are no success."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        accepted = payload[8:12] == bytes(4)
        if accepted and payload[20:24] != bytes(4):
            payload = payload[:12] + payload[20:]
        return super().encode_reply(header, payload)


@mutant(
    breaks="rfc8166.3.1.read-write-model-only",
    also_trips={
        "rfc8166.4.3.1.read-list-empty-in-replies": (
            "a Read list, by which such memory is offered, stands in the reply"
        )
    },
)
class OffersMemoryOfItsOwn(ReplyRules):
    """Offers memory of its own, by a Read list, in replies that return Write chunks."""

    def reply_reads(self, call: IncomingCall) -> tuple[ReadSegment, ...]:
        return (ReadSegment(BARE, RdmaSegment(0x1234, 64, 0x1000)),) if call.writes else ()


@mutant(
    breaks="rfc8166.2.2.4.2.roundup-is-zero-octets",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.replies-in-any-order",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.4.4.4.roundup-leaves-the-stream",
            "rfc8166.3.5.3.reply-reduced-before-measured",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.3.4.6.2.returned-length-is-the-items",
            "rfc8166.3.5.3.any-item-in-a-long-message",
            "rfc8166.8.2.2.",
        ),
        because.UNREADABLE_RESULTS,
    ),
)
class PadsWithOnes(Responder):
    """Fills the padding of eligible results with octets that are not zero."""

    def execute(self, payload: bytes) -> list[bytes]:
        replies = super().execute(payload)
        for item in items(self, payload, replies):
            end = item.position + item.length
            replies = [replies[0][:end] + b"\x01" * item.padding + replies[0][item.end :]]
        return replies


@mutant(
    breaks="rfc8166.2.2.4.2.roundup-does-not-count",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.replies-in-any-order",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.4.4.4.roundup-leaves-the-stream",
            "rfc8166.3.5.3.",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.3.4.6.2.returned-length-is-the-items",
            "rfc8166.3.4.4.1.elements-stay-whole",
            "rfc8166.3.4.4.2.optional-data-moves-to-the-chunk",
            "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
            "rfc8166.8.2.2.",
        ),
        because.UNREADABLE_RESULTS,
    ),
)
class CountsRoundupInTheStream(Responder):
    """Counts the padding of eligible results as part of their length."""

    def execute(self, payload: bytes) -> list[bytes]:
        replies = super().execute(payload)
        for item in items(self, payload, replies):
            count = (item.length + item.padding).to_bytes(4)
            start = item.position - len(count)
            replies = [replies[0][:start] + count + replies[0][item.position :]]
        return replies


def items(responder: Responder, payload: bytes, replies: list[bytes]) -> list[DataItem]:
    """The eligible results of the one reply to a call; none of replies to several calls."""
    if len(replies) != 1 or xid_of(replies[0]) != xid_of(payload):
        return []
    return [item for item in responder.results(payload, replies[0]) if item is not None]
