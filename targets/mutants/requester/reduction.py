"""Mutants of the client: what it takes out of calls, and leaves (rfc8166 2.2.4.2, 3.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.plan import ReadPlan
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import RdmaMsg, RdmaNomsg
from rpcrdma.wire import _generated_testprog as testprog
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.outgoing import Memory
    from rpcrdma.endpoint.requester.plan import CallPlan, ResultsPlan
    from rpcrdma.wire import ReadSegment, WriteChunk

WORD: Final = 4
ODD: Final = 300_001
LARGE: Final = 65536


@mutant(breaks="rfc8166.2.2.4.2.roundup-is-zero-octets")
class PadsByOnes(RequestRules):
    """Fills the padding at the end of a call without chunks with ones."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        kept = payload.rstrip(b"\0")
        padding = len(payload) - len(kept)
        if padding < WORD:  # more of them are no padding
            payload = kept + bytes(padding).replace(b"\0", b"\1")
        return super().plain_message(payload, behind_xid)


@mutant(breaks="rfc8166.2.2.4.2.roundup-does-not-count")
class CountsPaddingInCalls(RequestRules):
    """Counts the padding in the length of what a call without chunks stores."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        call, start = rpc.decode_call(payload)
        if call.procedure == testprog.TEST_V1.TEST_STORE:
            data = start + WORD
            count = (len(payload) - data).to_bytes(WORD, "big")
            payload = payload[:start] + count + payload[data:]
        return super().plain_message(payload, behind_xid)


@mutant(
    breaks="rfc8166.3.4.5.2.roundup-does-not-change-the-count",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.4.5.",
            "rfc8166.4.3.1.",
            "rfc8166.3.4.6.write-chunk-holds-the-largest-result",
            "rfc8166.6.2.reply-resources-for-the-maximum",
        ),
        "what is counted too much is stored, and fetched",
    ),
)
class CountsPaddingOfReadChunks(CallPlanner):
    """Includes padding in large Read chunks, and counts it in the length of the argument."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if len(payload) <= LARGE:
            return super().choose_form(payload, items, results)
        for item in items:
            count = (item.length + item.padding).to_bytes(WORD, "big")
            payload = payload[: item.position - WORD] + count + payload[item.position :]
        longer = tuple(DataItem(item.position, item.length + item.padding) for item in items)
        return super().choose_form(payload, longer, results)


@mutant(breaks="rfc8166.3.4.3.reduced-item-leaves-the-stream")
class LeavesTheFirstWordBehind(CallPlanner):
    """Leaves the first word of a reduced argument in the Payload stream as well."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.CHUNKED:
            return plan
        place = plan.reads[0].position
        word = payload[place : place + WORD]
        return replace(plan, inline=plan.inline[:place] + word + plan.inline[place:])


@mutant(breaks="rfc8166.3.4.4.1.count-stays-in-the-stream")
class MovesTheCountToo(CallPlanner):
    """Moves the count word of an argument into the Read chunk, in front of its elements."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        counted = tuple(DataItem(item.position - WORD, item.length + WORD) for item in items)
        return super().choose_form(payload, counted, results)


@mutant(
    breaks="rfc8166.3.4.4.1.elements-move-to-the-chunk",
    also_trips={
        "rfc8166.3.4.4.": "one chunk for several items does not show what was left of which"
    },
)
class KeepsTheFirstElements(CallPlanner):
    """Leaves the first eight octets of a reduced argument in the stream, and only there."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        rest = tuple(DataItem(item.position + 8, item.length - 8) for item in items)
        return super().choose_form(payload, rest, results)


@mutant(breaks="rfc8166.3.4.4.4.one-item-in-a-chunk")
class MovesWhatStandsBefore(CallPlanner):
    """Moves the verifier and the count word in one Read chunk with the argument."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        more = tuple(DataItem(item.position - 12, item.length + 12) for item in items)
        return super().choose_form(payload, more, results)


@mutant(breaks="rfc8166.3.4.4.4.roundup-leaves-the-stream")
class LeavesPaddingInTheStream(CallPlanner):
    """Leaves the padding of a reduced argument in the Payload stream."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.CHUNKED:
            return plan
        place, padding = items[0].position, bytes(items[0].padding)
        return replace(plan, inline=plan.inline[:place] + padding + plan.inline[place:])


@mutant(breaks="rfc8166.3.4.2.only-eligible-items-are-reduced")
class ReducesTexts(CallPlanner):
    """Reduces a long argument that its binding does not name."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if not items and len(payload) > self.threshold:
            _, start = rpc.decode_call(payload)
            length = int.from_bytes(payload[start : start + WORD], "big")
            items = (DataItem(start + WORD, length),)
        return super().choose_form(payload, items, results)


@mutant(breaks="rfc8166.3.4.5.header-advertises-read-chunks")
class HidesReadChunks(RequestRules):
    """Takes arguments out of a call and does not name their memory in its header."""

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg | RdmaNomsg:
        return super().body(reads if is_long else (), writes, reply, is_long=is_long)


@mutant(breaks="rfc8166.3.4.5.unaligned-segments-leave-no-gap")
class FillsUpOddSegments(CallPlanner):
    """Cuts arguments into segments of odd length, and fills each up to a multiple of four."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        return replace(plan, reads=tuple(map(_filled_up, plan.reads)))


@mutant(
    breaks="rfc8166.3.4.5.2.length-with-roundup",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.2.one-rpc-message-each",
            "rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred",
        ),
        "a Long Call is padded likewise, and then two octets too long",
    ),
)
class PadsReadChunksToEight(CallPlanner):
    """Pads Read chunks to a multiple of eight octets."""

    def read_segment(self, octets: bytes) -> Memory:
        return super().read_segment(octets + bytes(-len(octets) % 8))


@mutant(
    breaks="rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.3.both-directions-at-once",
            "rfc8166.2.2.4.2.roundup-is-zero-octets",
            "rfc8166.3.2.one-rpc-message-each",
            "rfc8166.3.3.2.",
            "rfc8166.3.4.",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.4.7.read-list-encoding",
            "rfc8166.4.header-is-xdr",
            "rfc8166.6.1.",
            "rfc8166.8.1.",
            "rfc8166.8.2.2.",
            "rfc8166.9.program-numbers-are-unchanged",
        ),
        "zeros are stored, and a Long Call of zeros is no call",
    ),
)
class ExposesEmptyMemory(CallPlanner):
    """Offers for reading memory into which it has not put anything."""

    def read_segment(self, octets: bytes) -> Memory:
        return super().read_segment(bytes(len(octets)))


def _filled_up(read: ReadPlan) -> ReadPlan:
    """A Read chunk in odd pieces, of which each but the last is followed by zeros."""
    data = b"".join(read.pieces)
    pieces = [data[start : start + ODD] for start in range(0, len(data), ODD)]
    inner = (piece + bytes(-len(piece) % WORD) for piece in pieces[:-1])
    return ReadPlan(read.position, (*inner, pieces[-1]))
