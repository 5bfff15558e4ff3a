"""RFC 8166 section 3.3.2, Inline Threshold.

No private data are exchanged here, so that either threshold is 1024 octets (3.3.3; D-30).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import HEADER_ONE, THRESHOLD_ONE
from conformance.tester.client import build, build_sized

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"
SMALLER_END: Final = "rfc8166.3.3.2.threshold-is-the-smaller-end"
CONSTANT: Final = "rfc8166.3.3.2.threshold-is-constant"
UNLESS_KNOWN: Final = "rfc8166.3.3.3.1024-octets-unless-known"
USES_CHUNK: Final = "rfc8166.3.5.3.large-reply-uses-the-reply-chunk"
A_LIST: Final = "rfc8166.4.2.4.nomsg-has-a-list"

ROUNDS: Final = 5


@requirement(
    WITHIN,
    "rfc8166.4.2.4.streams-fit-the-threshold-together",
    UNLESS_KNOWN,
    interpretations=("D-18", "D-30"),
)
@pytest.mark.parametrize("below", [0, 512], ids=["exactly-1024", "512-octets"])
def test_responder_sends_a_reply_inline_up_to_the_threshold(peer: Peer, below: int) -> None:
    """A Reply that takes 1024 octets with its header, or fewer, and no Reply chunk comes inline."""
    overhead = peer.workload.fetch(4)
    payload = overhead.layer.expectation(overhead.encode(0)).maximum - 4
    call = build.short(peer, peer.workload.fetch(THRESHOLD_ONE - HEADER_ONE - payload - below))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=UNLESS_KNOWN)
    verify.chunks.right(peer, call, answer, breaks=WITHIN)
    length = THRESHOLD_ONE - below
    verify.equal(answer.length, length, "the length of the message", breaks=WITHIN)


@requirement(
    WITHIN,
    USES_CHUNK,
    UNLESS_KNOWN,
    SMALLER_END,
    interpretations=("D-30",),
    means={A_LIST: USES_CHUNK},
)
@pytest.mark.parametrize("length", [1024, 4000])
def test_responder_sends_no_reply_beyond_the_threshold(peer: Peer, length: int) -> None:
    """A result that does not fit 1024 octets goes into the Reply chunk; no message is longer."""
    call = build.long_reply(peer, peer.workload.fetch(length))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=USES_CHUNK)
    verify.chunks.right(peer, call, answer, breaks=USES_CHUNK)
    beyond = (WITHIN, SMALLER_END, UNLESS_KNOWN)
    breaks = USES_CHUNK if answer.length <= THRESHOLD_ONE else beyond
    verify.that(answer.is_long, "the Reply is an RDMA_NOMSG", actual=str(answer), breaks=breaks)
    verify.that(
        answer.length <= THRESHOLD_ONE,
        "no message is longer than 1024 octets",
        actual=f"a message of {answer.length} octets",
        breaks=beyond,
    )


@requirement(
    WITHIN,
    "rfc8166.4.2.4.streams-fit-the-threshold-together",
    interpretations=("D-18", "D-19", "D-30"),
)
@pytest.mark.parametrize("segments", [1, 8])
@pytest.mark.parametrize("below", [0, 4, 100])
def test_responder_counts_the_chunk_that_it_returns(peer: Peer, below: int, segments: int) -> None:
    """A Reply of 1024 octets, or a few less, without the Reply chunk that was offered with it.

    Whoever returns the chunk has a longer header, and so may have to use it.
    """
    sizes = (THRESHOLD_ONE // segments,) * segments
    call = build_sized.reply_of(peer, THRESHOLD_ONE - below, reply=sizes)

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=WITHIN)
    verify.chunks.right(peer, call, answer, breaks=WITHIN)
    verify.that(
        answer.length <= THRESHOLD_ONE,
        "no message is longer than 1024 octets",
        actual=f"a message of {answer.length} octets",
        breaks=WITHIN,
    )


@requirement(CONSTANT, WITHIN, interpretations=("D-18", "D-30"))
def test_responder_keeps_its_threshold(peer: Peer) -> None:
    """Again and again, a Reply of 1024 octets comes inline, and a longer one by the Reply chunk."""
    overhead = peer.workload.fetch(4)
    room = THRESHOLD_ONE - HEADER_ONE - overhead.layer.expectation(overhead.encode(0)).maximum + 4

    for _ in range(ROUNDS):
        longest = build.short(peer, peer.workload.fetch(room))
        peer.send(longest)
        inline = verify.chunks.served(peer, longest).answer
        verify.equal(inline.length, THRESHOLD_ONE, "the length of the message")

        longer = build.long_reply(peer, peer.workload.fetch(room + 4))
        peer.send(longer)
        answer = verify.chunks.served(peer, longer).answer
        verify.that(answer.is_long, "the longer Reply is an RDMA_NOMSG", actual=str(answer))
