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


WRITE_LIST: Final = ("rfc8166.4.7.write-list-encoding", "rfc8166.4.7.write-chunk-encoding")
REPLY_CHUNK: Final = "rfc8166.4.7.reply-chunk-encoding"
EMPTY_WRITE_LIST: Final = "rfc8166.4.7.empty-write-list-encoding"
ONE_SLOT: Final = "rfc8166.4.3.3.one-reply-chunk-slot"
A_LIST: Final = "rfc8166.4.2.4.nomsg-has-a-list"
ABSENT: Final = ("rfc8166.4.7.no-chunks-three-zero-words", "rfc8166.4.3.no-chunks-all-absent")
MEMORY: Final = "rfc8166.3.4.3.header-describes-the-memory"
RETURNED: Final = "rfc8166.3.4.6.segments-returned"
UNUSED: Final = "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused"
NOT_OFFERED: Final = "rfc8166.3.4.3.memory-used-by-responder"


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


def verify_lists(peer: Peer, call: Call, wanted: list[int], breaks: tuple[str, ...]) -> None:
    """The Reply has these words after the fixed ones, and its results are right.

    Args:
        peer: where the call was sent.
        call: that is answered.
        wanted: the words.
        breaks: what other words break, of which a decoder can make sense.
    """
    answer = verify.chunks.served(peer, call, breaks=breaks).answer
    words, right = shown(list_words(answer)), shown(wanted)
    verify.equal(words, right, "the words after the fixed words", breaks=breaks)
    if answer.is_long:
        after = len(answer.payload)
        verify.equal(after, 0, "the count of octets after the Reply chunk", breaks=ONE_SLOT)


@requirement(
    *WRITE_LIST,
    "rfc8166.4.7.empty-read-list-encoding",
    "rfc8166.4.3.2.write-list-of-counted-arrays",
    "rfc8166.3.4.6.write-segments-have-no-position",
    MEMORY,
    "rfc8166.4.header-is-xdr",
    means={RETURNED: MEMORY},
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
    verify_lists(peer, call, [*wanted, 0, 0], WRITE_LIST)


@requirement(
    REPLY_CHUNK,
    EMPTY_WRITE_LIST,
    ONE_SLOT,
    A_LIST,
    "rfc8166.4.3.3.reply-chunk-returned",
    means={UNUSED: EMPTY_WRITE_LIST},
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
    words = [0, 0, 1, *chunk_words(call.reply_chunk, filled)]
    verify_lists(peer, call, words, (REPLY_CHUNK,))


@requirement(
    *ABSENT,
    "rfc8166.4.7.empty-read-list-encoding",
    EMPTY_WRITE_LIST,
    means={NOT_OFFERED: ABSENT},
)
@pytest.mark.parametrize("size", ["null", "small"])
def test_responder_encodes_no_chunks_as_three_words_of_zero(peer: Peer, size: str) -> None:
    """A Reply without chunks has three words of zero after the fixed ones."""
    request = peer.workload.null() if size == "null" else peer.workload.small()
    call = build.short(peer, request)

    peer.send(call)

    verify_lists(peer, call, [0, 0, 0], ABSENT)
