"""RFC 8166 section 3.5, Message Size: what fits a Receive, on either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import HEADER_ONE, THRESHOLD_ONE
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

POSTED: Final = "rfc8166.3.5.receives-posted-and-large-enough"
FULL_LENGTH: Final = "rfc8166.3.3.3.receives-1024-octets"
TOGETHER: Final = "rfc8166.4.2.4.streams-fit-the-threshold-together"
WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"
STILL_TOO_LARGE: Final = "rfc8166.3.5.3.still-too-large-means-long-message"
HEADER_ONLY: Final = "rfc8166.3.5.3.long-message-sends-the-header-only"
NOMSG: Final = "rfc8166.4.2.4.nomsg-is-one"

MANY: Final = 80
"""Calls one after the other: more than there are Receives posted at first."""


@requirement(POSTED, FULL_LENGTH)
def test_responder_keeps_posting_receives_of_full_length(peer: Peer) -> None:
    """Eighty Calls of 1024 octets, one after the other, are all served."""
    empty = build.short(peer, peer.workload.store(b""))
    data = pattern(THRESHOLD_ONE - len(empty.octets), 35)

    for _ in range(MANY):
        call = build.short(peer, peer.workload.store(data))
        peer.send(call)
        verify.served(peer, call, breaks=(POSTED, FULL_LENGTH))


@requirement(TOGETHER, WITHIN, STILL_TOO_LARGE, interpretations=("D-18", "D-30"))
@pytest.mark.parametrize("beyond", [4, 16, HEADER_ONE])
def test_responder_counts_the_header_of_a_reply(peer: Peer, beyond: int) -> None:
    """A Payload stream that fits the threshold only without a header goes into the Reply chunk."""
    overhead = peer.workload.fetch(4)
    payload = overhead.layer.expectation(overhead.encode(0)).maximum - 4
    octets = THRESHOLD_ONE - HEADER_ONE + beyond - payload
    call = build.long_reply(peer, peer.workload.fetch(octets))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=STILL_TOO_LARGE)
    breaks = TOGETHER if answer.is_long else STILL_TOO_LARGE
    verify.chunks.right(peer, call, answer, breaks=breaks)
    verify.that(
        answer.length <= THRESHOLD_ONE,
        "no message is longer than 1024 octets",
        actual=f"a message of {answer.length} octets",
        breaks=(TOGETHER, WITHIN),
    )


@requirement(
    HEADER_ONLY,
    NOMSG,
    means={"rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written": NOMSG},
)
def test_responder_sends_the_header_of_a_long_reply_alone(peer: Peer) -> None:
    """The Send of a Long Reply ends after the transport header."""
    call = build.long_reply(peer, peer.workload.long_reply(4000))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=NOMSG)
    verify.chunks.right(peer, call, answer, breaks=HEADER_ONLY if answer.is_long else NOMSG)
    verify.that(answer.is_long, "the Reply is an RDMA_NOMSG", actual=str(answer), breaks=NOMSG)
    after = len(answer.payload)
    verify.equal(after, 0, "the count of octets after the header", breaks=(HEADER_ONLY, NOMSG))
