"""Mutants of the client: memory that stays within reach (rfc8166 sections 4.4.1 and 8.1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Failure
from rpcrdma.endpoint.requester.outgoing import Phase
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import RdmaMsg
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall

PROTECTED: Final = "rfc8166.4.4.1.memory-protected-before-upper-layer-access"
ABNORMAL: Final = "rfc8166.8.1.3.invalidated-after-abnormal-end"


@mutant(
    breaks="rfc8166.4.4.1.memory-protected-before-upper-layer-access",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.4.1.cancelled-rpcs-are-covered-too",
            "rfc8166.8.1.2.no-persistent-registration",
            "rfc8166.8.1.3.invalidated-after-abnormal-end",
        ),
        because.STAYS_REGISTERED,
    ),
)
class LeavesArgumentsExposed(Requester):
    """Does not invalidate the memory of Read chunks."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        for _, group in call.reads:
            for memory in group:
                memory.safe = True
        return super()._end(call)


@mutant(breaks="rfc8166.8.1.3.invalidated-after-abnormal-end")
class LeavesMemoryOfRefusedCallsExposed(Requester):
    """Does not invalidate the memory of a call that an error has ended."""

    def _fail(self, call: OutgoingCall, failure: Failure, detail: str) -> list[Action]:
        if failure is Failure.REFUSED_CHUNKS:
            for memory in call.segments():
                memory.safe = True
        return super()._fail(call, failure, detail)


@mutant(breaks=PROTECTED)
class LeavesUnusedReplyChunksExposed(Requester):
    """Does not invalidate a Reply chunk that its reply left unused."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        if isinstance(call.answer, RdmaMsg):
            for memory in call.reply:
                memory.safe = True
        return super()._end(call)


@mutant(breaks=PROTECTED)
class LeavesUnusedWriteChunksExposed(Requester):
    """Does not invalidate a Write chunk to which nothing was written."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        if call.answer is not None:
            chunks = zip(call.writes, call.answer.rdma_writes, strict=False)
            for group, chunk in chunks:
                if not any(segment.length for segment in chunk.target):
                    for memory in group:
                        memory.safe = True
        return super()._end(call)


@mutant(breaks=PROTECTED)
class LeavesTheLastSegmentExposed(Requester):
    """Does not invalidate the last of several segments of an argument."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        for _, group in call.reads:
            group[-1].safe = group[-1].safe or len(group) > 1
        return super()._end(call)


@mutant(breaks=ABNORMAL)
class LeavesMemoryOfBadRepliesExposed(Requester):
    """Does not invalidate the memory of a call that a bad Reply has ended."""

    def _fail(self, call: OutgoingCall, failure: Failure, detail: str) -> list[Action]:
        if failure is Failure.BAD_REPLY:
            for memory in call.segments():
                memory.safe = True
        return super()._fail(call, failure, detail)


@mutant(breaks=ABNORMAL)
class LeavesMemoryOfRefusedVersionsExposed(Requester):
    """Does not invalidate the memory of a call that an ERR_VERS has ended."""

    def _fail(self, call: OutgoingCall, failure: Failure, detail: str) -> list[Action]:
        if failure is Failure.REFUSED_VERSION:
            for memory in call.segments():
                memory.safe = True
        return super()._fail(call, failure, detail)


@mutant(breaks=PROTECTED)
class LeavesEveryThirdCallExposed(Requester):
    """Does not invalidate the arguments of every third call that has any in memory."""

    _count = 0

    def _end(self, call: OutgoingCall) -> list[Action]:
        if call.reads:
            self._count += 1
            if self._count % 3 == 0:
                for memory in (one for _, group in call.reads for one in group):
                    memory.safe = True
        return super()._end(call)


@mutant(breaks=PROTECTED)
class LeavesMemoryExposedBesideOthers(Requester):
    """Does not invalidate the arguments of a call that ends while two others are in flight."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        sent = [one for one in self._calls.values() if one.phase is Phase.SENT and one is not call]
        if len(sent) >= 2:
            for memory in (one for _, group in call.reads for one in group):
                memory.safe = True
        return super()._end(call)
