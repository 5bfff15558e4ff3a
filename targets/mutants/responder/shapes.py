"""Mutants of the Responder that bear chunks of ordinary shape, and not those of all others.

rfc8166 section 3.4.3  RDMA Segments
rfc8166 section 3.4.4  Chunks
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.wire import ReadChunk, WriteChunk
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Transfer
    from rpcrdma.ulp.bindings import DataItem

REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"
VALID: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"
ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"
PUSHED: Final = "rfc8166.4.3.2.results-pushed-into-write-chunks"

_MOST: Final = 16
_LARGEST: Final = 65535


@mutant(breaks=REJOINED)
class ReadsEachHandleOnce(CallRules):
    """Passes over Read segments whose handle is that of one before them in the chunk."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        first = {segment.handle: segment for segment in reversed(chunk.target)}
        return ReadChunk(
            chunk.position, tuple(one for one in chunk.target if first[one.handle] is one)
        )


@mutant(breaks=REJOINED)
class ReadsSixteenSegments(CallRules):
    """Reads the first sixteen segments of a Read chunk."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        return ReadChunk(chunk.position, chunk.target[:_MOST])


@mutant(breaks=REJOINED, also_trips={"rfc8166.3.4.5.": "an octet of a chunk is not taken"})
class TakesAShortEndForPadding(CallRules):
    """Takes a last segment of less than four octets for padding, and leaves it away."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        short = len(chunk.target) > 1 and chunk.target[-1].length < 4
        return ReadChunk(chunk.position, chunk.target[:-1] if short else chunk.target)


@mutant(
    breaks=ROOM,
    also_trips={"rfc8166.3.4.3.": "the octets between two segments are written, which are in none"},
)
class WritesOneHandleWithoutGaps(ReplyRules):
    """Writes to segments of one handle as if each began where the one before it ends."""

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        target = list(chunk.target[:1])
        for segment in chunk.target[1:]:
            last = target[-1]
            joined = segment.handle == last.handle
            offset = last.offset + last.length if joined else segment.offset
            target.append(msgspec.structs.replace(segment, offset=offset))
        return super().write_schedule(WriteChunk(tuple(target)), lengths)


@mutant(breaks="rfc8166.3.4.3.segment-offset")
class WritesOverTheRoundupOfSegments(ReplyRules):
    """Takes segments of one handle for one if the next begins where the last's roundup ends."""

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        target = list(chunk.target[:1])
        for segment in chunk.target[1:]:
            last = target[-1]
            end = last.offset + last.length
            joined = segment.handle == last.handle and segment.offset == end + -end % 4
            offset = end if joined else segment.offset
            target.append(msgspec.structs.replace(segment, offset=offset))
        return super().write_schedule(WriteChunk(tuple(target)), lengths)


@mutant(
    breaks=VALID,
    also_trips=dict.fromkeys(
        ("rfc8166.3.4.6.", "rfc8166.4.5."), "large results show what the case is about"
    ),
)
class CutsResultsAtSixtyFourKilobytes(ReplyRules):
    """Writes 65535 octets of a result at most, and says that all are written."""

    def data_to_write(self, reply: bytes, item: DataItem) -> bytes:
        return super().data_to_write(reply, item)[:_LARGEST].ljust(item.length, b"\0")


@mutant(breaks=VALID)
class FillsSixteenSegments(ReplyRules):
    """Fills the first sixteen segments of a chunk, and loses what does not fit them."""

    def fill(self, chunk: WriteChunk, length: int) -> tuple[int, ...]:
        lengths = super().fill(chunk, length)
        return (*lengths[:_MOST], *(0 for _ in lengths[_MOST:]))
