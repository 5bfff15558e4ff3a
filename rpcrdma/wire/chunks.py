"""Chunks made of the segments that a header carries, and their arithmetic.

    rfc8166 section 3.4.4.4  roundup of counted arrays
    rfc8166 section 3.4.5    Read Chunks
    rfc8166 section 3.4.6    Write Chunks
    rfc8166 section 4.3.1    Read List

A Read chunk is not an item of the XDR: it is all read segments with one Position.  This module
only groups and adds; it does not judge Positions, lengths or order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rpcrdma.wire._generated_rfc8166 import ReadSegment, WriteChunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.wire._generated_rfc8166 import RdmaMsg, RdmaNomsg, RdmaSegment


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """All read segments with one Position, in the order of the Read list.

    Attributes:
        position: offset in the unreduced Payload stream, in octets; 0: the whole message.
        target: the plain segments.
    """

    position: int
    target: tuple[RdmaSegment, ...]

    @property
    def length(self) -> int:
        """Octets of all segments together."""
        return sum(segment.length for segment in self.target)

    @property
    def segments(self) -> tuple[ReadSegment, ...]:
        """The chunk as the Read list has it."""
        return tuple(ReadSegment(self.position, segment) for segment in self.target)


def group_by_position(reads: Iterable[ReadSegment]) -> tuple[ReadChunk, ...]:
    """The Read chunks of a Read list.

    Chunks come in the order of their first segment, so that a caller sees an unsorted list as it
    is; segments of one Position belong together even when others stand between them.
    """
    groups: dict[int, list[RdmaSegment]] = {}
    for segment in reads:
        groups.setdefault(segment.position, []).append(segment.target)
    return tuple(ReadChunk(position, tuple(target)) for position, target in groups.items())


def chunks_for_results(body: RdmaMsg | RdmaNomsg) -> tuple[WriteChunk, ...]:
    """The chunks of the Write list, and the Reply chunk after them if there is one."""
    return body.rdma_writes if body.rdma_reply is None else (*body.rdma_writes, body.rdma_reply)


def chunk_length(chunk: ReadChunk | WriteChunk) -> int:
    """Octets that the chunk's segments describe together."""
    return sum(segment.length for segment in chunk.target)


def overlap(first: RdmaSegment, second: RdmaSegment) -> int:
    """Octets that both segments name."""
    if first.handle != second.handle:
        return 0
    end = min(first.offset + first.length, second.offset + second.length)
    return max(0, end - max(first.offset, second.offset))


def any_overlap(segments: Iterable[RdmaSegment]) -> bool:
    """Whether two segments name the same octet: what is written to one is lost by the other."""
    used = [segment for segment in segments if segment.length]
    used.sort(key=lambda segment: (segment.handle, segment.offset))
    return any(overlap(first, second) for first, second in pairwise(used))


def roundup_padding(length: int) -> int:
    """Octets from 0 to 3 that fill an opaque item of this length up to a multiple of four."""
    return -length & 3
