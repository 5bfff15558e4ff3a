"""RFC 8166 section 8.2.2, RPCSEC_GSS: what belongs to it stays in the Payload stream.

No context is established here, which for most programs takes a key distribution centre: a Call
names one that nobody has established.  Whether a device refuses that or does not know RPCSEC_GSS at
all, the verifier of its Reply is not for Write chunks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, Silent
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from rpcrdma.ulp import rpc

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Request

RPCSEC_GSS: Final = 6
NO_CONTEXT: Final = b"".join(word.to_bytes(4) for word in (1, 0, 1, 1, 4, 0xBADC0DE))
"""Version 1, RPCSEC_GSS_DATA, sequence number 1, service "none", a handle of four octets that was
never given out (RFC 2203 section 5)."""


def with_credential(request: Request, credential: rpc.Authentication) -> Request:
    """The same request under another credential."""

    def encode(xid: int) -> bytes:
        payload = request.encode(xid)
        call, start = rpc.decode_call(payload)
        return rpc.encode_call(
            xid,
            call.program,
            call.version,
            call.procedure,
            payload[start:],
            credential=credential,
        )

    return replace(request, title=f"{request.title} under RPCSEC_GSS", encode=encode)


@requirement("rfc8166.8.2.2.gss-elements-are-not-reduced")
def test_responder_reduces_nothing_of_rpcsec_gss(peer: Peer) -> None:
    """The answer to a Call of an unknown RPCSEC_GSS context leaves its Write chunk unused."""
    credential = rpc.Authentication(RPCSEC_GSS, NO_CONTEXT)
    call = build.call(peer, with_credential(peer.workload.small(), credential), writes=((512,),))

    peer.send(call)

    first = peer.receive()
    if isinstance(first, Silent | Disconnected):
        raise Inconclusive(f"no Reply with a verifier of RPCSEC_GSS came: {first}")
    peer.put_aside(first)
    outcome = verify.awaited(peer, call, Answered)
    verify.chunks.returned(call, outcome)
    used = [segment.length for chunk in outcome.body.rdma_writes for segment in chunk.target]
    verify.equal(used, [0], "the lengths of the returned Write chunk")
    verify.look(peer, call, outcome)
