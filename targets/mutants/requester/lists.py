"""Mutants of the client: what it reduces, and the chunks that it offers (rfc8166 4.3, 6, 8.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Register
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.outgoing import Memory
from rpcrdma.endpoint.requester.plan import NO_RESULTS, ReadPlan, ResultsPlan
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.fabric.base import Access
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.requester.encodings import lists_of

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.plan import CallPlan
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation
    from rpcrdma.wire import TransportHeader

ARGUMENTS: Final = 40
"""Where the arguments of a call begin, whose credential and verifier are empty."""


# -- what is reduced


@mutant(breaks="rfc8166.4.rpc-layout-is-unchanged")
class CallsInRpcVersionThree(RequestRules):
    """Calls with chunks in version 3 of RPC."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        changed = payload[:8] + (3).to_bytes(4) + payload[12:] if payload else payload
        return super().encode(header, changed)


@mutant(breaks="rfc8166.4.2.4.nomsg-has-a-list")
class SendsLongCallsWithoutLists(RequestRules):
    """Marks all three lists of a Long Call as absent."""

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg | RdmaNomsg:
        if is_long:
            return RdmaNomsg((), (), None)
        return super().body(reads, writes, reply, is_long=is_long)


@mutant(breaks="rfc8166.4.2.4.nomsg-lists-hold-the-payload")
class OffersLongCallsForWriting(RequestRules):
    """Puts the memory that holds a Long Call into a Write chunk."""

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg | RdmaNomsg:
        if is_long:
            return RdmaNomsg((), (WriteChunk(tuple(one.target for one in reads)),), reply)
        return super().body(reads, writes, reply, is_long=is_long)


@mutant(
    breaks="rfc8166.4.2.4.streams-fit-the-threshold-together",
    also_trips={
        "rfc8166.3.3.sender-respects-receive-resources": (
            "a message that is too long does not fit a Receive of that length either"
        )
    },
)
class CountsThePayloadAlone(CallPlanner):
    """Does not count the header against the inline threshold."""

    @property
    def threshold(self) -> int:
        return super().threshold + ONE.header


@mutant(breaks="rfc8166.4.3.1.read-list-groups-by-position")
class GivesTheLastSegmentItsOwnPosition(RequestRules):
    """Counts the Position of the last of several segments of a Read chunk from its own octets."""

    def read_segments(
        self, position: int, segments: tuple[RdmaSegment, ...]
    ) -> tuple[ReadSegment, ...]:
        reads = super().read_segments(position, segments)
        if len(reads) < 2:
            return reads
        before = sum(segment.length for segment in segments[:-1])
        return (*reads[:-1], ReadSegment(position + before, segments[-1]))


@mutant(
    breaks="rfc8166.4.3.1.read-chunk-tells-where-arguments-are",
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
        "an act fails whose data are stored with their halves exchanged",
    ),
)
class NamesTheSecondHalfFirst(RequestRules):
    """Names the memory that holds the second half of an argument before that of the first."""

    def read_segments(
        self, position: int, segments: tuple[RdmaSegment, ...]
    ) -> tuple[ReadSegment, ...]:
        if len(segments) > 1 or not position:
            return super().read_segments(position, segments)
        (whole,) = segments
        half = whole.length // 2
        first = RdmaSegment(whole.handle, half, whole.offset)
        second = RdmaSegment(whole.handle, whole.length - half, whole.offset + half)
        return super().read_segments(position, (second, first))


@mutant(
    breaks="rfc8166.4.3.1.listed-arguments-are-reduced",
    also_trips={"rfc8166.6.1.reassembly-gives-a-valid-stream": because.FORM},
)
class LeavesTheFirstWordInTheStream(CallPlanner):
    """Leaves the first word of an argument in the stream, though it is in the Read chunk, too."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.CHUNKED:
            return plan
        start = items[0].position
        inline = plan.inline[:start] + payload[start : start + 4] + plan.inline[start:]
        return replace(plan, inline=inline)


@mutant(breaks="rfc8166.4.3.1.position-zero-chunk-carries-the-call")
class LeavesTheRpcHeaderOut(CallPlanner):
    """Puts nothing but the arguments into a Position-Zero Read chunk."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.LONG:
            return plan
        whole, *others = plan.reads
        return replace(plan, reads=(replace(whole, pieces=(payload[ARGUMENTS:],)), *others))


@mutant(breaks="rfc8166.4.3.1.read-list-empty-without-need")
class ListsSegmentsOfNothing(RequestRules):
    """Ends the Read list of a call that fetches data by a segment of no octets."""

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg | RdmaNomsg:
        if writes:
            nothing = msgspec.structs.replace(writes[0].target[0], length=0)
            reads = (*reads, ReadSegment(ARGUMENTS, nothing))
        return super().body(reads, writes, reply, is_long=is_long)


@mutant(breaks="rfc8166.6.1.ineligible-items-are-not-reduced")
class ReducesTextsOfLongCalls(CallPlanner):
    """Reduces the text of a call that has no eligible argument instead of making it a Long Call."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if items or plan.form is not MessageForm.LONG:
            return plan
        text = ARGUMENTS + 4
        return replace(
            plan,
            form=MessageForm.CHUNKED,
            inline=payload[:text],
            reads=(ReadPlan(text, (payload[text:],)),),
        )


@mutant(breaks="rfc8166.6.1.reassembly-gives-a-valid-stream")
class EndsReducedCallsByZeroes(CallPlanner):
    """Ends the stream of a call with reduced arguments by a word of zero."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        chunked = plan.form is MessageForm.CHUNKED
        return replace(plan, inline=plan.inline + bytes(4)) if chunked else plan


@mutant(breaks="rfc8166.8.2.2.gss-elements-are-not-reduced")
class ReducesVerifiersOfCalls(CallPlanner):
    """Reduces the verifier of a call together with its arguments."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.CHUNKED:
            return plan
        start = ARGUMENTS - 8
        inline = plan.inline[:start] + plan.inline[ARGUMENTS:]
        verifier = ReadPlan(start, (payload[start:ARGUMENTS],))
        return replace(plan, inline=inline, reads=(verifier, *plan.reads))


@mutant(breaks="rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred")
class TransfersPadding(CallPlanner):
    """Ends a Read chunk with the padding of its argument."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.CHUNKED or len(plan.reads) != len(items):
            return plan
        reads = tuple(
            replace(read, pieces=(*read.pieces[:-1], read.pieces[-1] + bytes(item.padding)))
            for read, item in zip(plan.reads, items, strict=True)
        )
        return replace(plan, reads=reads)


@mutant(
    breaks="rfc8166.9.program-numbers-are-unchanged",
    also_trips={"rfc8166.6.1.binding-limits-procedures": because.FORM},
)
class CallsAnotherProgram(RequestRules):
    """Calls, by calls with Read or Write chunks, the program with the next number."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        if payload and lists_of(header).rdma_reply is None:
            number = int.from_bytes(payload[12:16]) + 1
            payload = payload[:12] + number.to_bytes(4) + payload[16:]
        return super().encode(header, payload)


# -- what is offered for the reply


@mutant(
    breaks="rfc8166.4.3.2.1.one-chunk-for-one-result",
    also_trips={"rfc8166.6.1.binding-limits-chunks": "for two results there is one chunk too many"},
)
class OffersSpareWriteChunks(CallPlanner):
    """Offers a second Write chunk for the one result of a call."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        plan = super().offer(expectation)
        return ResultsPlan(plan.writes * 2, plan.reply) if plan.writes else plan


@mutant(breaks="rfc8166.6.1.binding-limits-chunks")
class OffersChunksByTheThousand(CallPlanner):
    """Offers a Write chunk of its own for each 1000 octets or so of a result."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        plan = super().offer(expectation)
        more = min(sum(map(sum, plan.writes)) // 1000, 8)
        return ResultsPlan((*plan.writes, *(((1000,),) * more)), plan.reply)


@mutant(breaks="rfc8166.6.1.binding-limits-procedures")
class OffersWriteChunksForTexts(CallPlanner):
    """Offers a Write chunk beside the Reply chunk of a call without eligible results."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        plan = super().offer(expectation)
        if expectation.items or not plan.reply:
            return plan
        return ResultsPlan(((expectation.maximum,),), plan.reply)


@mutant(
    breaks="rfc8166.4.3.2.1.each-chunk-holds-its-largest-candidate",
    also_trips={"rfc8166.6.2.reply-resources-for-the-maximum": because.FORM},
)
class MakesRoomForHalfTheResult(CallPlanner):
    """Makes each Write chunk half as large as the largest result."""

    def write_room(self, length: int) -> Memory:
        return super().write_room(max(length // 2, 1))


@mutant(
    breaks="rfc8166.4.3.2.2.each-chunk-fits-any-candidate",
    also_trips={"rfc8166.6.2.reply-resources-for-the-maximum": because.FORM},
)
class FitsChunksToThePage(CallPlanner):
    """Makes no segment of a Write chunk larger than 2000 octets."""

    def write_room(self, length: int) -> Memory:
        return super().write_room(min(length, 2000))


@mutant(
    breaks="rfc8166.4.3.2.3.inline-results-may-need-a-long-reply",
    also_trips={"rfc8166.6.2.reply-resources-for-the-maximum": because.FORM},
)
class WantsResultsInlineAnyway(CallPlanner):
    """Wants results of up to 2000 octets inline, and offers no chunk for them."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        inline = bool(expectation.items) and max(expectation.items) <= 2000
        return NO_RESULTS if inline else super().offer(expectation)


@mutant(breaks="rfc8166.6.2.reply-resources-for-the-maximum")
class MakesRoomForHalfTheReply(CallPlanner):
    """Makes the Reply chunk half as large as the largest reply."""

    def reply_room(self, length: int) -> Memory:
        return super().reply_room(length // 2)


@mutant(
    breaks="rfc8166.6.2.reply-resources-allocated-beforehand",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.3.both-directions-at-once",
            "rfc8166.2.2.3.requester-opens-the-connection",
            "rfc8166.3.2.one-rpc-message-each",
            "rfc8166.3.3.",
            "rfc8166.3.4.",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.4.7.empty-read-list-encoding",
            "rfc8166.4.header-is-xdr",
            "rfc8166.6.1.",
            "rfc8166.6.2.reply-resources-for-the-maximum",
            "rfc8166.8.1.",
            "rfc8166.9.program-numbers-are-unchanged",
            "rfc8166.8.2.2.",
        ),
        "whoever writes into such memory loses the connection, and the act fails",
    ),
)
class OffersMemoryBeforeItIsReady(CallPlanner):
    """Offers memory for results that has not been opened to the Responder yet."""

    def write_room(self, length: int) -> Memory:
        key = next(self._keys)
        return Memory(key, Register(key, length, Access.LOCAL_WRITE))
