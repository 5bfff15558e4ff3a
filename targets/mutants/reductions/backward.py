"""Mutants: groups in the backward direction (rtrext 1.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.responder import BackwardCallRules
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.group_rules import IncomingGroup
    from rpcrdma.wire import FixedWords, RdmaMsg


@mutant(breaks="rtrext.1.4.either-end-is-both")
class RefusesBackwardGroups(BackwardCallRules):
    """Takes no backward Call that comes as a transmission group."""

    def take_group(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int, group: IncomingGroup
    ) -> IncomingCall:
        raise FaultFound(Fault.BACKWARD_CHUNKS, "a group")
