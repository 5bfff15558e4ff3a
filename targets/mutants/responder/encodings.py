"""Mutants: how the header of a reply or an error is laid out in words.

    rfc8166 section 4      RPC-over-RDMA in Operation
    rfc8166 section 4.1.2  RPC-over-RDMA Version One XDR
    rfc8166 section 4.7    XDR Examples

Most of them touch replies that return chunks only, so that the suite's own good calls before and
after a case still find the device alive.  Their replies cannot be decoded any more, or say
something else than was meant; so whatever a case with chunks is about, it cannot go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import rpc
from rpcrdma.wire import (
    RdmaDone,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    TransportHeader,
    WriteChunk,
    encode_header,
)
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.faults import Fault
    from rpcrdma.wire import FixedWords

ZERO: Final = bytes(4)
ONE: Final = (1).to_bytes(4)
FIXED: Final = 16
"""Octets of the fixed words."""

READS: Final = 4
"""Octets of an empty Read list."""

BARE: Final = 24
"""Octets of a successful reply without results."""

MISREAD: Final = "lists that mean something else lead to no result, whatever else is looked at"

UNREADABLE: Final = {"rfc8166.4.header-is-xdr": because.UNREADABLE_HEADER}


def write_chunks(header: TransportHeader) -> tuple[WriteChunk, ...]:
    """The Write list of a reply."""
    body = header.rdma_body
    return body.rdma_writes if isinstance(body, RdmaMsg | RdmaNomsg) else ()


def is_long(header: TransportHeader) -> bool:
    """Whether a reply is a Long Reply."""
    return isinstance(header.rdma_body, RdmaNomsg)


def replaced(octets: bytes, start: int, old: bytes, new: bytes) -> bytes:
    """The octets with others from an offset on; as they were if `old` does not stand there."""
    end = start + len(old)
    return octets[:start] + new + octets[end:] if octets[start:end] == old else octets


def segments_of(chunks: Iterable[WriteChunk]) -> list[bytes]:
    """The encoded segments of Write chunks, one after the other."""
    return [
        segment.handle.to_bytes(4) + segment.length.to_bytes(4) + segment.offset.to_bytes(8)
        for chunk in chunks
        for segment in chunk.target
    ]


def with_write_list(header: TransportHeader, payload: bytes, encoded: bytes) -> bytes:
    """The message with its Write list encoded in another way, without the word that ends it."""
    octets = encode_header(header)
    rest = octets[FIXED + READS :]
    length = sum(8 + 16 * len(chunk.target) for chunk in write_chunks(header))
    return octets[: FIXED + READS] + encoded + rest[length:] + payload


# -- the lists


@mutant(
    breaks="rfc8166.4.7.empty-read-list-encoding",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.reply-is-told-by-its-msg-type",
            "rfc8166.3.2.no-other-framing",
            "rfc8166.3.4.",
            "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",
            "rfc8166.8.2.2.",
        ),
        because.UNREADABLE_HEADER,
    ),
)
class DoublesTheEmptyReadList(ReplyRules):
    """Encodes an empty Read list, beside a Write list, as two words of zero."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        extra = ZERO if write_chunks(header) else b""
        return octets[:FIXED] + extra + octets[FIXED:]


@mutant(breaks="rfc8166.4.7.write-chunk-encoding", also_trips=UNREADABLE)
class CountsOctetsOfWriteChunks(ReplyRules):
    """Puts octets in place of segments into the count of a Write chunk."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        encoded = b"".join(
            ONE + (16 * len(chunk.target)).to_bytes(4) + b"".join(segments_of([chunk]))
            for chunk in write_chunks(header)
        )
        return with_write_list(header, payload, encoded)


@mutant(breaks="rfc8166.4.7.write-list-encoding")
class DoesNotEndTheWriteList(ReplyRules):
    """Leaves out the word of zero that ends a Write list with something in it."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        chunks = write_chunks(header)
        end = FIXED + READS + sum(8 + 16 * len(chunk.target) for chunk in chunks)
        return replaced(octets, end, ZERO, b"") if chunks else octets


@mutant(
    breaks="rfc8166.4.7.empty-write-list-encoding",
    also_trips={"rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused": MISREAD},
)
class SendsAnEmptyChunkForNoWriteList(ReplyRules):
    """Encodes the absent Write list of a Long Reply as a list of one empty Write chunk."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        if is_long(header) and not write_chunks(header):
            return replaced(octets, FIXED + READS, ZERO, ONE + ZERO + ZERO)
        return octets


@mutant(breaks="rfc8166.4.7.reply-chunk-encoding")
class OmitsThePresenceOfTheReplyChunk(ReplyRules):
    """Leaves out the word of one before the Reply chunk of a Long Reply."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        if is_long(header) and not write_chunks(header):
            return replaced(octets, FIXED + READS + 4, ONE, b"")
        return octets


@mutant(
    breaks="rfc8166.4.3.3.one-reply-chunk-slot",
    also_trips={"rfc8166.4.2.4.nomsg-is-one": because.UNREADABLE_HEADER},
)
class SendsTheReplyChunkTwice(ReplyRules):
    """Sends the Reply chunk of a Long Reply a second time after the first."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        if is_long(header) and not write_chunks(header):
            return octets + octets[FIXED + READS + 4 :]
        return octets


@mutant(
    breaks="rfc8166.4.3.2.write-list-of-counted-arrays",
    also_trips={"rfc8166.4.3.": because.UNREADABLE_HEADER},
)
class EncodesWriteListsLikeReadLists(ReplyRules):
    """Leads each segment of a Write list by a word of one, and counts none."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        encoded = b"".join(ONE + segment for segment in segments_of(write_chunks(header)))
        return with_write_list(header, payload, encoded)


@mutant(breaks="rfc8166.3.4.6.write-segments-have-no-position", also_trips=UNREADABLE)
class PutsPositionsIntoWriteSegments(ReplyRules):
    """Leads each segment of a Write chunk by a Position."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        encoded = b"".join(
            ONE
            + len(chunk.target).to_bytes(4)
            + b"".join(ZERO + segment for segment in segments_of([chunk]))
            for chunk in write_chunks(header)
        )
        return with_write_list(header, payload, encoded)


@mutant(breaks="rfc8166.4.7.no-chunks-three-zero-words")
class SendsTwoZeroWords(ReplyRules):
    """Ends the header of a reply with results and without chunks after two words of zero."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        bare = octets[FIXED:] == 3 * ZERO and len(payload) > BARE
        return (octets[:-4] if bare else octets) + payload


@mutant(
    breaks="rfc8166.4.3.no-chunks-all-absent",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.3.3.3.one-exchange-of-1024-octets",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.3.3.1024-octets-unless-known",
        ),
        "a Reply chunk comes unasked",
    ),
)
class MarksTheReplyChunkPresent(ReplyRules):
    """Returns an empty Reply chunk where none was offered."""

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        return WriteChunk(()) if chunk is None else super().returned_reply_chunk(chunk)


@mutant(
    breaks="rfc8166.4.2.4.nomsg-has-a-list",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
        ),
        because.NOT_TOLD_WHERE,
    ),
)
class SendsLongRepliesWithoutLists(ReplyRules):
    """Marks all three lists of a Long Reply as absent."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if is_long(header):
            header = msgspec.structs.replace(header, rdma_body=RdmaNomsg((), (), None))
        return super().encode_reply(header, payload)


# -- the fixed words


@mutant(
    breaks="rfc8166.4.2.four-fixed-words",
    also_trips={
        **UNREADABLE,
        "rfc8166.3.3.1.grant-is-never-zero": "the grant is looked for where the procedure is",
    },
)
class SwapsCreditsAndProcedure(ReplyRules):
    """Puts the procedure before the credits in replies with results."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        if len(payload) > BARE:
            octets = octets[:8] + octets[12:16] + octets[8:12] + octets[16:]
        return octets


@mutant(breaks="rfc8166.4.header-is-xdr")
class SendsLittleEndianHeaders(ReplyRules):
    """Sends the words after the XID of a header with chunks with the lowest octet first."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        if write_chunks(header):
            turned = (octets[at : at + 4][::-1] for at in range(4, len(octets), 4))
            octets = octets[:4] + b"".join(turned)
        return octets + payload


@mutant(breaks="rfc8166.4.1.2.header-layout")
class AddsFifthWord(ReplyRules):
    """Sends a fifth word after the fixed words of a header with chunks."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        extra = (7).to_bytes(4) if write_chunks(header) else b""
        return octets[:FIXED] + extra + octets[FIXED:]


@mutant(
    breaks="rfc8166.4.2.4.msg-is-zero",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.4.nomsg-has-a-list",
            "rfc8166.3.2.payload-follows-the-header",
        ),
        "a reply that says to be in chunks is looked for there",
    ),
)
class SendsShortRepliesAsNomsg(ReplyRules):
    """Sends replies with results and without chunks as RDMA_NOMSG, payload and all."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        if octets[FIXED:] == 3 * ZERO and len(payload) > BARE:
            octets = octets[:12] + ONE + octets[16:]
        return octets + payload


@mutant(breaks="rfc8166.4.2.4.msg-payload-follows-the-lists")
class PutsThePayloadBeforeTheLists(ReplyRules):
    """Puts the payload of replies with results between the fixed words and the lists."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        if len(payload) > BARE:
            return octets[:FIXED] + payload + octets[FIXED:]
        return octets + payload


# -- reserved procedures, and that of errors


@mutant(breaks="rfc8166.4.2.4.msgp-is-reserved")
class SendsGarbageArgsAsMsgp(ReplyRules):
    """Sends GARBAGE_ARGS in an RDMA_MSGP."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        body = header.rdma_body
        if isinstance(body, RdmaMsg) and is_garbage(payload):
            aligned = RdmaMsgp(4, 4, body.rdma_reads, body.rdma_writes, body.rdma_reply)
            header = msgspec.structs.replace(header, rdma_body=aligned)
        return super().encode_reply(header, payload)


@mutant(
    breaks="rfc8166.4.5.2.garbage-args-by-rdma-msg",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
            "rfc8166.4.5.2.unparsable-arguments-get-garbage-args",
        ),
        "an RPC error is how these cases look at other things",
    ),
)
class SendsGarbageArgsAsNomsg(ReplyRules):
    """Sends GARBAGE_ARGS in an RDMA_NOMSG, with the payload after it."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode_reply(header, payload)
        return octets[:12] + ONE + octets[16:] if is_garbage(payload) else octets


@mutant(breaks="rfc8166.4.2.4.done-is-reserved")
class SendsDoneBehindErrors(Responder):
    """Sends RDMA_DONE after each error."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        actions = super().send_error(words, fault)
        done = encode_header(TransportHeader(words.xid, 1, 1, RdmaDone()))
        return [*actions, *(Send(one.key, done) for one in actions if isinstance(one, Send))]


@mutant(
    breaks="rfc8166.4.2.4.error-is-four",
    also_trips=dict.fromkeys(
        ("bidir.1.3.4.reply-is-matched-by-xid", "rfc8166.4.header-is-xdr"),
        "a procedure that nobody knows is no error",
    ),
)
class SendsErrorsAsFive(ReplyRules):
    """Puts 5 into the procedure word of an error."""

    def encode_error(self, header: TransportHeader) -> bytes:
        octets = super().encode_error(header)
        return octets[:12] + (5).to_bytes(4) + octets[16:]


def is_garbage(payload: bytes) -> bool:
    """Whether a payload is an accepted reply of status GARBAGE_ARGS."""
    return len(payload) == BARE and payload == rpc.garbage_args(int.from_bytes(payload[:4]))
