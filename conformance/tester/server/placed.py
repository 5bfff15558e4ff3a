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
        self._pieces: dict[int, list[tuple[int, bytes]]] = {}

    def add(self, placements: Iterable[ReplyPlacement]) -> None:
        """Note what is written."""
        for one in placements:
            start, end = one.offset, one.offset + len(one.data)
            left = [
                (offset, data)
                for offset, data in self._pieces.get(one.handle, ())
                if offset < start or offset + len(data) > end
            ]
            self._pieces[one.handle] = [*left, (start, one.data)]

    def contents(self, segments: Iterable[RdmaSegment]) -> bytes | None:
        """What is in these segments, joined; None if the tester has not written all of it."""
        parts = [self._within(segment) for segment in segments if segment.length]
        return None if None in parts else b"".join(part for part in parts if part is not None)

    def _within(self, segment: RdmaSegment) -> bytes | None:
        pieces = self._pieces.get(segment.handle, ())
        if sum(len(data) for _, data in pieces) < segment.length:  # which may be any number
            return None
        octets, written = bytearray(segment.length), bytearray(segment.length)
        for offset, data in pieces:
            skipped = max(segment.offset - offset, 0)
            start = max(offset - segment.offset, 0)
            part = data[skipped : skipped + segment.length - start]
            if start < segment.length:
                octets[start : start + len(part)] = part
                written[start : start + len(part)] = b"\1" * len(part)
        return bytes(octets) if 0 not in written else None
