"""Mutants of the client: memory that others can reach, or foresee (rfc8166 sections 4.4.1, 8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rpcrdma.endpoint.core.actions import Failure
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.fabric.memory import HandleAllocator
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall


@mutant(breaks="rfc8166.4.4.1.cancelled-rpcs-are-covered-too")
class LeavesMemoryOfCancelledCallsExposed(Requester):
    """Does not invalidate the memory of a call that the application has given up."""

    def _fail(self, call: OutgoingCall, failure: Failure, detail: str) -> list[Action]:
        if failure is Failure.CANCELLED:
            for memory in call.segments():
                memory.safe = True
        return super()._fail(call, failure, detail)


@mutant(
    breaks="rfc8166.8.1.1.memory-belongs-to-one-connection",
    also_trips={
        "rfc8166.4.5.5.rpc-survives-connection-loss": (
            "a call with chunks does not survive the loss of its connection, nor does the next"
        )
    },
)
class OffersMemoryOfLostConnections(Requester):
    """Repeats a call on a new connection with the handles that it had on the one before."""

    first: ClassVar[dict[bytes, bytes]] = {}

    def _sent(self, call: OutgoingCall) -> list[Action]:
        if call.plan is not None:
            call.message = self.first.setdefault(call.payload, call.message)
        return super()._sent(call)


@mutant(breaks="rfc8166.8.1.2.handles-are-unpredictable")
class CountsHandles(HandleAllocator):
    """Gives each piece of memory the number that follows that of the one before."""

    def handle(self) -> int:
        handle = max(self._used, default=0x1000) + 1
        self._used.add(handle)
        return handle


@mutant(
    breaks="rfc8166.8.1.2.no-persistent-registration",
    also_trips={
        "rfc8166.4.4.1.cancelled-rpcs-are-covered-too": because.STAYS_REGISTERED,
        "rfc8166.8.1.3.": because.STAYS_REGISTERED,
    },
)
class KeepsArgumentsRegistered(Requester):
    """Leaves the memory of an argument that was reduced registered for good."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        for position, group in call.reads:
            for memory in group:
                memory.safe = memory.safe or position > 0
        return super()._end(call)


@mutant(
    breaks="rfc8166.8.1.3.invalidated-when-complete",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.4.1.cancelled-rpcs-are-covered-too",
            "rfc8166.8.1.2.no-persistent-registration",
            "rfc8166.8.1.3.invalidated-after-abnormal-end",
        ),
        because.STAYS_REGISTERED,
    ),
)
class LeavesLongCallsExposed(Requester):
    """Does not invalidate the memory of Position-Zero Read chunks."""

    def _end(self, call: OutgoingCall) -> list[Action]:
        for position, group in call.reads:
            for memory in group:
                memory.safe = memory.safe or position == 0
        return super()._end(call)


@mutant(breaks="rfc8166.8.1.4.transactions-within-the-grant")
class CallsTwiceTheGrant(Allowance):
    """Has twice as many calls in flight as were granted."""

    @property
    def limit(self) -> int:
        return 1 if self.granted is None else min(2 * self.granted, self.requested)
