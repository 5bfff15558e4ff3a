"""RFC 8166 section 3.4.4, Chunks: what leaves the Payload stream with an item, and what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

COUNT = "rfc8166.3.4.4.1.count-stays-in-the-stream"
ELEMENTS = "rfc8166.3.4.4.1.elements-move-to-the-chunk"
ITEM = "rfc8166.3.4.3.reduced-item-leaves-the-stream"
ROUNDUP = "rfc8166.3.4.4.4.roundup-leaves-the-stream"


def left_wrongly(more: int) -> tuple[str, ...]:
    """What is broken by a reduced stream of that many octets more than it should have."""
    if more < 0:
        return (COUNT,)
    return (ROUNDUP,) if more < 4 else (ITEM, ELEMENTS)


@requirement(ROUNDUP, COUNT, ELEMENTS, ITEM)
@pytest.mark.parametrize("length", [1000, 1001, 1002, 1003])
def test_reduced_reply_is_shorter_by_the_item_and_its_roundup(peer: Peer, length: int) -> None:
    """With a result in a Write chunk, the stream is that of an empty result: its count remains."""
    inline = build.short(peer, peer.workload.fetch(4))
    peer.send(inline)
    rest = len(verify.served(peer, inline).payload) - 4
    call = build.with_write_chunks(peer, peer.workload.fetch(length))

    peer.send(call)

    answer = verify.awaited(peer, call, Answered)
    length = len(answer.payload)
    broken = left_wrongly(length - rest)
    verify.equal(length, rest, "the length of the reduced Payload stream", breaks=broken)
    verify.look(peer, call, answer)


@requirement(
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    "rfc8166.4.3.1.read-list-groups-by-position",
)
@pytest.mark.parametrize("roundup", [False, True], ids=["bare", "with-roundup"])
def test_two_reduced_arguments_rejoin_the_stream(peer: Peer, roundup: bool) -> None:
    """Two arguments of odd length in Read chunks of two segments each arrive whole."""
    first, second = pattern(1001, 1), pattern(703, 2)
    request = peer.workload.store_two(first, second)
    call = build.with_read_chunks(peer, request, ((500,), (300,)), roundup=roundup)

    peer.send(call)

    verify.chunks.stored_unless_too_many(peer, call, first + second)


@requirement(
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    "rfc8166.4.3.1.read-list-groups-by-position",
)
@pytest.mark.parametrize("roundup", [False, True], ids=["bare", "with-roundup"])
def test_what_follows_two_reduced_arguments_is_found(peer: Peer, roundup: bool) -> None:
    """Two reduced arguments of odd length, and one that stays in the stream after them."""
    first, second = pattern(1001, 1), pattern(703, 2)
    request = peer.workload.store_two_and_more(first, second)
    call = build.with_read_chunks(peer, request, ((500,), (300,)), roundup=roundup)

    peer.send(call)

    verify.chunks.stored_unless_too_many(peer, call, first + second)
