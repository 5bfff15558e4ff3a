"""What the tester has placed in a client's memory on one connection, for the oracle to look into.

rfc8166 section 3.4.6  Write Chunks
rfc8166 section 4.3.3  Reply Chunk
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.tester.server.reply import ReplyPlacement
    from rpcrdma.wire import RdmaSegment

__all__ = ["Placed"]


class Placed:
    """The octets of RDMA Writes, by where they went; what came later covers what came before."""

    def __init__(self) -> None:
        self._octets: dict[tuple[int, int], bytes] = {}

    def add(self, placements: Iterable[ReplyPlacement]) -> None:
        """Note what is written."""
        for one in placements:
            self._octets[one.handle, one.offset] = one.data

    def contents(self, segments: Iterable[RdmaSegment]) -> bytes | None:
        """What is in these segments, joined; None if the tester has not written all of it.

        A segment is looked up by where it begins, as the segments of a chunk are written.
        """
        parts = [self._within(segment) for segment in segments if segment.length]
        return None if None in parts else b"".join(part for part in parts if part is not None)

    def _within(self, segment: RdmaSegment) -> bytes | None:
        octets = self._octets.get((segment.handle, segment.offset), b"")
        return octets[: segment.length] if len(octets) >= segment.length else None
