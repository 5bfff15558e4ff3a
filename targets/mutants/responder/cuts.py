"""Mutants of the Responder: what is done about an RPC header that is cut.

rfc8166 section 4.5    Error Handling
RFC 5531 section 9     The RPC Message Protocol (a Reply has a verifier)
"""

from __future__ import annotations

from typing import Final

from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import rpc
from targets.mutants.base import mutant

LAYOUT: Final = "rfc8166.4.rpc-layout-is-unchanged"
GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"

_HEADER: Final = 40
"""Octets of an RPC Call's header without credentials."""

_MOST_CUT: Final = 8
"""Octets that a cut header lacks for these mutants to act: those of the verifier."""


def _lacks_its_end(payload: bytes) -> bool:
    return _HEADER - _MOST_CUT <= len(payload) < _HEADER


@mutant(breaks=LAYOUT, without=("backward",))
class AnswersCutCallsWithoutAVerifier(Responder):
    """Answers a Call that ends within its verifier by a Reply that has none."""

    def execute(self, payload: bytes) -> list[bytes]:
        if _lacks_its_end(payload):
            return [rpc.accepted(int.from_bytes(payload[:4]))[:16]]
        return super().execute(payload)


@mutant(breaks=LAYOUT, without=("backward",))
class ExecutesCallsWithoutAVerifier(Responder):
    """Executes a Call that ends within its verifier as if octets of zero stood there."""

    def execute(self, payload: bytes) -> list[bytes]:
        if _lacks_its_end(payload):
            return super().execute(payload.ljust(_HEADER, b"\0"))
        return super().execute(payload)


@mutant(breaks=GARBAGE, without=("backward",))
class DeniesCutCalls(Responder):
    """Answers a Call that ends within its verifier by an RPC denial."""

    def execute(self, payload: bytes) -> list[bytes]:
        if _lacks_its_end(payload):
            xid = int.from_bytes(payload[:4])
            return [rpc.encode_reply(rpc.RpcReply(xid, rpc.RpcOutcome.RPC_MISMATCH))]
        return super().execute(payload)
