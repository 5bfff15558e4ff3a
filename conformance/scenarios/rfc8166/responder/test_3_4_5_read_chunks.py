"""RFC 8166 section 3.4.5, Read Chunks, with 3.4.5.2, Read Chunk Roundup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.wire import FrameAct, Packets
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.wire import Wire

PULLED: Final = "rfc8166.3.4.5.responder-pulls-read-chunks"
FETCHED: Final = "rfc8166.3.5.2.read-chunks-fetched-by-rdma-read"
ORDER: Final = "rfc8166.3.4.5.segments-join-in-list-order"
FOLLOW: Final = "rfc8166.3.4.5.further-segments-follow-the-first"
POSITION: Final = "rfc8166.3.4.5.position-is-where-the-item-returns"
NO_GAP: Final = "rfc8166.3.4.5.unaligned-segments-leave-no-gap"
BOUNDARIES: Final = "rfc8166.3.4.4.any-segment-boundaries"

SEGMENTS: Final = {
    "one-segment": ((), (PULLED, FETCHED), (PULLED, FETCHED)),
    "off-four-octet-boundaries": ((1, 2, 3, 5, 7, 11, 1001), (BOUNDARIES,), (ORDER, NO_GAP)),
    "last-of-one-octet": ((2048,), (BOUNDARIES,), (ORDER, FOLLOW)),
    "sixteen-of-odd-length": ((1,) * 7 + (127,) * 8, (BOUNDARIES,), (ORDER, NO_GAP)),
}
"""How 2049 octets are cut (what is left over makes one more segment), and what is broken if the
call is refused, and if it is served wrongly."""


@requirement(ORDER, PULLED, NO_GAP, BOUNDARIES, FOLLOW, FETCHED)
@pytest.mark.parametrize("cut", SEGMENTS)
def test_responder_joins_the_segments_of_a_read_chunk(peer: Peer, cut: str) -> None:
    """An argument of 2049 octets in a Read chunk is put together in list order."""
    sizes, refused, wrong = SEGMENTS[cut]
    data = pattern(2049, 40 + list(SEGMENTS).index(cut))
    call = build.with_read_chunks(peer, peer.workload.store(data), (sizes,))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=refused)
    verify.chunks.arrived(peer, call, answer, data, breaks=wrong)


@requirement(POSITION)
@pytest.mark.parametrize("length", [1, 3, 4, 65535])
def test_responder_takes_an_argument_of_any_length(peer: Peer, length: int) -> None:
    """Read chunks of a few octets and of many are put back at their Position."""
    data = pattern(length, 50 + length % 7)
    call = build.with_read_chunks(peer, peer.workload.store(data))

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement(
    "rfc8166.3.4.5.2.roundup-in-either-place",
    "rfc8166.2.2.4.2.roundup-stays-below-the-ulp",
    interpretations=("D-24",),
)
@pytest.mark.parametrize("length", [1001, 1003])
@pytest.mark.parametrize("place", ["in-its-own-segment", "at-the-end-of-the-last"])
def test_responder_takes_a_read_chunk_with_roundup(peer: Peer, length: int, place: str) -> None:
    """Padding in a Read chunk, in a segment of its own or not, does not reach the program."""
    data = pattern(length, 60 + len(place))
    sizes = (length,) if place == "in-its-own-segment" else ()
    call = build.with_read_chunks(peer, peer.workload.store(data), (sizes,), roundup=True)

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement(
    "rfc8166.3.4.3.reduction-is-the-senders-choice", "rfc8166.3.5.2.some-or-all-items-reduced"
)
def test_responder_takes_an_eligible_argument_inline(peer: Peer) -> None:
    """A DDP-eligible argument that was left in the Payload stream is taken from there."""
    data = pattern(301, 80)
    call = build.short(peer, peer.workload.store(data))

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement("rfc8166.3.5.2.some-or-all-items-reduced", POSITION)
@pytest.mark.parametrize("reduced", [1, 2], ids=["the-first", "both"])
def test_responder_takes_two_arguments_of_which_some_are_reduced(peer: Peer, reduced: int) -> None:
    """Of two DDP-eligible arguments one or both are in Read chunks, each at its Position."""
    first, second = pattern(704, 81), pattern(205, 82)
    request = peer.workload.store_two(first, second)
    call = build.with_read_chunks(peer, request, ((200,),) * reduced)

    peer.send(call)

    verify.chunks.stored_unless_too_many(peer, call, first + second)


@requirement("rfc8166.3.4.5.1.reply-ends-use-of-read-chunks")
def test_responder_is_done_with_read_chunks_when_it_replies(peer: Peer) -> None:
    """Memory of a Read chunk that is withdrawn after the Reply is missed by nobody."""
    call = build.with_read_chunks(peer, peer.workload.store(pattern(4096, 83)))
    peer.send(call)
    verify.served(peer, call)

    peer.invalidate(call.read_chunks[0])

    after = build.small_call(peer)
    peer.send(after)
    verify.served(peer, after)


RESPONSES: Final = {
    "first": Packets.READ_RESPONSES,
    "middle": Packets.WITHIN_READ_RESPONSES,
    "last": Packets.ENDS_OF_READ_RESPONSES,
}


@requirement(PULLED, FETCHED, wider=verify.recovery.LOSS)
@pytest.mark.parametrize(
    "act", [FrameAct.DROP, FrameAct.REORDER, FrameAct.DUPLICATE], ids=lambda act: act.value
)
@pytest.mark.parametrize("which", RESPONSES)
def test_responder_pulls_a_chunk_whole_whatever_the_network_does(
    peer: Peer, wire: Wire, which: str, act: FrameAct
) -> None:
    """A packet of an argument is lost on its way, overtaken or doubled: it arrives whole."""
    data = pattern(20000, 52)
    call = build.with_read_chunks(peer, peer.workload.store(data))
    wire.hit(RESPONSES[which], act)

    peer.send(call)

    verify.recovery.stored(peer, call, data, breaks=(PULLED, FETCHED))
    wire.require_struck()


@requirement(PULLED, FETCHED, wider=verify.recovery.LOSS)
@pytest.mark.parametrize("act", [FrameAct.DROP, FrameAct.DUPLICATE], ids=lambda act: act.value)
def test_responder_pulls_a_chunk_whole_when_its_request_is_hit(
    peer: Peer, wire: Wire, act: FrameAct
) -> None:
    """What the device asks for is lost on its way, or comes twice: the argument arrives whole."""
    data = pattern(20000, 53)
    call = build.with_read_chunks(peer, peer.workload.store(data))
    wire.hit(Packets.DEVICE_READ_REQUESTS, act)

    peer.send(call)

    verify.recovery.stored(peer, call, data, breaks=(PULLED, FETCHED))
    wire.require_struck()
