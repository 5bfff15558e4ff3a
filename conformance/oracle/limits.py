"""How many chunks and segments a device claims to bear in one Call; more it may refuse.

rfc8166 section 6.1  DDP-Eligibility (a binding bounds the number of chunks)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.wire import RdmaMsg, RdmaNomsg, chunks_for_results, group_by_position

if TYPE_CHECKING:
    from rpcrdma.wire import Body, ReadChunk, WriteChunk

__all__ = ["UNLIMITED", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Most of each that must be served; None where nothing is claimed.

    Attributes:
        segments: in one chunk.
        read_chunks: beside a Position-Zero Read chunk.
        write_chunks: in the Write list.
    """

    segments: int | None = None
    read_chunks: int | None = None
    write_chunks: int | None = None

    def exceeded(self, body: Body) -> str:
        """What of a Call's body is more than is claimed, in words; empty if nothing is."""
        if not isinstance(body, RdmaMsg | RdmaNomsg):
            return ""
        chunks = group_by_position(body.rdma_reads)
        targets: list[ReadChunk | WriteChunk] = [*chunks, *chunks_for_results(body)]
        counts = (
            (max((len(chunk.target) for chunk in targets), default=0), self.segments, "segments"),
            (sum(chunk.position != 0 for chunk in chunks), self.read_chunks, "Read chunks"),
            (len(body.rdma_writes), self.write_chunks, "Write chunks"),
        )
        over = (
            f"{count} {what}, and it claims {most}"
            for count, most, what in counts
            if most is not None and count > most
        )
        return "; ".join(over)


UNLIMITED: Final = Limits()
"""Of a device that claims nothing: it may refuse nothing for its number."""
