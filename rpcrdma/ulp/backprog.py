"""The program by which a client has a server call it back (`rpcrdma/spec/backprog.x`).

    bidir section 2.2.3  a client's Upper-Layer Protocol says that it is prepared

It is to the test program what a session's backchannel is to NFSv4.1.  Nothing of it is
DDP-eligible.  What makes the Calls is behind `CallsBack`: this module knows no transport.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_backprog as wire

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BackwardProgram",
    "CallsBack",
    "Tally",
    "call",
    "decode_state",
    "ready",
    "state",
    "wanted_call",
]

V1: Final = wire.BACKWARD_V1
_STATE: Final = 16
"""Octets of a backward_state."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What has become of all backward Calls to a client."""

    pending: int = 0
    answered: int = 0
    failed: int = 0


class CallsBack(Protocol):
    """The service behind one connection."""

    def ready(self, identity: int) -> bool:
        """The client of this connection takes backward Calls; False if it is another already."""
        ...

    def call(self, identity: int, encode: Callable[[int], bytes]) -> None:
        """Make a Call to a client, whichever connection it has."""
        ...

    def tally(self, identity: int) -> Tally:
        """What has become of the Calls to a client."""
        ...


class BackwardProgram(ProcedureTable):
    """The program of one connection."""

    def __init__(self, service: CallsBack) -> None:
        self._service = service
        maximum = _STATE, ()
        super().__init__(
            wire.BACKWARD_PROGRAM,
            wire.BACKWARD_VERSION,
            {
                V1.BACKWARD_NULL: ProgramProcedure(
                    no_arguments, lambda asked, _: [rpc.accepted(asked.xid)], lambda _: (0, ())
                ),
                V1.BACKWARD_READY: ProgramProcedure(
                    wire.decode_backward_peer, self._ready, lambda _: maximum
                ),
                V1.BACKWARD_CALL: ProgramProcedure(
                    wire.decode_backward_request, self._call, lambda _: maximum
                ),
                V1.BACKWARD_STATE: ProgramProcedure(
                    wire.decode_backward_peer, self._state, lambda _: maximum
                ),
            },
        )

    def _ready(self, asked: rpc.RpcCall, peer: wire.BackwardPeer) -> list[bytes]:
        accepted = self._service.ready(peer.identity)
        return self._answer(asked, peer.identity, accepted=accepted)

    def _call(self, asked: rpc.RpcCall, request: wire.BackwardRequest) -> list[bytes]:
        accepted = (
            request.count <= wire.BACKWARD_MAX_CALLS and request.length <= wire.BACKWARD_MAX_LENGTH
        )
        if accepted:
            for _ in range(request.count):
                self._service.call(request.identity, wanted_call(request.length))
        return self._answer(asked, request.identity, accepted=accepted)

    def _state(self, asked: rpc.RpcCall, peer: wire.BackwardPeer) -> list[bytes]:
        return self._answer(asked, peer.identity, accepted=True)

    def _answer(self, asked: rpc.RpcCall, identity: int, *, accepted: bool) -> list[bytes]:
        tally = self._service.tally(identity)
        found = wire.BackwardState(accepted, tally.pending, tally.answered, tally.failed)
        return [rpc.accepted(asked.xid, wire.encode_backward_state(found))]


def wanted_call(length: int) -> Callable[[int], bytes]:
    """What encodes a backward Call whose argument has `length` octets."""
    if not length:
        return testprog_calls.null
    text = pattern(length, length)
    return lambda xid: testprog_calls.long_call(xid, text)


# For testers: complete call payloads, and what their replies say.


def ready(xid: int, identity: int) -> bytes:
    """BACKWARD_READY."""
    arguments = wire.encode_backward_peer(wire.BackwardPeer(identity))
    return _call(xid, V1.BACKWARD_READY, arguments)


def call(xid: int, identity: int, count: int, length: int = 0) -> bytes:
    """BACKWARD_CALL."""
    arguments = wire.encode_backward_request(wire.BackwardRequest(identity, count, length))
    return _call(xid, V1.BACKWARD_CALL, arguments)


def state(xid: int, identity: int) -> bytes:
    """BACKWARD_STATE."""
    arguments = wire.encode_backward_peer(wire.BackwardPeer(identity))
    return _call(xid, V1.BACKWARD_STATE, arguments)


def decode_state(reply: bytes) -> Tally | None:
    """The results of a successful reply; None if the request was refused.

    Raises:
        DecodeError: it is no such reply.
    """
    _, start = rpc.decode_reply(reply)
    found, _ = wire.decode_backward_state(reply, start)
    return Tally(found.pending, found.answered, found.failed) if found.accepted else None


def _call(xid: int, procedure: wire.BACKWARD_V1, arguments: bytes) -> bytes:
    return rpc.encode_call(xid, wire.BACKWARD_PROGRAM, wire.BACKWARD_VERSION, procedure, arguments)
