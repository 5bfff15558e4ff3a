"""RFC 8166 section 3.4.4.2, Optional-Data: a block that is present or absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.workload import own

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

PRESENCE: Final = "rfc8166.3.4.4.2.presence-word-stays-in-the-stream"
DATA: Final = "rfc8166.3.4.4.2.optional-data-moves-to-the-chunk"
REJOINS: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"
UNUSED: Final = "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused"
NEXT: Final = "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result"
ROOM: Final = (own.BLOCK + 8,)


@requirement(PRESENCE, DATA)
@pytest.mark.parametrize(
    ("first", "second"),
    [(True, False), (False, True), (True, True)],
    ids=["the-first", "the-second", "both"],
)
def test_responder_moves_optional_data_without_its_presence(
    peer: Peer, first: bool, second: bool
) -> None:
    """What is present goes into its Write chunk, the word that says so stays in the stream."""
    inline = build.short(peer, own.fetch_optional(peer.workload, first=False, second=False))
    peer.send(inline)
    rest = len(verify.served(peer, inline).payload)
    request = own.fetch_optional(peer.workload, first=first, second=second)
    call = build.with_write_chunks(peer, request, (ROOM, ROOM))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=DATA)
    left = len(answer.payload)
    broken = PRESENCE if left < rest else DATA
    verify.equal(left, rest, "the length of the reduced Payload stream", breaks=broken)
    verify.chunks.right(peer, call, answer, breaks=(PRESENCE, DATA))


@requirement(UNUSED)
@pytest.mark.parametrize("chunks", [1, 2])
def test_responder_returns_chunks_unused_for_absent_data(peer: Peer, chunks: int) -> None:
    """Where no optional data is present, every Write chunk comes back unused."""
    request = own.fetch_optional(peer.workload, first=False, second=False)
    call = build.with_write_chunks(peer, request, (ROOM,) * chunks)

    peer.send(call)

    reply = verify.chunks.served_unless_too_many(peer, call, breaks=UNUSED)
    if reply is not None:
        writes = reply.answer.body.rdma_writes
        lengths = [segment.length for chunk in writes for segment in chunk.target]
        verify.equal(lengths, [0] * chunks, "the lengths returned", breaks=UNUSED)


@requirement(NEXT)
def test_responder_gives_the_chunk_of_absent_data_to_the_next(peer: Peer) -> None:
    """With the first block absent the first of two Write chunks takes the second block."""
    request = own.fetch_optional(peer.workload, first=False, second=True)
    call = build.with_write_chunks(peer, request, (ROOM, ROOM))

    peer.send(call)

    reply = verify.chunks.served_unless_too_many(peer, call, breaks=NEXT)
    if reply is not None:
        writes = reply.answer.body.rdma_writes
        lengths = [segment.length for chunk in writes for segment in chunk.target]
        verify.equal(lengths, [own.BLOCK, 0], "the lengths returned", breaks=NEXT)


@requirement(REJOINS)
@pytest.mark.parametrize("present", [True, False], ids=["present", "absent"])
def test_responder_takes_optional_data(peer: Peer, present: bool) -> None:
    """Optional data in a Read chunk arrives whole; where it is absent, there is no Read chunk."""
    call = build.with_read_chunks(peer, own.store_optional(peer.workload, present=present))

    peer.send(call)

    verify.chunks.served(peer, call, breaks=REJOINS)
