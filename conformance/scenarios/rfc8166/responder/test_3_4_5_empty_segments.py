"""RFC 8166 section 3.4.5, Read Chunks: segments of length zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


@pytest.mark.destructive  # Linux 6.1 loses the thread that serves such a Call
@requirement("rfc8166.3.4.3.segment-length-in-octets", interpretations=("D-34",))
@pytest.mark.parametrize(
    "sizes", [(0,), (500, 0), (1001, 0)], ids=["at-first", "in-the-middle", "at-last"]
)
def test_responder_skips_an_empty_segment(peer: Peer, sizes: tuple[int, ...]) -> None:
    """A segment of length zero in a Read chunk adds nothing; ERR_CHUNK is accepted."""
    data = pattern(1001, 70 + sum(sizes) % 7)
    call = build.with_read_chunks(peer, peer.workload.store(data), (sizes,))

    peer.send(call)

    outcome = verify.expect(peer, call, Answered, ErrChunk)
    if isinstance(outcome, Answered):
        peer.put_aside(outcome)
        verify.chunks.stored(peer, call, data)
