"""Messages that may do harm to a real server are known before they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.explore.danger import danger_of
from conformance.oracle.header import decode_header
from conformance.tester.client import build, mutate
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call


def store(peer: Peer) -> Call:
    return build.with_read_chunks(peer, peer.workload.store(pattern(700, 1)), ((300,),))


def fetch(peer: Peer) -> Call:
    return build.with_write_chunks(peer, peer.workload.fetch(700))


def long_reply(peer: Peer) -> Call:
    return build.call(peer, peer.workload.long_reply(3000), reply=(4000,))


GOOD = {
    "null": build.null_call,
    "store": store,
    "fetch": fetch,
    "long-reply": long_reply,
    "room-for-more": lambda peer: build.with_write_chunks(
        peer, peer.workload.fetch(700), ((900,),)
    ),
    "empty-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(700), ((),)),
    "cut": lambda peer: mutate.truncate(fetch(peer), 40),
    "other-version": lambda peer: mutate.version(store(peer), 9),
}

BAD = {
    "empty-read-segment": (lambda peer: mutate.read_segment(store(peer), 1, length=0), "Read list"),
    "room-without-octets": (
        lambda peer: mutate.write_segment(fetch(peer), 0, 0, length=0),
        "cannot be used",
    ),
    "room-of-nobody": (
        lambda peer: mutate.write_segment(fetch(peer), 0, 0, handle=7),
        "cannot be used",
    ),
    "reply-chunk-elsewhere": (
        lambda peer: mutate.reply_segment(long_reply(peer), 0, offset=7),
        "cannot be used",
    ),
    "short-room": (
        lambda peer: build.with_write_chunks(peer, peer.workload.fetch(700), ((699,),)),
        "too short",
    ),
}


def danger(peer: Peer, make: Callable[[Peer], Call]) -> str:
    call = make(peer)
    return danger_of(call.octets, peer.state.memory, call.request.layer)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", GOOD)
def test_good_calls_and_other_faults_do_no_harm(peer: Peer, name: str, version: int) -> None:
    peer.version = version

    assert danger(peer, GOOD[name]) == ""


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", BAD)
def test_harm_is_known_by_the_chunks(peer: Peer, name: str, version: int) -> None:
    make, words = BAD[name]
    peer.version = version

    assert words in danger(peer, make)


def test_harm_is_known_in_a_header_that_only_a_lenient_device_takes(peer: Peer) -> None:
    call = mutate.read_segment(store(peer), 1, length=0)
    octets = bytearray(call.octets)
    octets[18] = 1  # of the word that says that a Read segment follows, which is neither 0 nor 1
    with pytest.raises(DecodeError):
        decode_header(bytes(octets))
    assert "Read list" in danger_of(bytes(octets), peer.state.memory, call.request.layer)
