"""RFC 8166 section 3.5.3, Long Messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

LONG_CALL: Final = "rfc8166.3.5.3.long-call-in-a-read-chunk"
AT_ANY_TIME: Final = "rfc8166.3.5.3.long-call-at-any-time"
BY_BOTH: Final = "rfc8166.4.any-endpoint-sends-msg-and-nomsg"
INELIGIBLE: Final = "rfc8166.6.1.ineligible-items-in-long-messages"
LONG_REPLY: Final = "rfc8166.3.5.3.long-reply-in-the-reply-chunk"
USES_CHUNK: Final = "rfc8166.3.5.3.large-reply-uses-the-reply-chunk"
A_LIST: Final = "rfc8166.4.2.4.nomsg-has-a-list"
ROUNDUP: Final = "rfc8166.3.5.3.long-message-keeps-roundup"
ANY_ITEM: Final = "rfc8166.3.5.3.any-item-in-a-long-message"
REDUCED: Final = "rfc8166.3.5.3.reply-reduced-before-measured"
REDUCED_FIRST: Final = "rfc8166.3.5.3.large-stream-is-reduced-first"
PUSHED: Final = "rfc8166.4.3.2.results-pushed-into-write-chunks"
NOT_PAST: Final = "rfc8166.4.5.3.no-write-past-the-reply-chunk"
CLOSE: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"
WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"

CUTS: Final = {
    "one-segment": (),
    "three-segments": (1000, 3001),
    "sixteen-of-odd-length": (1, 3, 5) * 5,
}
"""How a payload of more than 8192 octets is cut; what is left over makes one more segment."""


@requirement(LONG_CALL, "rfc8166.4.2.4.nomsg-payload-by-rdma")
@pytest.mark.parametrize("cut", CUTS)
def test_responder_pulls_a_long_call(peer: Peer, cut: str) -> None:
    """A Call of over 8192 octets in a Position-Zero Read chunk of some segments is executed."""
    call = build.long_call(peer, peer.workload.long_call(8192), CUTS[cut])

    peer.send(call)

    verify.chunks.served(peer, call)


@requirement(INELIGIBLE)
def test_responder_pulls_a_long_call_of_what_may_not_be_reduced(peer: Peer) -> None:
    """A Call of over 2000 octets without an eligible item comes in a Position-Zero Read chunk."""
    call = build.long_call(peer, peer.workload.long_call(2000))

    peer.send(call)

    verify.chunks.served(peer, call)


@requirement(AT_ANY_TIME, BY_BOTH)
@pytest.mark.parametrize("size", ["null", "small"])
def test_responder_pulls_a_small_call(peer: Peer, size: str) -> None:
    """A Call that would fit inline may come as a Long Call all the same."""
    request = peer.workload.null() if size == "null" else peer.workload.small()
    call = build.long_call(peer, request)

    peer.send(call)

    verify.chunks.served(peer, call, breaks=(AT_ANY_TIME, BY_BOTH))


@requirement(ROUNDUP, ANY_ITEM)
@pytest.mark.parametrize("length", [1001, 1002])
def test_responder_finds_eligible_items_and_roundup_in_a_long_call(peer: Peer, length: int) -> None:
    """A Long Call carries a DDP-eligible argument in its place, padding included."""
    data = pattern(length, 21)
    call = build.long_call(peer, peer.workload.store(data), (500,))

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement(
    REDUCED_FIRST,
    "rfc8166.4.3.1.position-zero-chunk-carries-the-call",
    "rfc8166.3.4.5.position-is-where-the-item-returns",
)
@pytest.mark.parametrize("length", [5000, 5003], ids=["aligned", "unaligned"])
def test_responder_pulls_a_long_call_with_a_further_read_chunk(peer: Peer, length: int) -> None:
    """Position-Zero Read chunk and another one, without padding, together give the Call."""
    data = pattern(length, 22)
    call = build.long_call(peer, peer.workload.store(data), (40,), reads=((100, 2000),))

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement(REDUCED_FIRST)
def test_responder_pulls_large_arguments_of_both_kinds(peer: Peer) -> None:
    """A large ineligible argument in the Position-Zero Read chunk, an eligible one in its own."""
    request = peer.workload.long_store(3000, pattern(2001, 23))
    call = build.long_call(peer, request, (1234,), reads=((700,),))

    peer.send(call)

    verify.chunks.served(peer, call)


@requirement(
    LONG_REPLY,
    USES_CHUNK,
    "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written",
    "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
    A_LIST,
    "rfc8166.4.3.3.reply-chunk-returned",
    INELIGIBLE,
    means={A_LIST: USES_CHUNK},
)
@pytest.mark.parametrize(
    "sizes",
    [None, (1, 2, 3, 997, 19000), (1250,) * 16],
    ids=["one-segment", "odd-lengths", "sixteen-segments"],
)
def test_responder_places_a_long_reply_in_the_reply_chunk(
    peer: Peer, sizes: tuple[int, ...] | None
) -> None:
    """A Reply larger than the inline threshold comes by RDMA_NOMSG in the Reply chunk."""
    call = build.long_reply(peer, peer.workload.long_reply(8192), sizes)

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=(USES_CHUNK, INELIGIBLE))
    verify.chunks.right(peer, call, answer, breaks=LONG_REPLY)
    verify.that(answer.is_long, "the Reply is an RDMA_NOMSG", actual=str(answer), breaks=USES_CHUNK)


@requirement(ANY_ITEM, ROUNDUP)
@pytest.mark.parametrize("length", [4096, 4099])
def test_responder_places_an_eligible_result_in_a_reply_chunk(peer: Peer, length: int) -> None:
    """Without a Write list a large eligible result is in the Long Reply, padding included."""
    call = build.long_reply(peer, peer.workload.fetch(length))

    peer.send(call)

    verify.chunks.served(peer, call, breaks=(ANY_ITEM, ROUNDUP))


@requirement(REDUCED, PUSHED, REDUCED_FIRST)
def test_responder_reduces_a_long_reply(peer: Peer) -> None:
    """A large ineligible result goes into the Reply chunk, an eligible one into a Write chunk."""
    request = peer.workload.long_fetch(4000, 2001)
    call = build.long_reply(peer, request, (10000, 10000), writes=((1000, 1500),))

    peer.send(call)

    reply = verify.chunks.served(peer, call)
    lengths = [segment.length for segment in reply.answer.body.rdma_writes[0].target]
    breaks = (REDUCED, REDUCED_FIRST)
    verify.equal(lengths, [1000, 1001], "the lengths returned", breaks=breaks)


@requirement("rfc8166.3.5.3.form-of-reply-follows-the-chunks")
def test_responder_answers_a_long_call_by_a_long_reply(peer: Peer) -> None:
    """Call and Reply may both be Long messages."""
    request = peer.workload.fetch(2000)
    call = build.long_call(peer, request, (30,), reply=(2048, 1024))

    peer.send(call)

    verify.chunks.served(peer, call)


@requirement(
    NOT_PAST,
    CLOSE,
    interpretations=("D-21",),
    means={"rfc8166.8.1.4.no-more-data-than-room": NOT_PAST},
)
@pytest.mark.parametrize(
    "sizes",
    [(2000,), (4,), (1000, 500), ()],
    ids=["a-little-short", "nearly-nothing", "two-segments", "no-segment"],
)
def test_responder_keeps_within_a_reply_chunk_that_is_too_small(
    peer: Peer, sizes: tuple[int, ...]
) -> None:
    """A result of 2000 octets and a smaller Reply chunk: an error or the end, and no overrun."""
    call = build.call(peer, peer.workload.fetch(2000), reply=sizes)

    peer.send(call)

    verify.chunks.not_served(peer, call, breaks=NOT_PAST)


@requirement(WITHIN, CLOSE, interpretations=("D-21", "D-30"))
@pytest.mark.parametrize("length", [1000, 6000])
def test_responder_misses_a_reply_chunk(peer: Peer, length: int) -> None:
    """A Reply that does not fit 1024 octets, and no Reply chunk: an error or the end."""
    call = build.call(peer, peer.workload.fetch(length))

    peer.send(call)

    verify.chunks.not_served(peer, call, breaks=WITHIN)
