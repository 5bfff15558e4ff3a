"""Mutants: the Reply chunk and Long Replies (rfc8166 sections 3.5.3 and 4.3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.wire import RdmaSegment, WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTHS = "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written"


@mutant(breaks=LENGTHS, also_trips={"rfc8166.6.1.reassembly-gives-a-valid-stream": because.LENGTHS})
class KeepsReplyChunkLengths(ReplyRules):
    """Returns the Reply chunk of a Long Reply with the lengths that it had in the call."""

    def used_reply_chunk(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk | None:
        return chunk


@mutant(breaks=LENGTHS)
class ReturnsUnusedReplyChunkAsOffered(ReplyRules):
    """Returns the Reply chunk beside an inline reply with the lengths that it had in the call."""

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        return chunk


@mutant(
    breaks="rfc8166.3.5.3.large-reply-uses-the-reply-chunk",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.4.2.4.nomsg-has-a-list",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
        ),
        because.NOT_TOLD_WHERE,
    ),
)
class OmitsReplyChunk(ReplyRules):
    """Sends the header of a Long Reply without the Reply chunk."""

    def used_reply_chunk(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk | None:
        return None


@mutant(
    breaks="rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written",
    also_trips={
        "rfc8166.3.4.6.segment-count-returned": (
            "what is in the further segments of the Reply chunk is not found"
        )
    },
)
class MergesReplyChunk(ReplyRules):
    """Returns the Reply chunk as one segment of the length of all."""

    def used_reply_chunk(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk | None:
        first = chunk.target[0]
        return WriteChunk((RdmaSegment(first.handle, sum(lengths), first.offset),))


@mutant(breaks="rfc8166.3.4.6.segments-returned")
class AltersReplyChunkHandles(ReplyRules):
    """Returns other handles in the Reply chunk than those of the call."""

    def used_reply_chunk(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk | None:
        target = tuple(
            msgspec.structs.replace(segment, handle=segment.handle ^ 1, length=length)
            for segment, length in zip(chunk.target, lengths, strict=True)
        )
        return WriteChunk(target)


@mutant(breaks="rfc8166.4.5.3.no-write-past-the-reply-chunk")
class WritesPastTheReplyChunk(ReplyRules):
    """Writes the whole of a reply into the last segment of a Reply chunk that is too short."""

    def reply_chunk_usable(self, chunk: WriteChunk | None, length: int) -> WriteChunk:
        if chunk is None or not chunk.target:
            return super().reply_chunk_usable(chunk, length)
        *others, last = chunk.target
        rest = max(length - sum(segment.length for segment in others), last.length)
        return WriteChunk((*others, msgspec.structs.replace(last, length=rest)))
