"""Mutants: how Write chunks come back in the reply.

rfc8166 section 3.4.6  Write Chunks
rfc8166 section 4.3.2  Write List
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.wire import RdmaSegment, WriteChunk, chunk_length
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

SEGMENTS = "rfc8166.3.4.6.segments-returned"


# -- how used chunks come back


@mutant(
    breaks="rfc8166.3.4.6.segment-lengths-tell-what-was-written",
    also_trips={"rfc8166.3.4.": because.LENGTHS, "rfc8166.4.3.": because.LENGTHS},
)
class KeepsOfferedLengths(ReplyRules):
    """Returns a Write chunk with the lengths that it had in the call."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        return chunk


@mutant(
    breaks="rfc8166.3.4.6.segment-lengths-tell-what-was-written",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.4.6.segment-count-returned",
            "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.3.4.4.1.elements-stay-whole",
            "rfc8166.8.2.2.",
        ),
        "results of which nothing is said to be written are not found",
    ),
)
class ReturnsLengthsOfZero(ReplyRules):
    """Returns a used Write chunk with all lengths zero."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        return self.unused(chunk)


@mutant(breaks="rfc8166.3.4.6.segment-count-returned")
class DropsUnusedSegments(ReplyRules):
    """Returns only those segments of a Write chunk in which there is something."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        whole = super().returned(chunk, lengths)
        return WriteChunk(tuple(segment for segment in whole.target if segment.length))


@mutant(breaks="rfc8166.3.4.6.segment-count-returned")
class MergesSegments(ReplyRules):
    """Returns a Write chunk as one segment of the length of all."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        first = chunk.target[0]
        return WriteChunk((RdmaSegment(first.handle, sum(lengths), first.offset),))


@mutant(breaks=SEGMENTS)
class AltersHandles(ReplyRules):
    """Returns other handles than those of the call."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        return WriteChunk(
            tuple(
                msgspec.structs.replace(segment, handle=segment.handle ^ 1)
                for segment in super().returned(chunk, lengths).target
            )
        )


@mutant(breaks=SEGMENTS)
class AdvancesOffsets(ReplyRules):
    """Returns each segment with the offset at which the next octet would go."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        return WriteChunk(
            tuple(
                msgspec.structs.replace(segment, offset=segment.offset + segment.length)
                for segment in super().returned(chunk, lengths).target
            )
        )


@mutant(breaks=SEGMENTS)
class ReversesSegments(ReplyRules):
    """Returns the segments of a Write chunk in reverse order."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        return WriteChunk(super().returned(chunk, lengths).target[::-1])


# -- how the list and its unused chunks come back


@mutant(
    breaks="rfc8166.3.4.6.segment-count-returned",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",
            "rfc8166.4.rpc-layout-is-unchanged",
        ),
        because.NOT_TOLD_WHERE,
    ),
)
class OmitsWriteList(ReplyRules):
    """Returns no Write list."""

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        return ()


@mutant(
    breaks="rfc8166.4.3.2.1.results-fill-chunks-in-order",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.6.segment-count-returned",
            "rfc8166.3.4.6.segments-returned",
            "rfc8166.4.3.2.3.empty-chunk-returned-empty",
        ),
        "unused and empty chunks are looked for in their own places",
    ),
)
class ReversesWriteList(ReplyRules):
    """Returns the Write chunks in reverse order."""

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        return tuple(reversed(writes))


@mutant(breaks="rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused")
class DropsUnusedWriteChunks(ReplyRules):
    """Leaves Write chunks without data out of the reply, unless they were offered empty."""

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        return tuple(chunk for chunk in writes if not chunk.target or chunk_length(chunk))


@mutant(
    breaks="rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.6.1.responder-reduces-no-ineligible-result",
            "rfc8166.8.2.2.gss-elements-are-not-reduced",
            "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
            "rfc8166.8.2.2.",
        ),
        "a returned length that is not zero says that a result was reduced",
    ),
)
class ReturnsUnusedChunksAsOffered(ReplyRules):
    """Returns an unused Write chunk with the lengths that it had in the call."""

    def unused(self, chunk: WriteChunk) -> WriteChunk:
        return chunk


@mutant(
    breaks="rfc8166.4.3.2.2.unused-chunk-keeps-its-count",
    also_trips={"rfc8166.3.4.6": "the count of an unused chunk is a segment count like any other"},
)
class EmptiesUnusedChunks(ReplyRules):
    """Returns an unused Write chunk without any segment."""

    def unused(self, chunk: WriteChunk) -> WriteChunk:
        return WriteChunk(())


@mutant(breaks="rfc8166.4.3.2.3.empty-chunk-returned-empty")
class FillsUpEmptyChunks(ReplyRules):
    """Returns an empty Write chunk with one empty segment in it."""

    def unused(self, chunk: WriteChunk) -> WriteChunk:
        return super().unused(chunk) if chunk.target else WriteChunk((RdmaSegment(0, 0, 0),))


@mutant(
    breaks="rfc8166.4.3.2.3.empty-chunk-returned-empty",
    also_trips={"rfc8166.4.3.2.2": "the returned Write list is shorter than that of the call"},
)
class DropsEmptyWriteChunks(ReplyRules):
    """Leaves Write chunks that were offered empty out of the reply."""

    def reply_writes(self, writes: Sequence[WriteChunk]) -> tuple[WriteChunk, ...]:
        return tuple(chunk for chunk in writes if chunk.target)
