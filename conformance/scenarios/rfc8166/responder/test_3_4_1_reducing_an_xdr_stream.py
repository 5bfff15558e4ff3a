"""RFC 8166 section 3.4.1, Reducing an XDR Stream: decoding passes over what is placed directly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


@requirement("rfc8166.3.4.1.placed-items-are-skipped-in-decoding")
def test_responder_decodes_a_call_whose_argument_is_elsewhere(peer: Peer) -> None:
    """An argument of 2048 octets in one Read segment is decoded as if it were in the stream."""
    data = pattern(2048, 37)
    call = build.with_read_chunks(peer, peer.workload.store(data))

    peer.send(call)

    verify.chunks.stored(peer, call, data)
