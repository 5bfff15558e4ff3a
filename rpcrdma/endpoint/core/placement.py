"""Explicit RDMA: which octets move between which segments, and in what order.

    rfc8166 section 3.4.5    Read Chunks (segments join in list order)
    rfc8166 section 3.4.6    Write Chunks (filled contiguously, in array order; lengths returned)
    rfc8166 section 4.3.1    Read List
    rfc8166 section 4.3.3    Reply Chunk

Pure functions from chunks and lengths to schedules; they judge nothing and touch no memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Transfer
from rpcrdma.wire import RdmaSegment, WriteChunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.wire import ReadChunk

__all__ = ["fill_lengths", "pull_schedule", "returned_chunk", "split", "transfers", "unused_chunk"]


def transfers(
    segments: Iterable[RdmaSegment], lengths: Iterable[int], start: int = 0
) -> tuple[Transfer, ...]:
    """The RDMA operations that move consecutive local octets from or to segments.

    Args:
        segments: of the peer, in order.
        lengths: octets to move for each segment; none where it is 0 (D-34).
        start: of the first local octet.
    """
    schedule = []
    for segment, length in zip(segments, lengths, strict=True):
        if length:
            schedule.append(Transfer(start, length, segment.handle, segment.offset))
            start += length
    return tuple(schedule)


def fill_lengths(chunk: WriteChunk, length: int) -> tuple[int, ...]:
    """How many of `length` octets go into each segment: the earlier ones are filled first.

    The chunk must be long enough; what does not fit is left out.
    """
    lengths = []
    for segment in chunk.target:
        part = min(segment.length, length)
        lengths.append(part)
        length -= part
    return tuple(lengths)


def returned_chunk(chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
    """The chunk as a reply returns it: same count, handles and offsets, lengths as written."""
    return WriteChunk(
        tuple(
            RdmaSegment(segment.handle, length, segment.offset)
            for segment, length in zip(chunk.target, lengths, strict=True)
        )
    )


def unused_chunk(chunk: WriteChunk) -> WriteChunk:
    """The chunk as a reply returns it in which nothing was written.

    An empty chunk comes back empty (rfc8166 4.3.2.3).
    """
    return returned_chunk(chunk, (0,) * len(chunk.target))


def split(length: int, most: int) -> tuple[int, ...]:
    """Lengths of the segments into which a chunk is divided, each `most` octets or the rest.

    rfc8166 3.4.4: any boundaries will do.
    """
    whole, rest = divmod(length, most)
    return (most,) * whole + ((rest,) if rest else ())


def pull_schedule(chunks: list[ReadChunk]) -> tuple[int, tuple[Transfer, ...]]:
    """Length and schedule of all chunks of a call, one after the other in local memory."""
    schedule: list[Transfer] = []
    start = 0
    for chunk in chunks:
        lengths = [segment.length for segment in chunk.target]
        schedule += transfers(chunk.target, lengths, start)
        start += chunk.length
    return start, tuple(schedule)
