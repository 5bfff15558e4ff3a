"""Mutants: which results go into which Write chunks, and what is written there.

rfc8166 section 3.4.6  Write Chunks
rfc8166 section 4.3.2  Write List
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.placement import transfers
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Transfer

FILLED_IN_ORDER = "rfc8166.3.4.6.write-chunk-filled-in-order"
NO_MORE = "rfc8166.8.1.4.no-more-data-than-room"


# -- which result goes where


@mutant(
    breaks="rfc8166.4.3.2.results-pushed-into-write-chunks",
    also_trips={**because.STAYS_IN_THE_STREAM, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class ReturnsResultsInline(ReplyRules):
    """Leaves every result in the stream and returns all Write chunks unused."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        return (None,) * len(writes)


@mutant(
    breaks="rfc8166.4.3.2.1.results-fill-chunks-in-order",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.3.4.6.one-result-in-a-write-chunk",
            "rfc8166.4.3.2.3.empty-chunk-result-is-inline",
            "rfc8166.3.4.4.2.",
            "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
        ),
        "the second result, or an unused chunk, is looked for in another place",
    ),
)
class UsesLastChunkOnly(ReplyRules):
    """Uses the last Write chunk for the first result, and the others for none."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        first = next((item for item in slots if item is not None), None)
        return tuple(first if chunk is writes[-1] else None for chunk in writes)


@mutant(
    breaks="rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
    also_trips=dict.fromkeys(("rfc8166.3.4.4.2.",), because.NOT_IN_ITS_CHUNK),
)
class KeepsChunksForAbsentResults(ReplyRules):
    """Counts a union without a result as the owner of a Write chunk."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        matched = tuple(slots[: len(writes)])
        return (*matched, *(None for _ in writes[len(matched) :]))


@mutant(breaks="rfc8166.6.1.responder-reduces-no-ineligible-result")
class ReducesAnyResult(Responder):
    """Puts the largest part of a reply without DDP-eligible results into the Write chunk, too."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        eligible = super().results(payload, reply)
        counted = int.from_bytes(reply[28:32])
        # After the 24 octets of the reply header: status, count word, and so many octets.
        if eligible or not 0 < counted <= len(reply) - 32:
            return eligible
        return (DataItem(32, counted),)


# -- empty Write chunks


@mutant(breaks="rfc8166.4.3.2.3.empty-chunk-result-is-inline")
class FailsOnEmptyWriteChunks(ReplyRules):
    """Takes an empty Write chunk for one that is too short."""

    def is_inline(self, chunk: WriteChunk) -> bool:
        return False


@mutant(breaks="rfc8166.4.3.2.3.empty-chunk-result-is-inline")
class SkipsEmptyWriteChunks(ReplyRules):
    """Uses the next Write chunk for a result whose own is empty."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        items = iter([item for item in slots if item is not None])
        return tuple(next(items, None) if chunk.target else None for chunk in writes)


# -- what is written


@mutant(
    breaks="rfc8166.3.4.6.2.no-roundup-written",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.6.2.returned-length-is-the-items",
            "rfc8166.3.5.3.reply-reduced-before-measured",
        ),
        because.LENGTHS,
    ),
)
class WritesRoundup(ReplyRules):
    """Writes the roundup padding of a result where there is room for it."""

    def data_to_write(self, reply: bytes, item: DataItem) -> bytes:
        return reply[item.position : item.end]


@mutant(
    breaks="rfc8166.3.4.6.2.returned-length-is-the-items",
    also_trips={
        "rfc8166.3.4.6.segment-lengths-tell-what-was-written": because.LENGTHS,
    },
)
class CountsRoundup(ReplyRules):
    """Counts the roundup padding in the returned lengths, although it writes none."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        offered = [segment.length for segment in chunk.target]
        missing = -sum(lengths) % 4
        counted = list(lengths)
        for index, room in enumerate(offered):
            extra = min(missing, room - counted[index])
            counted[index] += extra
            missing -= extra
        return super().returned(chunk, counted)


@mutant(breaks=FILLED_IN_ORDER)
class FillsLastSegmentFirst(ReplyRules):
    """Fills the segments of a chunk from the last one to the first."""

    def fill(self, chunk: WriteChunk, length: int) -> tuple[int, ...]:
        reverse = super().fill(WriteChunk(chunk.target[::-1]), length)
        return reverse[::-1]


@mutant(breaks=FILLED_IN_ORDER)
class HalfFillsSegments(ReplyRules):
    """Leaves room at the end of a segment and goes on in the next one, if that takes the rest."""

    def fill(self, chunk: WriteChunk, length: int) -> tuple[int, ...]:
        lengths = list(super().fill(chunk, length))
        for index in range(len(lengths) - 1):
            spare = chunk.target[index + 1].length - lengths[index + 1]
            moved = min(spare, lengths[index] // 2)
            lengths[index] -= moved
            lengths[index + 1] += moved
        return tuple(lengths)


@mutant(
    breaks=FILLED_IN_ORDER,
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.6.",
            "rfc8166.3.5.3.reply-reduced-before-measured",
            "rfc8166.4.3.2.1.results-fill-chunks-in-order",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
        ),
        "a result or reply in several segments is put together in the wrong order",
    ),
)
class SwapsSegments(ReplyRules):
    """Writes the last octets of a result into the first segment."""

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        return transfers(chunk.target[::-1], lengths[::-1])


@mutant(
    breaks="rfc8166.3.4.3.memory-used-by-responder",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
            "rfc8166.3.4.",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.8.1.4.no-more-data-than-room",
            "rfc8166.3.5.3.any-item-in-a-long-message",
            "rfc8166.3.5.3.large-reply-uses-the-reply-chunk",
            "rfc8166.3.5.3.long-message-sends-the-header-only",
            "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
            "rfc8166.4.2.4.streams-fit-the-threshold-together",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.6.1.responder-reduces-no-ineligible-result",
        ),
        because.WRITTEN_ELSEWHERE,
    ),
)
class WritesAtWrongOffset(ReplyRules):
    """Writes four octets after the offset that the call names."""

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        return tuple(
            msgspec.structs.replace(one, offset=one.offset + 4)
            for one in super().write_schedule(chunk, lengths)
        )


@mutant(breaks=NO_MORE)
class CutsResultsToFit(ReplyRules):
    """Cuts a result that is too long for its Write chunk, and says that this was all."""

    def judge_room(self, chunk: WriteChunk, item: DataItem) -> None:
        pass


@mutant(
    breaks="rfc8166.4.3.2.pushed-results-leave-the-stream",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "rfc8166.3.2.no-other-framing",
            "rfc8166.3.3.1.",
            "rfc8166.3.4.",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.8.2.2.",
        ),
        because.UNDECODABLE_RESULTS,
    ),
)
class KeepsResultsInTheStream(ReplyRules):
    """Sends what it wrote into Write chunks in the stream as well."""

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        return reply


@mutant(
    breaks="rfc8166.3.4.4.4.roundup-leaves-the-stream",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.6.2.returned-length-is-the-items",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.8.2.2.",
        ),
        because.UNDECODABLE_RESULTS,
    ),
)
class KeepsRoundupInTheStream(ReplyRules):
    """Leaves the roundup padding of a reduced result in the stream."""

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        for item in reversed(items):
            reply = reply[: item.position] + reply[item.position + item.length :]
        return reply


@mutant(
    breaks="rfc8166.3.4.4.1.count-stays-in-the-stream",
    also_trips={**because.SPOILT_STREAM, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class TakesCountOut(ReplyRules):
    """Takes the count word of a reduced result out of the stream."""

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        for item in reversed(items):
            reply = reply[: item.position - 4] + reply[item.end :]
        return reply
