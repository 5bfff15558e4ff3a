"""What a server does to the memory of each call is seen, whatever a case is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.outcome import Answered
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call


@pytest.fixture
def fetched(peer: Peer) -> Call:
    """A call whose result has come into a Write chunk."""
    call = build.with_write_chunks(peer, peer.workload.fetch(1000))
    peer.send(call)
    assert isinstance(peer.receive(), Answered)
    return call


def broken(peer: Peer) -> list[str]:
    return [name for rule in peer.broken() for name in rule.ids]


def touch(call: Call, place: int) -> None:
    """Write an octet into the memory of a call, as the device would."""
    call.write_chunks[0].segments[0].region.write(b"\x00", place)


def test_results_in_their_place_break_nothing(peer: Peer, fetched: Call) -> None:
    assert fetched.write_chunks
    assert broken(peer) == []


def test_what_changes_after_the_reply_is_told(peer: Peer, fetched: Call) -> None:
    touch(fetched, 5)

    assert broken(peer) == ["rfc8166.3.5.2.writes-precede-the-reply"]


def test_what_changes_outside_is_told(peer: Peer, fetched: Call) -> None:
    touch(fetched, fetched.write_chunks[0].segments[0].told.length)

    assert "rfc8166.8.1.4.no-more-data-than-room" in broken(peer)


def test_what_the_lengths_do_not_tell_of_is_told(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(1000), sizes=((1200,),))
    touch(call, 1100)
    peer.send(call)
    peer.receive()

    assert broken(peer) == ["rfc8166.3.4.6.segment-lengths-tell-what-was-written"]


def test_memory_of_a_spoiled_call_is_not_judged(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(1000))
    peer.send(mutate.version(call, 99))
    touch(call, call.write_chunks[0].segments[0].told.length)

    assert broken(peer) == []


def test_memory_of_two_calls_is_not_judged(peer: Peer, fetched: Call) -> None:
    again = build.null_call(peer)
    shared = type(again)(
        again.xid,
        fetched.request,
        again.header,
        again.payload,
        again.octets,
        again.unreduced,
        write_chunks=fetched.write_chunks,
    )
    peer.send(shared)
    touch(fetched, 5)

    assert broken(peer) == []
