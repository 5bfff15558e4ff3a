"""Mutants of the client: forms of calls, and the chunks that they offer (rfc8166 3.4, 3.5, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.call_planning import CallPlanner
from rpcrdma.endpoint.reduction import ResultsPlan
from rpcrdma.endpoint.request_rules import RequestRules
from rpcrdma.wire import RdmaMsg
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.outgoing import Memory
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.wire import ReadSegment, WriteChunk

FORM = {"rfc8166.": "the same call breaks every rule about its form"}


@mutant(breaks="rfc8166.4.3.1.1.position-is-the-items-offset")
class PointsAtTheEndOfTheFirstWord(RequestRules):
    """Gives as Position the place of the argument's second word."""

    def position(self, position: int) -> int:
        """See `RequestRules`."""
        return position + 4 if position else 0


@mutant(breaks="rfc8166.3.4.5.position-is-a-multiple-of-four")
class CountsPositionsFromOne(RequestRules):
    """Counts the octets of the Payload stream from one."""

    def position(self, position: int) -> int:
        """See `RequestRules`."""
        return position + 1 if position else 0


@mutant(breaks="rfc8166.3.3.2.message-within-inline-threshold")
class SendsLongMessagesInline(CallPlanner):
    """Sends up to 4096 octets inline, though nobody has agreed to it."""

    @property
    def threshold(self) -> int:
        """See `CallPlanner`."""
        return 4096


@mutant(breaks="rfc8166.3.5.3.long-call-in-a-read-chunk", also_trips=FORM)
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
        """See `RequestRules`."""
        return RdmaMsg(reads, writes, reply)


@mutant(breaks="rfc8166.3.4.6.write-chunk-holds-the-largest-result")
class MakesLittleRoomForResults(CallPlanner):
    """Makes each Write chunk four octets smaller than the largest result."""

    def write_room(self, length: int) -> Memory:
        """See `CallPlanner`."""
        return self._room(max(length - 4, 1))


@mutant(breaks="rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit")
class OffersNoReplyChunk(CallPlanner):
    """Never offers a Reply chunk."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        """See `CallPlanner`."""
        return ResultsPlan(super().offer(expectation).writes)


@mutant(breaks="rfc8166.3.5.3.reply-chunk-holds-the-largest-reply")
class MakesLittleRoomForReplies(CallPlanner):
    """Makes the Reply chunk as large as the results, and forgets the header of the RPC message."""

    def reply_room(self, length: int) -> Memory:
        """See `CallPlanner`."""
        return self._room(length - 24)
