"""Mutants of the Responder that none but destructive cases can kill.

They stand apart from their like, since a release that is without such cases is without them as well
(`withheld.toml`).

rfc8166 section 3.4.3  RDMA Segments
rfc8166 section 8.1    Memory Protection
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.faults import Fault
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import rpc
from rpcrdma.wire import ReadChunk, WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.wire import FixedWords, ReadSegment, TransportHeader

VALID: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"
PUSHED: Final = "rfc8166.4.3.2.results-pushed-into-write-chunks"


@mutant(
    breaks="rfc8166.3.4.3.segment-length-in-octets",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.4.5.",
            "rfc8166.3.5.2.some-or-all-items-reduced",
            "rfc8166.3.5.3.",
            "rfc8166.8.2.2.",
        ),
        because.LOST_ARGUMENT,
    ),
)
class ReadsWholeWordsOnly(CallRules):
    """Reads the whole words of each segment, and no odd octets after them."""

    def group(self, reads: tuple[ReadSegment, ...]) -> tuple[ReadChunk, ...]:
        return tuple(
            replace(
                chunk,
                target=tuple(
                    msgspec.structs.replace(segment, length=segment.length & ~3)
                    for segment in chunk.target
                ),
            )
            for chunk in super().group(reads)
        )


@mutant(breaks="rfc8166.3.4.3.segment-length-in-octets")
class EndsAChunkAtAnEmptySegment(CallRules):
    """Reads the segments of a Read chunk up to the first that is empty."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        empty = (n for n, segment in enumerate(chunk.target) if not segment.length)
        return ReadChunk(chunk.position, chunk.target[: next(empty, len(chunk.target))])


@mutant(breaks=VALID, also_trips={"rfc8166.3.4.6.": "what is told is less than was written"})
class ReturnsAFullLastSegmentEmpty(ReplyRules):
    """Returns the last segment of a chunk of several as empty if the data just fills it."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        full = len(lengths) > 1 and lengths[-1] == chunk.target[-1].length
        return super().returned(chunk, (*lengths[:-1], 0) if full else lengths)


@mutant(breaks=PUSHED)
class TakesAnEmptyBeginningForAnEmptyChunk(ReplyRules):
    """Returns a result inline whose Write chunk begins with an empty segment."""

    def is_inline(self, chunk: WriteChunk) -> bool:
        return not chunk.target or not chunk.target[0].length


class _Spoiling(ReplyRules):
    """Changes the last octet of results."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if len(payload) > len(rpc.accepted(0)):
            payload = payload[:-1] + bytes((payload[-1] ^ 1,))
        return super().encode_reply(header, payload)


@mutant(
    breaks="rfc8166.8.1.no-new-vulnerabilities",
    also_trips={
        "rfc8166.8.1.4.no-more-data-than-room": "what is served next is wrong, whatever the Call"
    },
)
class DamagesItsDataBehindResultsWithoutRoom(Responder):
    """Has damaged data from when a result had no room in its Write chunk."""

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        if fault is Fault.WRITE_CHUNK_TOO_SHORT:
            self.replies = _Spoiling(self.replies.dialects.values())
        return super()._answer_fault(fault, words)
