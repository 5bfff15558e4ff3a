"""RFC 8166 section 8.2.2, RPCSEC_GSS: what belongs to it stays in the Payload stream.

No context is established, which takes a key distribution centre: the first message of one is sent,
with a token that makes no sense.  Whichever way a device refuses it, its Reply has elements of
RPCSEC_GSS, and they are not for Write chunks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance import build, verify, verify_chunks
from conformance.case import Inconclusive
from conformance.outcome import Answered, Disconnected, Silent
from conformance.requirement import requirement
from rpcrdma.ulp import rpc

if TYPE_CHECKING:
    from conformance.peer import Peer

RPCSEC_GSS: Final = 6
INIT: Final = b"".join(word.to_bytes(4) for word in (1, 1, 0, 1, 0))
"""Version 1, RPCSEC_GSS_INIT, sequence number 0, service "none", no context handle (RFC 2203)."""

TOKEN: Final = (16).to_bytes(4) + b"no token at all."


@requirement("rfc8166.8.2.2.gss-elements-are-not-reduced")
def test_responder_reduces_nothing_of_rpcsec_gss(peer: Peer) -> None:
    """The answer to RPCSEC_GSS_INIT leaves the Write chunk beside it unused."""
    extra = peer.profile.extra
    credential = rpc.Authentication(RPCSEC_GSS, INIT)
    request = replace(
        peer.workload.null(),
        title="RPCSEC_GSS_INIT",
        encode=lambda xid: rpc.encode_call(
            xid, extra.program, extra.program_version, 0, TOKEN, credential=credential
        ),
    )
    call = build.call(peer, request, writes=((512,),))

    peer.send(call)

    first = peer.receive()
    if isinstance(first, Silent | Disconnected):
        raise Inconclusive(f"no Reply with elements of RPCSEC_GSS came: {first}")
    peer.put_aside(first)
    outcome = verify.expect(peer, call, Answered)
    verify_chunks.returned(call, outcome)
    used = [segment.length for chunk in outcome.body.rdma_writes for segment in chunk.target]
    verify.equal(used, [0], "the lengths of the returned Write chunk")
