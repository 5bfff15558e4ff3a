"""Mutants of the client: forms of calls, and the chunks that they offer (rfc8166 3.4, 3.5, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.plan import ResultsPlan
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.wire import RdmaMsg, ReadSegment, WriteChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.outgoing import Memory
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.wire import RdmaSegment


@mutant(
    breaks="rfc8166.4.3.1.1.position-is-the-items-offset",
    also_trips={
        "rfc8166.6.1.": "the word before a block is its presence, which is then no boolean"
    },
)
class PointsAtTheEndOfTheFirstWord(RequestRules):
    """Gives as Position the place of the argument's second word."""

    def position(self, position: int) -> int:
        return position + 4 if position else 0


@mutant(breaks="rfc8166.3.4.5.position-is-a-multiple-of-four")
class CountsPositionsFromOne(RequestRules):
    """Counts the octets of the Payload stream from one."""

    def position(self, position: int) -> int:
        return position + 1 if position else 0


@mutant(
    breaks="rfc8166.3.3.2.message-within-inline-threshold",
    also_trips={"rfc8166.3.3.": "nobody has Receives for them"},
)
class SendsLongMessagesInline(CallPlanner):
    """Sends up to 4096 octets inline, though nobody has agreed to it."""

    @property
    def threshold(self) -> int:
        return 4096


@mutant(breaks="rfc8166.3.5.3.long-call-in-a-read-chunk")
class SendsLongCallsAsMsg(RequestRules):
    """Sends a Long Call as RDMA_MSG."""

    def body(
        self,
        reads: tuple[ReadSegment, ...],
        writes: tuple[WriteChunk, ...],
        reply: WriteChunk | None,
        *,
        is_long: bool,
    ) -> RdmaMsg:
        return RdmaMsg(reads, writes, reply)


@mutant(breaks="rfc8166.3.4.6.write-chunk-holds-the-largest-result")
class MakesLittleRoomForResults(CallPlanner):
    """Makes each Write chunk four octets smaller than the largest result."""

    def write_room(self, length: int) -> Memory:
        return self._room(max(length - 4, 1))


@mutant(breaks="rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit")
class OffersNoReplyChunk(CallPlanner):
    """Never offers a Reply chunk."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        return ResultsPlan(super().offer(expectation).writes)


@mutant(breaks="rfc8166.3.5.3.reply-chunk-holds-the-largest-reply")
class MakesLittleRoomForReplies(CallPlanner):
    """Makes the Reply chunk as large as the results, and forgets the header of the RPC message."""

    def reply_room(self, length: int) -> Memory:
        return self._room(length - 24)


@mutant(breaks="rfc8166.3.4.5.same-position-throughout-a-chunk")
class CountsPositionsByTheSegment(RequestRules):
    """Gives each segment of a Read chunk the Position of its own first octet."""

    def read_segments(
        self, position: int, segments: tuple[RdmaSegment, ...]
    ) -> tuple[ReadSegment, ...]:
        reads = []
        for segment in segments:
            reads.append(ReadSegment(position, segment))
            position += segment.length
        return tuple(reads)


@mutant(breaks="rfc8166.3.4.5.2.no-roundup-in-read-chunks")
class PadsReadChunks(CallPlanner):
    """Includes roundup padding in Read chunks."""

    def read_segment(self, octets: bytes) -> Memory:
        return super().read_segment(octets + bytes(-len(octets) % 4))


@mutant(
    breaks="rfc8166.3.4.5.2.length-without-roundup",
    also_trips={"rfc8166.4.rpc-layout-is-unchanged": because.FORM},
)
class CutsReadChunksShort(CallPlanner):
    """Leaves the last word out of Read chunks."""

    def read_segment(self, octets: bytes) -> Memory:
        return super().read_segment(octets[:-4])


@mutant(breaks="rfc8166.3.4.6.2.no-room-for-roundup")
class MakesRoomForPadding(CallPlanner):
    """Makes room for roundup padding in Write chunks."""

    def write_room(self, length: int) -> Memory:
        return super().write_room(length + -length % 4)


@mutant(
    breaks="rfc8166.4.3.2.write-list-empty-without-results",
    also_trips={
        "rfc8166.8.2.2.": because.UNDER_GSS,
        "rfc8166.6.1.binding-limits-chunks": because.FORM,
    },
)
class OffersEmptyChunksBeside(RequestRules):
    """Ends every Write list, also the empty one of a call with chunks, by an empty Write chunk."""

    def write_list(self, chunks: tuple[WriteChunk, ...]) -> tuple[WriteChunk, ...]:
        return (*chunks, WriteChunk(()))


@mutant(breaks="rfc8166.4.3.3.reply-chunk-absent-otherwise")
class OffersReplyChunksAlways(CallPlanner):
    """Offers a Reply chunk with every call."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        return ResultsPlan(super().offer(expectation).writes, (expectation.maximum,))
