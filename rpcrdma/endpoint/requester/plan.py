"""Which form a Call takes, what is taken out of its Payload stream, and what it offers.

    rfc8166 section 3.4.1  Reducing an XDR Stream
    rfc8166 section 3.5    Message Size (Short, Chunked and Long Messages)
    rfc8166 section 4.3.3  Reply Chunk

Pure functions: the Requester carries out what they return.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.core.placement import split
from rpcrdma.ulp.bindings import reduce

if TYPE_CHECKING:
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation

__all__ = [
    "ARM_MARGIN",
    "NO_RESULTS",
    "CallPlan",
    "ReadPlan",
    "ResultsPlan",
    "pieces",
    "plan_call",
    "plan_results",
]

READ_SEGMENT: Final = 24
"""Octets that one read segment adds to a header: presence, Position, handle, length, offset."""

CHUNK: Final = 8
"""Octets that a Write or Reply chunk adds, beside its segments, at most: presence and count."""

SEGMENT: Final = 16
"""Octets of a plain segment."""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """Memory to be read by the Responder: one Read chunk.

    Attributes:
        position: of the chunk.
        pieces: contents of each segment.
    """

    position: int
    pieces: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class CallPlan:
    """How a call travels.

    Attributes:
        form: Short, Chunked or Long.
        inline: what follows the header in the Send.
        reads: the Read chunks.
    """

    form: MessageForm
    inline: bytes
    reads: tuple[ReadPlan, ...]


@dataclass(frozen=True, slots=True)
class ResultsPlan:
    """Memory to be offered for the reply: lengths of segments.

    Attributes:
        writes: for each Write chunk; an empty tuple is an empty Write chunk.
        reply: of the Reply chunk; empty: none.
    """

    writes: tuple[tuple[int, ...], ...] = ()
    reply: tuple[int, ...] = ()

    @property
    def header_length(self) -> int:
        """Octets that these chunks add to a header without chunks."""
        segments = sum(map(len, self.writes)) + len(self.reply)
        return CHUNK * len(self.writes) + (4 if self.reply else 0) + SEGMENT * segments


NO_RESULTS: Final = ResultsPlan()
"""What most calls offer."""


def plan_results(
    expectation: ReplyExpectation, room: int, segment: int, inline_up_to: int, *, always: bool
) -> ResultsPlan:
    """Choose the chunks for the reply.

    Args:
        expectation: of the reply.
        room: octets of the reply that travel by Send beside a header without chunks.
        segment: most octets in one segment.
        inline_up_to: results that can be no longer than this come back in the stream, by an empty
            Write chunk, where a longer one makes a Write list necessary.
        always: offer Write chunks even when the reply fits without.
    """
    if expectation.maximum <= room and not (always and expectation.items):
        return NO_RESULTS
    # rfc8166 4.3.2.2: a result may land in the chunk of an earlier one, so each chunk takes the
    # largest of those that can come to it.
    largest = [max(expectation.items[index:]) for index in range(len(expectation.items))]
    writes = tuple(split(length, segment) if length > inline_up_to else () for length in largest)
    if not any(writes):
        writes = ()
    # What an empty chunk asks for inline, or what another arm of a union returns instead of its
    # item, stays in the stream; so nothing is subtracted but items of chunks that have room, the
    # smallest candidate for each.
    certain = sum(
        length + -length % 4
        for length, chunk in zip(expectation.items, writes, strict=False)
        if chunk
    )
    plan = ResultsPlan(writes)
    spared = max(0, certain - ARM_MARGIN)
    if plan.header_length + expectation.maximum - spared <= room:
        return plan
    return ResultsPlan(writes, split(expectation.maximum, segment))


ARM_MARGIN: Final = 64
"""Octets by which a union's arm without an item may exceed the count word of the arm with one."""


def plan_call(
    payload: bytes,
    items: tuple[DataItem, ...],
    results: ResultsPlan,
    room: int,
    segment: int,
    form: MessageForm | None = None,
) -> CallPlan:
    """Choose the form of a call.

    Args:
        payload: the unreduced call.
        items: its DDP-eligible arguments.
        results: what the header carries for the reply.
        room: octets of the call that travel by Send beside a header without chunks.
        segment: most octets in one segment.
        form: what the caller prefers; a larger form is taken where it does not fit.
    """
    room -= results.header_length
    if form in (None, MessageForm.SHORT) and len(payload) <= room:
        return CallPlan(MessageForm.SHORT, payload, ())
    # rfc8166 3.5.3: what is too large is reduced first.
    kept, data = reduce(payload, items)
    reads = tuple(
        ReadPlan(item.position, pieces(octets, segment))
        for item, octets in zip(items, data, strict=True)
        if octets
    )
    used = READ_SEGMENT * sum(len(read.pieces) for read in reads)
    if form is not MessageForm.LONG and len(kept) + used <= room:
        return CallPlan(MessageForm.CHUNKED if reads else MessageForm.SHORT, kept, reads)
    return CallPlan(MessageForm.LONG, b"", (ReadPlan(0, pieces(kept, segment)), *reads))


def pieces(octets: bytes, most: int) -> tuple[bytes, ...]:
    """Octets in the segments of a chunk, of `most` octets each or the rest."""
    return tuple(octets[start : start + most] for start in range(0, len(octets), most))
