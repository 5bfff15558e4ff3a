"""Mutants: optional data, arrays of arrays, and arrays of items.

rfc8166 section 3.4.4  Chunks
rfc8166 section 4.3.2  Write List
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import _generated_testprog as testprog
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import WriteChunk

WORD: Final = 4
V1: Final = testprog.TEST_V1
TWO: Final = 2


def _moved(
    slots: tuple[DataItem | None, ...], before: int, after: int
) -> tuple[DataItem | None, ...]:
    """The same items, of which each begins and ends by so many octets earlier."""
    return tuple(
        None
        if item is None
        else DataItem(item.position - before, max(item.length + before - after, 0))
        for item in slots
    )


@mutant(breaks="rfc8166.3.4.4.1.elements-stay-whole")
class CutsTheLastRow(Responder):
    """Leaves the last word of an array of arrays in the stream, without the rest of its array."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        slots = super().results(payload, reply)
        rows = rpc.decode_call(payload)[0].procedure == V1.TEST_FETCH_ROWS
        return _moved(slots, 0, WORD) if rows else slots


@mutant(
    breaks="rfc8166.3.4.4.2.presence-word-stays-in-the-stream",
    also_trips={"rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result": because.LENGTHS},
)
class MovesThePresenceWord(Responder):
    """Moves the word that says that optional data is present into the Write chunk as well."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        slots = super().results(payload, reply)
        optional = rpc.decode_call(payload)[0].procedure == V1.TEST_FETCH_OPTIONAL
        return _moved(slots, WORD, 0) if optional else slots


@mutant(
    breaks="rfc8166.3.4.4.2.optional-data-moves-to-the-chunk",
    also_trips={"rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result": because.LENGTHS},
)
class KeepsTheEndOfOptionalData(Responder):
    """Leaves the last word of optional data in the stream."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        slots = super().results(payload, reply)
        optional = rpc.decode_call(payload)[0].procedure == V1.TEST_FETCH_OPTIONAL
        return _moved(slots, 0, WORD) if optional else slots


@mutant(breaks="rfc8166.4.3.2.1.results-fill-chunks-in-order")
class FillsTwoWriteChunksAtMost(ReplyRules):
    """Leaves inline whatever would go into a third Write chunk."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        return tuple(
            item if place < TWO else None for place, item in enumerate(super().match(slots, writes))
        )


@mutant(breaks="rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result")
class PassesOverOneAbsentResultOnly(ReplyRules):
    """Keeps a Write chunk for every result that is absent, but for the first of them."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        kept = list(slots)
        if None in kept:
            kept.remove(None)
        if not any(kept):
            return super().match(slots, writes)
        matched = tuple(kept[: len(writes)])
        return (*matched, *(None for _ in writes[len(matched) :]))


@mutant(breaks="rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream")
class PutsTwoArgumentsBackAtMost(CallRules):
    """Forgets the arguments in the third Read chunk and in those after it."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        kept = (data if place < TWO else bytes(len(data)) for place, data in enumerate(pulled))
        return super().assemble(call, tuple(kept))
