"""RFC 8166 section 4.7, Chunk List examples: the words of every list of a Reply, one by one.

The words that are expected are written down here from the examples of the document, and not by the
suite's codec, so that a fault that both ends share shows as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.wire import encode_header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.oracle.outcome import Answered
    from conformance.tester.client.peer import Peer
    from conformance.tester.memory import ExposedChunk
    from conformance.tester.sent import Call

WORD: Final = 4
LISTS: Final = 16
"""Octets before the lists: the fixed words."""

WRITES: Final = {
    "one-segment": (((1200,), (1000,)),),
    "three-segments": (((500, 400, 300), (500, 400, 100)),),
    "two-chunks": (((1000,), (1000,)), ((300, 400), (0, 0))),
}
"""For each Write chunk the segments that are offered, and the lengths that a result of 1000 octets
leaves in them."""


def chunk_words(chunk: ExposedChunk, lengths: Sequence[int]) -> list[int]:
    """A counted array of segments: count, and for each handle, length and the offset's halves."""
    words = [len(chunk.segments)]
    for told, length in zip(chunk.told, lengths, strict=True):
        words += [told.handle, length, told.offset >> 32, told.offset & 0xFFFFFFFF]
    return words


def list_words(answer: Answered) -> list[int]:
    """The words of the lists as they came.

    A header that could be decoded is the only encoding of what it says, so encoding it again gives
    the octets that were received.
    """
    octets = encode_header(answer.header)
    return [int.from_bytes(octets[at : at + WORD]) for at in range(LISTS, len(octets), WORD)]


def shown(words: list[int]) -> str:
    """Words as hexadecimal numbers."""
    return " ".join(f"{word:08x}" for word in words)


def verify_lists(peer: Peer, call: Call, wanted: list[int]) -> None:
    """The Reply has these words behind the fixed ones, and its results are right."""
    answer = verify.chunks.served(peer, call).answer
    verify.equal(shown(list_words(answer)), shown(wanted), "the words behind the fixed words")
    if answer.is_long:
        verify.equal(len(answer.payload), 0, "the count of octets behind the Reply chunk")


@requirement(
    "rfc8166.4.7.write-list-encoding",
    "rfc8166.4.7.write-chunk-encoding",
    "rfc8166.4.7.empty-read-list-encoding",
    "rfc8166.4.3.2.write-list-of-counted-arrays",
    "rfc8166.3.4.6.write-segments-have-no-position",
    "rfc8166.3.4.3.header-describes-the-memory",
    "rfc8166.4.header-is-xdr",
)
@pytest.mark.parametrize("offer", WRITES)
def test_responder_encodes_the_write_list_as_the_examples_show(peer: Peer, offer: str) -> None:
    """Each Write chunk comes back as a one, its count and its segments; a zero ends the list."""
    sizes = tuple(offered for offered, _ in WRITES[offer])
    if len(sizes) > peer.profile.claims.max_write_chunks:
        sizes = sizes[:1]
    call = build.with_write_chunks(peer, peer.workload.fetch(1000), sizes)

    peer.send(call)

    wanted = [0]
    for chunk, (_, filled) in zip(call.write_chunks, WRITES[offer], strict=False):
        wanted += [1, *chunk_words(chunk, filled)]
    verify_lists(peer, call, [*wanted, 0, 0])


@requirement(
    "rfc8166.4.7.reply-chunk-encoding",
    "rfc8166.4.7.empty-write-list-encoding",
    "rfc8166.4.3.3.one-reply-chunk-slot",
    "rfc8166.4.2.4.nomsg-has-a-list",
    "rfc8166.4.3.3.reply-chunk-returned",
)
@pytest.mark.parametrize("sizes", [(5000,), (1000, 2000, 3000)], ids=["one-segment", "three"])
def test_responder_encodes_the_reply_chunk_as_the_examples_show(
    peer: Peer, sizes: tuple[int, ...]
) -> None:
    """A Long Reply has a zero for each empty list, then a one and the Reply chunk."""
    request = peer.workload.fetch(4000)
    length = request.layer.expectation(request.encode(0)).maximum
    call = build.long_reply(peer, request, sizes)

    peer.send(call)

    filled, left = [], length
    for size in sizes:
        filled.append(min(size, left))
        left -= filled[-1]
    assert call.reply_chunk is not None
    verify_lists(peer, call, [0, 0, 1, *chunk_words(call.reply_chunk, filled)])


@requirement(
    "rfc8166.4.7.no-chunks-three-zero-words",
    "rfc8166.4.7.empty-read-list-encoding",
    "rfc8166.4.7.empty-write-list-encoding",
    "rfc8166.4.3.no-chunks-all-absent",
)
@pytest.mark.parametrize("size", ["null", "small"])
def test_responder_encodes_no_chunks_as_three_words_of_zero(peer: Peer, size: str) -> None:
    """A Reply without chunks has three words of zero behind the fixed ones."""
    request = peer.workload.null() if size == "null" else peer.workload.small()
    call = build.short(peer, request)

    peer.send(call)

    verify_lists(peer, call, [0, 0, 0])
