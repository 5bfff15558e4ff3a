"""RFC 8166 section 3.4.6, Write Chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import build, verify
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer


@requirement("rfc8166.3.4.6.write-chunk-filled-in-order", "rfc8166.3.4.6.segment-count-returned")
def test_responder_fills_the_segments_of_a_write_chunk_in_order(peer: Peer) -> None:
    """A result fills three Write segments one after the other, and all three come back."""
    request = peer.workload.fetch(3000)
    call = build.with_write_chunks(peer, request, ((1024, 1024, 2048),))

    peer.send(call)

    reply = verify.served(peer, call, breaks="rfc8166.3.4.6.write-chunk-filled-in-order")
    lengths = [segment.length for segment in reply.answer.body.rdma_writes[0].target]
    verify.equal(lengths, [1024, 1024, 952], "the lengths of the returned segments")
