"""How the Receives of a connection are laid out: by the structure of its buffers.

    rtrext section 7.2  Buffer Structure Definition

A role says how long a Receive is; where its octets land follows from the structure that the peer
has been told.  An end without a structure has Receives of one segment, wherever the fabric likes.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.segments import ReceiveSegment

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.segments import Segments
    from rpcrdma.wire._generated_rtrext import BufferStructure

__all__ = ["ReceiveShape"]

_STRUCTURES: Final = 16
"""Different structures that are in use at one time, at most; more cost time only."""

_LENGTHS: Final = 64
"""Different lengths of Receives of a structure, likewise."""


class ReceiveShape:
    """The layout of all Receives of one connection.

    Args:
        structure: of the buffers; None if they have none.

    Attributes:
        most_segments: of one Receive.
        segments: the segments of a Receive of so many octets: those of the structure as far as
            these go, and one more for what is beyond them.
    """

    def __init__(self, structure: BufferStructure | None) -> None:
        laid_out = () if structure is None else _laid_out(structure)
        self.most_segments = len(laid_out) + 1
        self.segments: Callable[[int], Segments] = lru_cache(_LENGTHS)(partial(_cut, laid_out))

    @staticmethod
    @lru_cache(_STRUCTURES)
    def of(structure: BufferStructure | None) -> ReceiveShape:
        """The shape for a structure: made once, since connections come and go."""
        return ReceiveShape(structure)


def _laid_out(structure: BufferStructure) -> Segments:
    """One segment for each of the structure's, at its alignment: 0 promises nothing (D-102)."""
    found: list[ReceiveSegment] = []
    for group in structure.xmrbuf_groups:
        each = group.xmrgrp_info
        segment = ReceiveSegment(each.xmrseg_length, align=max(1, each.xmrseg_align))
        found += (segment,) * group.xmrgrp_count
    return tuple(found)


def _cut(laid_out: Segments, octets: int) -> Segments:
    """The segments of one Receive."""
    found: list[ReceiveSegment] = []
    left = octets
    for segment in laid_out:
        if not left:
            break
        length = min(segment.length, left)
        found.append(ReceiveSegment(length, align=segment.align))
        left -= length
    if left or not found:
        found.append(ReceiveSegment(left))
    return tuple(found)
