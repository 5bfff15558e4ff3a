"""Mutants of the client: how the headers of its calls are laid out in words.

    rfc8166 section 4.1.2  RPC-over-RDMA Version One XDR
    rfc8166 section 4.2    RPC-over-RDMA Header Fields
    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 4.7    XDR Examples

All but those that say otherwise touch calls with chunks only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.wire import RdmaMsg, RdmaNomsg, encode_header
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.responder.encodings import FIXED, ONE, ZERO, replaced, segments_of

if TYPE_CHECKING:
    from rpcrdma.wire import TransportHeader

READ_SEGMENT: Final = 24
"""Octets of a read segment in a list."""

PROCEDURE: Final = slice(12, 16)

BARE: Final = 40
"""Octets of a call without arguments."""


def lists_of(header: TransportHeader) -> RdmaMsg | RdmaNomsg:
    """The body of a call."""
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        raise TypeError(f"{type(body).__name__} is no call")
    return body


def renumbered(octets: bytes, procedure: int) -> bytes:
    """A message under another procedure."""
    return octets[: PROCEDURE.start] + procedure.to_bytes(4) + octets[PROCEDURE.stop :]


def places(header: TransportHeader) -> tuple[int, int, int]:
    """Offsets of Read list, Write list and Reply chunk in an encoded header."""
    body = lists_of(header)
    writes = FIXED + READ_SEGMENT * len(body.rdma_reads) + 4
    reply = writes + sum(8 + 16 * len(chunk.target) for chunk in body.rdma_writes) + 4
    return FIXED, writes, reply


# -- the fixed words


@mutant(breaks="rfc8166.4.1.2.header-layout")
class LeavesPositionsOut(RequestRules):
    """Leaves the Position out of read segments."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        _, writes, _ = places(header)
        starts = range(FIXED, writes - 4, READ_SEGMENT)
        reads = b"".join(octets[at : at + 4] + octets[at + 8 : at + READ_SEGMENT] for at in starts)
        return octets[:FIXED] + reads + octets[writes - 4 :] + payload


@mutant(breaks="rfc8166.4.2.four-fixed-words")
class LeavesTheCreditsOut(RequestRules):
    """Sends three fixed words, without rdma_credit."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return octets[:8] + octets[12:]


@mutant(breaks="rfc8166.4.2.fourth-word-selects-the-body")
class NamesNoProcedure(RequestRules):
    """Puts a number into the fourth word for which there is no body."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        return renumbered(super().encode(header, payload), 0x20)


@mutant(
    breaks="rfc8166.4.2.3.call-carries-requested-credits",
    also_trips={
        "rfc8166.3.3.1.new-calls-within-lower-value": (
            "more calls are in flight than were asked for"
        )
    },
)
class RequestsNoCreditsWithChunks(RequestRules):
    """Leaves rdma_credit at zero."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return octets[:8] + ZERO + octets[12:]


# -- procedures


@mutant(breaks="rfc8166.4.2.4.msg-is-zero")
class NumbersMessagesFromFive(RequestRules):
    """Sends what should be RDMA_MSG under procedure 5."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return renumbered(octets, 5) if octets[PROCEDURE] == ZERO else octets


@mutant(breaks="rfc8166.4.2.4.nomsg-is-one")
class NumbersLongCallsSix(RequestRules):
    """Sends Long Calls under procedure 6."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return renumbered(octets, 6) if octets[PROCEDURE] == ONE else octets


@mutant(breaks="rfc8166.4.2.4.msgp-is-reserved")
class AsksForResultsByMsgp(RequestRules):
    """Sends calls with Write chunks as RDMA_MSGP."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        if not lists_of(header).rdma_writes:
            return octets
        aligned = renumbered(octets, 2)
        return aligned[:FIXED] + (4).to_bytes(4) + (1024).to_bytes(4) + aligned[FIXED:]


@mutant(breaks="rfc8166.4.2.4.done-is-reserved")
class NumbersLongCallsThree(RequestRules):
    """Sends Long Calls under procedure 3, which was that of RDMA_DONE."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return renumbered(octets, 3) if octets[PROCEDURE] == ONE else octets


@mutant(breaks="rfc8166.4.2.4.msg-payload-follows-the-lists")
class PutsCallsBeforeTheLists(RequestRules):
    """Puts the payload between the fixed words and the lists."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        return octets[:FIXED] + payload + octets[FIXED:]


# -- the lists


@mutant(
    breaks="rfc8166.4.3.three-optional-lists",
    also_trips={"rfc8166.3.4.5.position-is-a-multiple-of-four": because.UNREADABLE_CALL},
)
class SwapsReadAndWriteList(RequestRules):
    """Puts the Write list before the Read list."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        reads, writes, reply = places(header)
        lists = octets[writes:reply] + octets[reads:writes]
        return octets[:FIXED] + lists + octets[reply:] + payload


@mutant(breaks="rfc8166.4.3.no-chunks-all-absent")
class MarksAnEmptyReplyChunkPresent(RequestRules):
    """Marks the Reply chunk of calls without arguments as present, though it has no segment."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        marked = ONE + ZERO if len(payload) == BARE else ZERO
        return payload[:4] + behind_xid[:-4] + marked + payload


@mutant(breaks="rfc8166.4.7.no-chunks-three-zero-words")
class CallsWithTwoZeroWords(RequestRules):
    """Ends the header of calls without chunks after two words of zero."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        return payload[:4] + behind_xid[:-4] + payload


@mutant(breaks="rfc8166.4.7.read-list-encoding")
class DoesNotEndTheReadList(RequestRules):
    """Leaves out the word of zero that ends a Read list with something in it."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        _, writes, _ = places(header)
        return octets[: writes - 4] + octets[writes:] if lists_of(header).rdma_reads else octets


@mutant(breaks="rfc8166.4.7.empty-read-list-encoding")
class LeavesTheEmptyReadListOut(RequestRules):
    """Sends nothing at all for an empty Read list."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return octets if lists_of(header).rdma_reads else octets[:FIXED] + octets[FIXED + 4 :]


@mutant(
    breaks="rfc8166.4.7.write-list-encoding",
    also_trips={"rfc8166.4.3.three-optional-lists": because.UNREADABLE_CALL},
)
class LeavesThePresenceOfWriteChunksOut(RequestRules):
    """Leaves out the word of one before a Write chunk."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        _, writes, _ = places(header)
        return replaced(octets, writes, ONE, b"")


@mutant(breaks="rfc8166.4.7.empty-write-list-encoding")
class DoublesTheEmptyWriteList(RequestRules):
    """Encodes an empty Write list as two words of zero."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        _, writes, _ = places(header)
        return octets if lists_of(header).rdma_writes else octets[:writes] + ZERO + octets[writes:]


@mutant(
    breaks="rfc8166.4.7.write-chunk-encoding",
    also_trips={"rfc8166.4.3.three-optional-lists": because.UNREADABLE_CALL},
)
class CountsOctetsOfOfferedChunks(RequestRules):
    """Puts octets in place of segments into the count of a Write chunk."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        _, writes, _ = places(header)
        return replaced(octets, writes, ONE + ONE, ONE + (16).to_bytes(4))


@mutant(breaks="rfc8166.4.3.2.write-list-of-counted-arrays")
class OffersWriteListsLikeReadLists(RequestRules):
    """Leads each segment of a Write list by a word of one, and counts none."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        _, writes, reply = places(header)
        encoded = b"".join(ONE + one for one in segments_of(lists_of(header).rdma_writes))
        return octets[:writes] + encoded + octets[reply - 4 :]


@mutant(breaks="rfc8166.4.7.reply-chunk-encoding")
class LeavesThePresenceOfTheReplyChunkOut(RequestRules):
    """Leaves out the word of one before the Reply chunk."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        _, _, reply = places(header)
        return replaced(octets, reply, ONE, b"")


@mutant(breaks="rfc8166.4.3.3.one-reply-chunk-slot")
class OffersTheReplyChunkTwice(RequestRules):
    """Offers the Reply chunk a second time after the first."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = encode_header(header)
        _, _, reply = places(header)
        second = b"" if lists_of(header).rdma_reply is None else octets[reply:]
        return octets + second + payload
