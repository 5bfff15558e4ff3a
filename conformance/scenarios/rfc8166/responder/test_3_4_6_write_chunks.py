"""RFC 8166 section 3.4.6, Write Chunks, with 3.4.6.2, Write Chunk Roundup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Disconnected
from conformance.tester.client import build
from conformance.tester.workload import pages

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.verify.answers import Reply

ORDER: Final = "rfc8166.3.4.6.write-chunk-filled-in-order"
SUM: Final = "rfc8166.3.4.4.chunk-length-is-the-sum"
LENGTHS: Final = "rfc8166.3.4.6.segment-lengths-tell-what-was-written"
MEMORY: Final = "rfc8166.3.4.3.header-describes-the-memory"
RETURNED: Final = "rfc8166.3.4.6.segments-returned"
NO_ROUNDUP: Final = "rfc8166.3.4.6.2.no-roundup-written"
NOT_TRANSFERRED: Final = "rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred"
OF_THE_ITEM: Final = "rfc8166.3.4.6.2.returned-length-is-the-items"

LENGTH: Final = 3000

FILLED: Final = {
    "one-segment-with-room": ((4096,), (3000,)),
    "two-segments-exactly": ((1000, 2000), (1000, 2000)),
    "last-segment-partly": ((1024, 1024, 2048), (1024, 1024, 952)),
    "last-segment-not-at-all": ((1500, 1500, 1500), (1500, 1500, 0)),
    "odd-lengths": ((1, 2, 3, 5, 7, 2982), (1, 2, 3, 5, 7, 2982)),
    "sixteen-segments": ((200,) * 16, (*(200,) * 15, 0)),
}
"""Segments that are offered, and the lengths with which they return."""


def lengths(reply: Reply, chunk: int = 0) -> tuple[int, ...]:
    """Of the segments of a returned Write chunk."""
    return tuple(segment.length for segment in reply.answer.body.rdma_writes[chunk].target)


@requirement(
    ORDER,
    "rfc8166.3.4.6.segment-count-returned",
    RETURNED,
    LENGTHS,
    MEMORY,
    SUM,
    means={RETURNED: MEMORY},
)
@pytest.mark.parametrize("offer", FILLED)
def test_responder_fills_the_segments_of_a_write_chunk_in_order(peer: Peer, offer: str) -> None:
    """A result of 3000 octets fills segments one after the other; all come back, with lengths."""
    sizes, filled = FILLED[offer]
    call = build.with_write_chunks(peer, peer.workload.fetch(LENGTH), (sizes,))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=SUM)
    reply = verify.chunks.right(peer, call, answer, breaks=ORDER)
    verify.equal(lengths(reply), filled, "the lengths of the returned segments", breaks=ORDER)


@requirement(NO_ROUNDUP, OF_THE_ITEM, NOT_TRANSFERRED, means={LENGTHS: OF_THE_ITEM})
@pytest.mark.parametrize("length", [1, 1002, 1003])
@pytest.mark.parametrize("room", [0, 500], ids=["exactly", "and-more"])
def test_responder_writes_no_roundup(peer: Peer, length: int, room: int) -> None:
    """A result whose length is no multiple of four is written without padding."""
    call = build.with_write_chunks(peer, peer.workload.fetch(length), ((length + room,),))

    peer.send(call)

    reply = verify.chunks.served(peer, call, breaks=OF_THE_ITEM)
    transferred = call.write_chunks[0].overwritten(
        (msgspec.structs.replace(call.write_chunks[0].told[0], length=length),)
    )
    breaks = OF_THE_ITEM if transferred is None else (NO_ROUNDUP, NOT_TRANSFERRED)
    verify.equal(lengths(reply), (length,), "the length returned", breaks=breaks)


@requirement("rfc8166.3.4.6.segment-count-returned", interpretations=("D-34",))
def test_responder_passes_over_an_empty_segment(peer: Peer) -> None:
    """A segment of length zero in a Write chunk is left empty and comes back in its place."""
    request = peer.workload.fetch_aside(1000, pages.EMPTY_SEGMENT)
    call = build.with_write_chunks(peer, request, ((600, 0, 600),))

    peer.send(call)

    # No document says what an empty segment offered means (D-34); closing is only unkind.
    verify.chunks.served_or_refused(
        peer, call, tolerated=(Disconnected,), breaks="rfc8166.3.4.6.segment-count-returned"
    )


@requirement("rfc8166.3.4.6.reply-follows-by-send", "rfc8166.3.5.2.writes-precede-the-reply")
@pytest.mark.parametrize("length", [262144])
def test_responder_has_written_a_large_result_when_it_replies(peer: Peer, length: int) -> None:
    """When the Reply is here, the last octet of a large result is, too."""
    call = build.with_write_chunks(peer, peer.workload.fetch(length), ((length // 2,) * 2,))

    peer.send(call)

    verify.chunks.served(peer, call)
