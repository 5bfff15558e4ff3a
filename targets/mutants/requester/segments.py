"""Mutants of the client: coordinates of memory in calls (rfc8166 3.4.3, 3.4.5, 3.5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.wire import TransportHeader

FIRST_WRITE_SEGMENT: Final = 28
"""Where it stands in a header without Read chunks."""

_ELSEWHERE: Final = dict.fromkeys(
    (
        "bidir.1.3.3.both-directions-at-once",
        "rfc8166.2.2.3.requester-opens-the-connection",
        "rfc8166.3.2.one-rpc-message-each",
        "rfc8166.3.3.",
        "rfc8166.3.4.",
        "rfc8166.4.2.",
        "rfc8166.4.3.",
        "rfc8166.4.5.5.rpc-survives-connection-loss",
        "rfc8166.4.7.empty-read-list-encoding",
        "rfc8166.4.header-is-xdr",
        "rfc8166.6.1.",
        "rfc8166.6.2.",
        "rfc8166.8.1.",
        "rfc8166.9.program-numbers-are-unchanged",
    ),
    because.BAD_COORDINATES,
)
"""Acts fail wherever the coordinates are not those of the memory."""


@mutant(
    breaks="rfc8166.3.4.3.segment-handle",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.5.",
            "rfc8166.4.3.1.read-list-groups-by-position",
            "rfc8166.4.7.read-list-encoding",
        ),
        because.BAD_COORDINATES,
    ),
)
class NamesTheFirstHandleAgain(RequestRules):
    """Gives all segments of a Read chunk the handle of the first."""

    def read_segments(
        self, position: int, segments: tuple[RdmaSegment, ...]
    ) -> tuple[ReadSegment, ...]:
        first = segments[0].handle
        same = tuple(msgspec.structs.replace(one, handle=first) for one in segments)
        return super().read_segments(position, same)


@mutant(
    breaks="rfc8166.3.4.3.segment-offset",
    also_trips={**_ELSEWHERE, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class PointsBehindTheStart(RequestRules):
    """Gives as the offset of memory for results that of its second word."""

    def write_list(self, chunks: tuple[WriteChunk, ...]) -> tuple[WriteChunk, ...]:
        return tuple(
            WriteChunk(
                tuple(msgspec.structs.replace(one, offset=one.offset + 4) for one in chunk.target)
            )
            for chunk in chunks
        )


@mutant(
    breaks="rfc8166.3.4.3.segment-length-in-octets",
    also_trips={"rfc8166.6.2.reply-resources-allocated-beforehand": because.BAD_COORDINATES},
)
class OffersMoreThanItRegistered(RequestRules):
    """States for the memory of Long Replies a length four octets greater than was registered."""

    def reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        if chunk is None:
            return None
        last = chunk.target[-1]
        longer = msgspec.structs.replace(last, length=last.length + 4)
        return WriteChunk((*chunk.target[:-1], longer))


@mutant(breaks="rfc8166.3.4.3.header-describes-the-memory")
class NamesTheFirstSegmentAgain(RequestRules):
    """Gives for every segment of a Write chunk the place of the first one."""

    def write_list(self, chunks: tuple[WriteChunk, ...]) -> tuple[WriteChunk, ...]:
        return tuple(
            WriteChunk(
                tuple(
                    msgspec.structs.replace(chunk.target[0], length=one.length)
                    for one in chunk.target
                )
            )
            for chunk in chunks
        )


@mutant(
    breaks="rfc8166.3.4.3.memory-is-the-requesters",
    also_trips={**_ELSEWHERE, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class LeavesMemoryOfResultsToTheServer(RequestRules):
    """Says how long results may be, and leaves it to the server to find memory for them."""

    def write_list(self, chunks: tuple[WriteChunk, ...]) -> tuple[WriteChunk, ...]:
        return tuple(_placeless(chunk) for chunk in chunks)


@mutant(
    breaks="rfc8166.3.5.3.requester-provides-long-message-chunks",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.replies-in-any-order",
            "rfc8166.3.3.3.first-reply-before-second-call",
            "rfc8166.3.4.2.only-eligible-items-are-reduced",
            "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.4.any-endpoint-sends-msg-and-nomsg",
            "rfc8166.4.header-is-xdr",
            "rfc8166.6.2.",
            "rfc8166.8.1.3.invalidated-when-complete",
            "rfc8166.8.2.2.",
        ),
        because.BAD_COORDINATES,
    ),
)
class LeavesMemoryOfRepliesToTheServer(RequestRules):
    """Says how long a Long Reply may be, and leaves it to the server to find memory for it."""

    def reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        return None if chunk is None else _placeless(chunk)


@mutant(
    breaks="rfc8166.3.4.6.write-segments-have-no-position",
    also_trips={"rfc8166.4.header-is-xdr": because.FORM},
)
class PutsPositionsIntoWriteLists(RequestRules):
    """Puts a Position before the first segment of a Write list."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        message = super().encode(header, payload)
        body = header.rdma_body
        if not isinstance(body, RdmaMsg) or body.rdma_reads or not body.rdma_writes:
            return message
        return message[:FIRST_WRITE_SEGMENT] + bytes(4) + message[FIRST_WRITE_SEGMENT:]


@mutant(breaks="rfc8166.3.4.5.position-counts-the-unreduced-stream")
class CountsPositionsFromTheHeader(RequestRules):
    """Counts Positions from the start of the message, transport header included."""

    def position(self, position: int) -> int:
        return position + FIRST_WRITE_SEGMENT if position else 0


@mutant(breaks="rfc8166.3.5.3.long-call-positions-are-zero")
class PutsLongCallsBehindTheXid(RequestRules):
    """Gives the Read chunk of a Long Call the Position of what follows the XID."""

    def position(self, position: int) -> int:
        return position or 4


@mutant(breaks="rfc8166.3.5.3.long-reply-in-the-reply-chunk")
class OffersWriteChunksForLongReplies(RequestRules):
    """Offers the memory for a Long Reply as one more Write chunk."""

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg | RdmaNomsg:
        more = () if reply is None else (reply,)
        return super().body(reads, (*writes, *more), None, is_long=is_long)


def _placeless(chunk: WriteChunk) -> WriteChunk:
    return WriteChunk(tuple(RdmaSegment(0, one.length, 0) for one in chunk.target))
