"""RFC 8166 section 4.3.2, Write List: matching, unused and empty Write chunks, and small ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build
from conformance.tester.workload import pages
from conformance.verify import accepted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request
    from conformance.verify.answers import Reply

GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"


PUSHED: Final = "rfc8166.4.3.2.results-pushed-into-write-chunks"
LEAVE: Final = "rfc8166.4.3.2.pushed-results-leave-the-stream"
AVAILABLE: Final = "rfc8166.6.1.responder-uses-available-write-chunk"
IS_USED: Final = "rfc8166.4.3.2.2.offered-chunk-is-used"
IN_ORDER: Final = "rfc8166.4.3.2.1.results-fill-chunks-in-order"
VALID: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"
ONE_ITEM: Final = "rfc8166.3.4.4.4.one-item-in-a-chunk"
ONE_RESULT: Final = "rfc8166.3.4.6.one-result-in-a-write-chunk"
UNUSED: Final = "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused"
KEEPS_COUNT: Final = "rfc8166.4.3.2.2.unused-chunk-keeps-its-count"
INLINE: Final = "rfc8166.4.3.2.3.empty-chunk-result-is-inline"
LONG_REPLY: Final = "rfc8166.4.3.2.3.inline-results-may-need-a-long-reply"
EMPTY: Final = "rfc8166.4.3.2.3.empty-chunk-returned-empty"
RETURNED: Final = "rfc8166.3.4.6.segments-returned"
SEGMENTS: Final = "rfc8166.3.4.6.segment-count-returned"
ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"


def lengths(reply: Reply) -> list[tuple[int, ...]]:
    """Of the segments of each returned Write chunk."""
    writes = reply.answer.body.rdma_writes
    return [tuple(segment.length for segment in chunk.target) for chunk in writes]


@requirement(PUSHED, LEAVE, AVAILABLE, IS_USED)
@pytest.mark.parametrize("length", [4, 5000])
def test_responder_pushes_an_eligible_result(peer: Peer, length: int) -> None:
    """A result with a Write chunk goes there, even one that would fit inline, and only there."""
    call = build.with_write_chunks(peer, peer.workload.fetch(length))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=PUSHED)
    written = sum(segment.length for segment in call.write_chunks[0].written())
    breaks = LEAVE if written == length else PUSHED
    reply = verify.chunks.right(peer, call, answer, breaks=breaks)
    unused = (PUSHED, AVAILABLE, IS_USED)
    verify.equal(lengths(reply), [(length,)], "the lengths returned", breaks=unused)


OF_THE_ITEM: Final = "rfc8166.3.4.6.2.returned-length-is-the-items"
LINK: Final = 1979
"""Octets of the path."""

ROOM_FOR_A_LINK: Final[Mapping[str, tuple[int, ...]]] = {
    "one-segment": (4096,),
    "two-segments": (1000, 3096),
    "odd-segments": (1, 3, 4, 4088),
}
"""More than the result needs, whose length the Call does not tell."""


@requirement(PUSHED, VALID, OF_THE_ITEM)
@pytest.mark.parametrize("reply", [None, (8192,)], ids=["inline", "beside-a-reply-chunk"])
@pytest.mark.parametrize("room", ROOM_FOR_A_LINK)
def test_responder_pushes_a_result_of_unknown_length(
    peer: Peer, room: str, reply: tuple[int, ...] | None
) -> None:
    """A path of 1979 octets, as of a symbolic link, goes whole into its Write chunk."""
    call = build.with_write_chunks(
        peer, peer.workload.read_link(), (ROOM_FOR_A_LINK[room],), reply=reply
    )

    peer.send(call)

    found = verify.chunks.served(peer, call, breaks=VALID)
    held = sum(lengths(found)[0])
    breaks = PUSHED if held < LINK else OF_THE_ITEM
    verify.equal(held, LINK, "the octets in the Write chunk", breaks=breaks)


@requirement("rfc8166.4.3.2.3.empty-write-list-means-inline")
def test_responder_returns_a_result_inline_without_a_write_list(peer: Peer) -> None:
    """Without a Write list an eligible result is in the Payload stream."""
    call = build.short(peer, peer.workload.fetch(300))

    peer.send(call)

    reply = verify.chunks.served(peer, call)
    verify.equal(lengths(reply), [], "the Write list of the Reply")


@requirement(IN_ORDER, AVAILABLE, VALID, means={RETURNED: IN_ORDER})
@pytest.mark.parametrize("sizes", [((700,), (500,)), ((300, 400), (1, 499))], ids=["one", "two"])
def test_responder_puts_results_into_chunks_in_order(
    peer: Peer, sizes: tuple[tuple[int, ...], ...]
) -> None:
    """Two results go into two Write chunks, of one or two segments, in the order of the XDR."""
    call = build.with_write_chunks(peer, peer.workload.fetch_two(700, 500), sizes)

    peer.send(call)

    reply = verify.chunks.served_unless_too_many(peer, call, breaks=(IN_ORDER, VALID))
    if reply is not None:
        breaks = (IN_ORDER, AVAILABLE)
        verify.equal(lengths(reply), [*sizes], "the lengths returned", breaks=breaks)


@requirement(IN_ORDER, ONE_ITEM, ONE_RESULT)
@pytest.mark.parametrize("room", [700, 1200], ids=["for-the-first", "for-both"])
def test_responder_returns_inline_what_has_no_chunk_left(peer: Peer, room: int) -> None:
    """Of two results and one Write chunk, the first goes there and the second stays inline."""
    call = build.with_write_chunks(peer, peer.workload.fetch_two(700, 300), ((room,),))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=IN_ORDER)
    more = sum(segment.length for chunk in answer.body.rdma_writes for segment in chunk.target)
    breaks = (ONE_ITEM, ONE_RESULT) if more > 700 else IN_ORDER
    reply = verify.chunks.right(peer, call, answer, breaks=breaks)
    verify.equal(lengths(reply), [(700,)], "the lengths returned", breaks=breaks)


@requirement(UNUSED, KEEPS_COUNT, means={SEGMENTS: KEEPS_COUNT})
@pytest.mark.parametrize("sizes", [(512,), (100, 200, 212)], ids=["one-segment", "three-segments"])
@pytest.mark.parametrize("why", ["no-item-in-the-result", "rpc-error", "item-without-octets"])
def test_responder_returns_a_write_chunk_unused(
    peer: Peer, why: str, sizes: tuple[int, ...]
) -> None:
    """A Write chunk for which there is no data comes back with all its segments, all empty."""
    requests: dict[str, Callable[[], Request]] = {
        "no-item-in-the-result": peer.workload.fetch_nothing,
        "rpc-error": peer.workload.garbage,
        "item-without-octets": partial(peer.workload.fetch, 0),
    }
    call = build.call(peer, requests[why](), writes=(sizes,))

    peer.send(call)

    if why == "rpc-error":
        reply = verify.garbage_args(peer, call, breaks=GARBAGE)
        verify.chunks.returned(call, reply.answer)
    else:
        reply = verify.chunks.answered(peer, call)
    verify.equal(lengths(reply), [(0,) * len(sizes)], "the lengths returned")


@requirement(UNUSED, KEEPS_COUNT, ONE_RESULT, means={SEGMENTS: KEEPS_COUNT})
def test_responder_returns_chunks_beyond_its_results_unused(peer: Peer) -> None:
    """More Write chunks than results: those at the end come back unused, or are refused."""
    request = peer.workload.fetch(600)
    call = build.with_write_chunks(peer, request, ((600,), (100, 200), (300,)))

    peer.send(call)

    reply = verify.chunks.served_unless_too_many(peer, call, breaks=ONE_RESULT)
    if reply is not None:
        found = lengths(reply)
        breaks = UNUSED if found[:1] == [(600,)] else ONE_RESULT
        verify.equal(found, [(600,), (0, 0), (0,)], "the lengths returned", breaks=breaks)


def served_with_an_empty_chunk(peer: Peer, call: Call, *breaks: str) -> Reply | None:
    """A Call whose one result has an empty Write chunk is served.

    RFC 8166 speaks of such a chunk among several results only; the binding of NFSv4 has a single
    READ take it (RFC 8267 6.4.1), and so does that of the test program (D-148).

    Returns:
        None if it is refused, of which a binding without that rule has a warning.
    """
    tolerated = verify.shapes.refused_with_a_warning(peer)
    outcome = verify.expect(
        peer, call, Answered, tolerated=tolerated, breaks=breaks, statuses=accepted.SERVED
    )
    if not isinstance(outcome, Answered):
        return None
    return verify.chunks.right(peer, call, outcome)


@requirement(INLINE, EMPTY, interpretations=("D-148",), means={UNUSED: EMPTY})
def test_responder_returns_inline_a_result_with_an_empty_chunk(peer: Peer) -> None:
    """An empty Write chunk has its result inline, and comes back empty."""
    call = build.with_write_chunks(peer, peer.workload.fetch(300), ((),))

    peer.send(call)

    reply = served_with_an_empty_chunk(peer, call, INLINE)
    if reply is not None:
        verify.equal(lengths(reply), [()], "the Write list of the Reply")


@requirement(INLINE, EMPTY, means={UNUSED: EMPTY})
@pytest.mark.parametrize("empty", [0, 1], ids=["the-first", "the-second"])
def test_responder_returns_one_of_two_results_inline(peer: Peer, empty: int) -> None:
    """Of two results that with the empty Write chunk is inline, the other one is not."""
    sizes: list[tuple[int, ...]] = [(300,), (300,)]
    sizes[empty] = ()
    call = build.with_write_chunks(peer, peer.workload.fetch_two(300, 300), tuple(sizes))

    peer.send(call)

    reply = verify.chunks.served_unless_too_many(peer, call, breaks=INLINE)
    if reply is not None:
        verify.equal(lengths(reply), sizes, "the lengths returned", breaks=INLINE)


@requirement(
    LONG_REPLY,
    INLINE,
    interpretations=("D-148",),
)
def test_responder_returns_a_large_result_with_an_empty_chunk_by_reply_chunk(peer: Peer) -> None:
    """A result of 3000 octets with an empty Write chunk comes in a Long Reply."""
    request = peer.workload.fetch(3000)
    call = build.with_write_chunks(peer, request, ((),), reply=(4096,))

    peer.send(call)

    reply = served_with_an_empty_chunk(peer, call, LONG_REPLY, INLINE)
    if reply is not None:
        verify.that(reply.answer.is_long, "the Reply is an RDMA_NOMSG", actual=str(reply.answer))


@requirement("rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result")
def test_responder_uses_an_unconsumed_chunk_for_the_next_result(peer: Peer) -> None:
    """With no data in the first of two results, the one Write chunk takes the second."""
    call = build.with_write_chunks(peer, peer.workload.fetch_second_only(400), ((400,),))

    peer.send(call)

    answer = verify.awaited(peer, call, Answered)
    verify.chunks.returned(call, answer)
    data = call.write_chunks[0].contents(answer.body.rdma_writes[0].target)
    verify.equal(len(data), 400, "the number of octets in the Write chunk")
    verify.look(peer, call, answer)


@requirement(
    ROOM,
    "rfc8166.4.5.4.close-when-reply-cannot-be-sent",
    interpretations=("D-21",),
)
@pytest.mark.parametrize(
    ("sizes", "page"),
    [
        ((2999,), pages.TOO_SMALL[0]),
        ((1000, 1000), pages.TOO_SMALL[1]),
        ((0,), pages.TOO_SMALL[2]),
    ],
    ids=["one-octet-short", "two-segments", "no-octet-at-all"],
)
def test_responder_keeps_within_a_write_chunk_that_is_too_small(
    peer: Peer, connect: Callable[..., Peer], sizes: tuple[int, ...], page: int
) -> None:
    """A result of 3000 octets and a smaller Write chunk: an error or the end, and no overrun."""
    call = build.with_write_chunks(peer, peer.workload.fetch_aside(3000, page), (sizes,))

    peer.send(call)

    verify.chunks.not_served(peer, call, breaks=ROOM)
    peer = peer if peer.connected else connect()
    again = build.with_write_chunks(peer, peer.workload.fetch_aside(3000, page))
    peer.send(again)
    verify.chunks.served(peer, again)
