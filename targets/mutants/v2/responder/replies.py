"""Mutants: Replies of a Responder in Version Two, and what they look like.

    v2 section 1      Introduction (what goes on as in Version One)
    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 5.1    Responder Does Support RPC-over-RDMA Version Two

Each of them touches messages in Version Two alone.  Where it can be, the answer to NULL is spared,
so that the suite finds the device alive before it comes to what is broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, WriteChunk, chunk_length
from rpcrdma.wire.rpc import MessageType
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall

FIXED: Final = 16
LISTS: Final = 20
"""Where the chunk lists begin, after the direction."""

WRITES: Final = 24
"""Where the Write list begins in a Reply, after an empty Read list."""

BARE: Final = 24
"""Octets of a successful reply without results."""

ZERO: Final = bytes(4)

FIRST: Final = "a device that does not answer NULL in Version Two shows nothing else of it"
RETURNED: Final = "chunks that come back wrong are found whatever else a case is about"
RESULTS: Final = "without its results no call is served, whatever else a case is about"


def is_two(header: TransportHeader) -> bool:
    """Whether a reply is in Version Two."""
    return header.rdma_vers == TWO.number


def has_lists(header: TransportHeader) -> bool:
    """Whether a reply in Version Two returns chunks."""
    body = header.rdma_body
    lists = isinstance(body, RdmaMsg | RdmaNomsg) and (body.rdma_writes or body.rdma_reply)
    return is_two(header) and bool(lists)


def longer(chunk: WriteChunk) -> WriteChunk:
    """A used chunk as if four octets more had been written."""
    first, *rest = chunk.target
    told = msgspec.structs.replace(first, length=first.length + 4)
    return WriteChunk((told, *rest))


@mutant(
    breaks="v2.5.1.answer-is-no-error",
    also_trips=dict.fromkeys(
        (
            "v2.3.1.unsupported-operation-is-answered",
            "v2.4.2.2.errors-count-as-replies",
            "v2.4.2.header-layout",
            "v2.5.1.answer-has-the-same-xid",
            "v2.5.2.threshold-changes-keep-the-connection",
            "v2.5.3.reply-has-the-version-of-its-call",
            "v2.5.granted-calls-are-served",
            "xcharext.1.3.both-ends-take-operations",
            "xcharext.2.1.",
            "xcharext.2.3.operations-carry-no-rpc",
            "xcharext.3.1.",
            "xcharext.3.2.",
            "xcharext.3.change-may-be-rejected",
            "xcharext.3.default-without-information",
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.1.",
            "xcharext.4.2.",
            "xcharext.4.3.",
            "xcharext.4.4.update-tells-what-has-changed",
            "xcharext.4.answers-and-updates-need-connprop",
            "xcharext.4.operation-codes",
            "xcharext.4.who-asks-takes-the-answer",
        ),
        FIRST,
    ),
)
class RefusesTheFirstCallInTwo(Responder):
    """Answers the first call in Version Two on a connection by BAD_HEADER."""

    def _take_payload(self, call: IncomingCall, payload: bytes) -> list[Action]:
        if call.words.version == TWO.number and not vars(self).get("answered"):
            vars(self)["answered"] = True
            raise FaultFound(Fault.UNDECODABLE_HEADER)
        return super()._take_payload(call, payload)


@mutant(
    breaks="v2.5.1.answer-has-the-same-xid",
    also_trips={"v2.5.3.": "a Reply under another XID is none to the call that waits for it"},
)
class RepliesUnderTheNextXidInTwo(ReplyRules):
    """Replies in Version Two under the XID that follows that of the call."""

    def reply_xid(self, call: IncomingCall) -> int:
        return call.xid + (call.words.version == TWO.number)


@mutant(
    breaks="v2.5.1.answer-has-version-two",
    also_trips={"v2.5.3.reply-has-the-version-of-its-call": "every reply is in the wrong version"},
)
class RepliesToTwoInOne(ReplyRules):
    """Replies in version 1 to calls in version 2."""

    def reply_version(self, call: IncomingCall) -> int:
        return 1


@mutant(breaks="v2.5.3.reply-has-the-version-of-its-call")
class RepliesInTheFirstVersion(ReplyRules):
    """Replies in the version of the first call of the connection."""

    def reply_version(self, call: IncomingCall) -> int:
        first: int = vars(self).setdefault("first", call.words.version)
        return first


@mutant(breaks="v2.4.2.header-layout")
class AddsAFifthFixedWord(ReplyRules):
    """Puts a word of zero after the fixed words of a reply with chunks."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        return octets[:FIXED] + ZERO + octets[FIXED:] if has_lists(header) else octets


@mutant(breaks="v2.3.2.chunk-lists-begin-with-the-direction")
class PutsTheDirectionBehindTheLists(ReplyRules):
    """Puts the direction of a reply with chunks after its chunk lists."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        if not has_lists(header):
            return octets
        end = len(octets) - len(payload)
        return octets[:FIXED] + octets[LISTS:end] + octets[FIXED:LISTS] + payload


@mutant(
    breaks="v2.4.2.chunk-lists-as-before",
    also_trips=dict.fromkeys(
        (
            "v2.4.2.1.nomsg-conveys-its-payload-by-chunks",
            "v2.1.",
            "xcharext.2.1.",
            "xcharext.3.1.",
            "xcharext.3.change-may-be-rejected",
            "xcharext.3.default-without-information",
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.1.left-out-is-the-default",
            "xcharext.4.3.",
        ),
        because.UNREADABLE_HEADER,
    ),
)
class CountsTheWriteList(ReplyRules):
    """Puts the number of Write chunks in front of the Write list."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        body = header.rdma_body
        if not has_lists(header) or not isinstance(body, RdmaMsg | RdmaNomsg):
            return octets
        return octets[:WRITES] + len(body.rdma_writes).to_bytes(4) + octets[WRITES:]


@mutant(breaks="v2.4.2.procedure-numbers")
class NumbersNomsgTwo(ReplyRules):
    """Sends RDMA2_NOMSG as procedure 2."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        is_long = is_two(header) and isinstance(header.rdma_body, RdmaNomsg)
        return octets[:12] + (2).to_bytes(4) + octets[FIXED:] if is_long else octets


@mutant(
    breaks="v2.4.2.1.msg-is-followed-by-its-payload",
    also_trips={"v2.4.2.3.rdma-faults-harm-nobody-else": RESULTS},
)
class CutsThePayloadAway(ReplyRules):
    """Sends a reply that has results without anything after its header."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        cut = is_two(header) and len(payload) > BARE
        return super().encode_reply(header, b"" if cut else payload)


@mutant(breaks="v2.4.2.1.nomsg-conveys-its-payload-by-chunks")
class PutsOctetsBehindNomsg(ReplyRules):
    """Puts the beginning of an RPC reply after the header of RDMA2_NOMSG as well."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        is_long = is_two(header) and isinstance(header.rdma_body, RdmaNomsg)
        again = header.rdma_xid.to_bytes(4) + (1).to_bytes(4)
        return super().encode_reply(header, again if is_long else payload)


@mutant(breaks="v2.4.2.2.direction-is-the-msg-type")
class SaysThatRepliesAreCalls(ReplyRules):
    """Sends replies that have results under the direction of a Call."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if is_two(header) and len(payload) > BARE:
            return TWO.encode(header, MessageType.CALL) + payload
        return super().encode_reply(header, payload)


@mutant(breaks="v2.1.payload-xid-equals-rdma-xid")
class SendsPayloadsUnderAnotherXid(ReplyRules):
    """Sends replies that have results with another XID in the RPC message."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if is_two(header) and len(payload) > BARE:
            payload = (header.rdma_xid ^ 1).to_bytes(4) + payload[4:]
        return super().encode_reply(header, payload)


@mutant(
    breaks="v2.1.write-chunks-as-before",
    also_trips={"xcharext.3.2.": RETURNED},
)
class SaysThatMoreWasWritten(ReplyRules):
    """Returns a used Write chunk as holding four octets more than were written."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        body = header.rdma_body
        if is_two(header) and isinstance(body, RdmaMsg | RdmaNomsg):
            writes = [longer(one) if chunk_length(one) else one for one in body.rdma_writes]
            body = type(body)(body.rdma_reads, tuple(writes), body.rdma_reply)
        changed = msgspec.structs.replace(header, rdma_body=body)
        return super().encode_reply(changed, payload)


@mutant(
    breaks="v2.1.reply-chunk-as-before",
    also_trips=dict.fromkeys(
        (
            "xcharext.2.1.",
            "xcharext.3.1.",
            "xcharext.3.2.",
            "xcharext.3.change-may-be-rejected",
            "xcharext.3.default-without-information",
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.1.",
            "xcharext.4.3.",
        ),
        RETURNED,
    ),
)
class SaysThatTheReplyIsLonger(ReplyRules):
    """Returns a used Reply chunk as holding four octets more than were written."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        body = header.rdma_body
        if is_two(header) and isinstance(body, RdmaNomsg) and body.rdma_reply:
            body = RdmaNomsg(body.rdma_reads, body.rdma_writes, longer(body.rdma_reply))
        changed = msgspec.structs.replace(header, rdma_body=body)
        return super().encode_reply(changed, payload)


@mutant(
    breaks="v2.2.1.large-reply-goes-by-rdma",
    also_trips=dict.fromkeys(
        (
            "v2.1.",
            "v2.4.2.header-layout",
            "xcharext.2.1.",
            "xcharext.3.1.",
            "xcharext.3.2.",
            "xcharext.3.change-may-be-rejected",
            "xcharext.3.default-without-information",
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.1.left-out-is-the-default",
            "xcharext.4.3.",
        ),
        RESULTS,
    ),
)
class RefusesLargeReplies(ReplyRules):
    """Answers an error where a reply would go into the Reply chunk."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if is_two(header) and isinstance(header.rdma_body, RdmaNomsg):
            raise FaultFound(Fault.REPLY_CHUNK_MISSING)
        return super().encode_reply(header, payload)


@mutant(
    breaks="v2.1.only-eligible-items-are-reduced",
    also_trips={"v2.1.write-chunks-as-before": RETURNED},
)
class ReducesIneligibleResults(ReplyRules):
    """Takes the end of a result that no binding names for what is in the unused Write chunk."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        body = header.rdma_body
        if is_two(header) and isinstance(body, RdmaMsg) and len(payload) > BARE:
            unused = [one for one in body.rdma_writes if one.target and not chunk_length(one)]
            if unused == list(body.rdma_writes) != []:
                writes = (longer(unused[0]), *unused[1:])
                body = RdmaMsg(body.rdma_reads, writes, body.rdma_reply)
                payload = payload[:-4]
        changed = msgspec.structs.replace(header, rdma_body=body)
        return super().encode_reply(changed, payload)
