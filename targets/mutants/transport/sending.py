"""Mutants: what is sent again, and for how long (rfc8166 section 2.3.2, 4.5.4)."""

from __future__ import annotations

from rpcrdma.fabric.completion import Opcode
from rpcrdma.roce.transport.requester import TransportRequester
from targets.mutants.base import mutant


@mutant(
    breaks="rfc8166.2.3.2.writes-precede-a-later-send",
    roles=("responder",),
)
class WritesOtherOctetsAgain(TransportRequester):
    """Uses the memory of an RDMA Write for something else before the peer has all of it."""

    def _send_again(self) -> None:
        super()._send_again()
        for work in self._queue:
            if work.opcode is Opcode.RDMA_WRITE:
                work.data = bytes(work.length)


@mutant(breaks="rfc8166.4.5.4.close-when-reply-cannot-be-sent", roles=("responder",))
class NeverGivesUp(TransportRequester):
    """Sends again for ever what nobody acknowledges."""

    def _retry(self) -> None:
        self._send_again()
