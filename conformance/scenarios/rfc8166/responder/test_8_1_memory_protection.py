"""RFC 8166 section 8.1, Memory Protection: what a Responder has, and nobody asked it to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.tester.client import build, mutate
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request

WHOLE: Final = "rfc8166.8.1.no-new-vulnerabilities"
ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"

BEFORE: Final = 8192
"""Octets before those that are fetched: what is stored next does not reach them."""

LENGTH: Final = 3000
"""Octets fetched: less than a page, so that a device that keeps a page has no other left over."""

ROUNDS: Final = 8
"""How often the same is tried: which of a device's threads takes a Call is a matter of chance."""


def with_empty_segment(peer: Peer, request: Request) -> Call:
    """A Write chunk that has room, and a segment of no octets before its end."""
    return build.with_write_chunks(peer, request, ((LENGTH - 1000, 0, LENGTH),))


def beyond_32_bits(peer: Peer, request: Request) -> Call:
    """A Write chunk that has room, whose segments are told to have more than 2^32 octets."""
    call = build.with_write_chunks(peer, request, ((LENGTH, 400),))
    return mutate.write_segment(call, 0, 0, length=2**32 - 1)


ODD_ROOM: Final = {"empty-segment": with_empty_segment, "beyond-32-bits": beyond_32_bits}


def store(peer: Peer, data: bytes) -> None:
    """Store, and see that the data arrived whole."""
    call = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(call)
    verify.chunks.stored(peer, call, data, breaks=WHOLE)


def end_of(peer: Peer, data: bytes) -> Request:
    """What fetches the end of the data that are stored, or as much where nothing is kept."""
    return peer.workload.stored(data, BEFORE) or peer.workload.fetch(LENGTH)


def see_that_nothing_else_changes(
    peer: Peer, connect: Callable[..., Peer], data: bytes, other: bytes
) -> None:
    """Store over the beginning of the data when the device is at rest, and look at all of them."""
    peer = peer if peer.connected else connect()
    for _ in range(2):
        small = build.null_call(peer)
        peer.send(small)
        verify.served(peer, small, breaks=WHOLE)
    store(peer, other)
    if whole := peer.workload.stored(other + data[len(other) :]):
        call = build.with_write_chunks(peer, whole)
        peer.send(call)
        verify.chunks.served(peer, call, breaks=WHOLE)


@pytest.mark.destructive  # a server that fails has damaged a file of the suite's
@requirement(WHOLE)
@pytest.mark.parametrize("stored", [500, 5000])
def test_responder_keeps_its_data_whole_behind_a_result_without_room(
    peer: Peer, connect: Callable[..., Peer], stored: int
) -> None:
    """A Call after a result that had no room in its Write chunk changes only what it says."""
    for number in range(ROUNDS):
        peer = peer if peer.connected else connect()
        data = pattern(BEFORE + LENGTH, 46 + number)
        store(peer, data)
        without_room = build.with_write_chunks(peer, end_of(peer, data), ((LENGTH - 1,),))

        peer.send(without_room)

        verify.chunks.not_served(peer, without_room, breaks=ROOM)
        see_that_nothing_else_changes(peer, connect, data, pattern(stored, 66 + number))


@pytest.mark.destructive  # as above
@requirement(WHOLE, wider="what an empty segment may cost is for 3.4.6, not for what comes after")
@pytest.mark.parametrize("room", ODD_ROOM)
def test_responder_keeps_its_data_whole_behind_odd_room(
    peer: Peer, connect: Callable[..., Peer], room: str
) -> None:
    """Room for a result that a device may be unable to use: the next Call does what it says."""
    for number in range(ROUNDS):
        peer = peer if peer.connected else connect()
        data = pattern(BEFORE + LENGTH, 86 + number)
        store(peer, data)
        odd = ODD_ROOM[room](peer, end_of(peer, data))

        peer.send(odd)

        verify.expect(peer, odd, Answered, ErrChunk, Disconnected)
        see_that_nothing_else_changes(peer, connect, data, pattern(500, 96 + number))
