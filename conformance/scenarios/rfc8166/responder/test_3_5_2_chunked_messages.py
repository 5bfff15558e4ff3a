"""RFC 8166 section 3.5.2, Chunked Messages: the order of the work that makes a Reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Disconnected, ErrChunk
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

UNUSED: Final = 0x00DEAD00
"""A handle that nobody has given out."""

WRITTEN: Final = "rfc8166.3.5.2.writes-precede-the-reply"

CALLS: Final = 12
PIECES: Final = (256,) * 16
"""Of each result: all Calls together have more RDMA Writes than many send queues have room."""


@requirement(
    WRITTEN,
    "rfc8166.3.4.6.reply-follows-by-send",
)
def test_no_reply_comes_for_results_that_cannot_be_written(peer: Peer) -> None:
    """Where the Write of a result fails, a Reply posted after it never comes."""
    good = build.with_write_chunks(peer, peer.workload.fetch(65536))
    call = mutate.write_segment(good, 0, 0, handle=UNUSED)

    peer.send(call)

    verify.expect(peer, call, Disconnected, ErrChunk)


@requirement(WRITTEN)
def test_responder_writes_the_results_of_many_calls_before_their_replies(peer: Peer) -> None:
    """Calls come together whose results take many RDMA Writes each: all are there by the Reply."""
    verify.granted.require(peer, CALLS)
    fetch = peer.workload.fetch(sum(PIECES))
    calls = [build.with_write_chunks(peer, fetch, (PIECES,)) for _ in range(CALLS)]

    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls, breaks=WRITTEN)
