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


@requirement(
    "rfc8166.3.5.2.writes-precede-the-reply",
    "rfc8166.3.4.6.reply-follows-by-send",
)
def test_no_reply_comes_for_results_that_cannot_be_written(peer: Peer) -> None:
    """Where the Write of a result fails, a Reply posted after it never comes."""
    good = build.with_write_chunks(peer, peer.workload.fetch(65536))
    call = mutate.write_segment(good, 0, 0, handle=UNUSED)

    peer.send(call)

    verify.expect(peer, call, Disconnected, ErrChunk)
