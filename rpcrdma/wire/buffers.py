"""The structure of a receiver's buffers: where in a Send its segments begin and end.

    rtrext section 6.2  Data Placement Preliminaries (the numbers of target segments)
    rtrext section 7.2  Buffer Structure Definition
    rtrext section 8.3  Receive Buffer Structure Property

A Send fills the buffer of the Receive that it meets from its beginning.  So a displacement within
the Send decides into which segment its octets come.  This module neither judges what was told
(D-101) nor knows memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rpcrdma.wire._generated_rtrext import XMRSFLAG_DDP, BufferSegment, BufferSegmentGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.wire._generated_rtrext import BufferStructure

__all__ = ["BufferLayout", "Segment", "SegmentList"]


class Segment(NamedTuple):
    """One segment of a buffer (rtrext 7.2).

    Attributes:
        start: octets of the buffer before it.
        length: in octets.
        align: its address is a multiple of this many octets; 1 promises nothing (D-102).
        is_target: whether bulk data may be placed in it.
    """

    start: int
    length: int
    align: int
    is_target: bool

    @property
    def end(self) -> int:
        """Octets of the buffer up to its end."""
        return self.start + self.length


class _Run(NamedTuple):
    """Segments of one group: the number of the first, that segment, and how many there are."""

    number: int
    first: Segment
    repeats: int

    def segment(self, index: int) -> Segment:
        """The segment at this place of the group."""
        return self.first._replace(start=self.first.start + index * self.first.length)


class SegmentList:
    """Segments of one buffer, numbered from zero in the order of the buffer.

    A peer may tell of 2^32 - 1 segments in one group.  So they are made when they are asked for.
    """

    __slots__ = ("_filled", "_runs", "_total")

    def __init__(self, groups: Iterable[tuple[Segment, int]]) -> None:
        """Take the first segment and the count of each group, in the order of the buffer."""
        runs = []
        number = 0
        for first, count in groups:
            if count:
                runs.append(_Run(number, first, count))
                number += count
        self._total = number
        self._runs = tuple(runs)
        # A segment without octets has a number, but nothing can be found in it.
        self._filled = tuple(run for run in runs if run.first.length)

    def __len__(self) -> int:
        return self._total

    def __iter__(self) -> Iterator[Segment]:
        return (run.segment(index) for run in self._runs for index in range(run.repeats))

    def __getitem__(self, number: int) -> Segment:
        """The segment of that number; raises IndexError if there is none."""
        if not 0 <= number < self._total:
            raise IndexError(f"{number} is none of {self._total} segments")
        run = self._runs[bisect_right(self._runs, number, key=lambda run: run.number) - 1]
        return run.segment(number - run.number)

    def first_from(self, octet: int) -> int | None:
        """The number of the first one with octets that begins at this octet or after it."""
        after = bisect_left(self._filled, octet, key=lambda run: run.first.start)
        if after:
            run = self._filled[after - 1]
            index = -((run.first.start - octet) // run.first.length)
            if index < run.repeats:
                return run.number + index
        return self._filled[after].number if after < len(self._filled) else None

    def last_until(self, octet: int) -> int | None:
        """The number of the last one with octets that ends at this octet or before it."""
        after = bisect_right(self._filled, octet, key=lambda run: run.first.end)
        if not after:
            return None
        run = self._filled[after - 1]
        return run.number + min(run.repeats, (octet - run.first.start) // run.first.length) - 1


@dataclass(frozen=True, slots=True)
class BufferLayout:
    """How one receiver's buffers are laid out, all alike.

    Attributes:
        length: octets of the longest Send that it takes.  The segments can go on after that, and
            those that no Send reaches are numbered as well (rtrext 6.2).
        segments: all of them.
        targets: those that bulk data may be placed in.
    """

    length: int
    segments: SegmentList
    targets: SegmentList

    @staticmethod
    def of(structure: BufferStructure | None, octets: int) -> BufferLayout:
        """The layout that follows from what a receiver told.

        Args:
            structure: of its buffers; None: one segment that is no target (rtrext 8.3).
            octets: its Receive Buffer Size.  The smaller of this and of what the segments have
                together binds a sender (D-101).
        """
        groups = (
            (BufferSegmentGroup(1, BufferSegment(octets, 0, 0)),)
            if structure is None
            else structure.xmrbuf_groups
        )
        firsts = []
        end = 0
        for group in groups:
            info = group.xmrgrp_info
            is_target = bool(info.xmrseg_flags & XMRSFLAG_DDP)
            first = Segment(end, info.xmrseg_length, max(1, info.xmrseg_align), is_target)
            firsts.append((first, group.xmrgrp_count))
            end += group.xmrgrp_count * info.xmrseg_length
        targets = SegmentList((first, count) for first, count in firsts if first.is_target)
        return BufferLayout(min(end, octets), SegmentList(firsts), targets)

    def target(self, number: int) -> tuple[int, Segment]:
        """The number of the Send in its group, and the segment, that a target number stands for.

        Raises:
            IndexError: these buffers have no target segment.
        """
        if not self.targets:
            raise IndexError("the buffers have no target segment")
        send, within = divmod(number, len(self.targets))
        return send, self.targets[within]
