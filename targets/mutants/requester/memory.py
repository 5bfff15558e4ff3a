"""Mutants of the client: memory that stays within reach (rfc8166 sections 4.4.1 and 8.1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Failure
from rpcrdma.endpoint.requester.requester import Requester
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall


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
