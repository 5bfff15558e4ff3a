"""Calls and replies of exactly so many octets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.client import build_sized

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("length", [256, 1020, 1024])
def test_calls_and_replies_have_the_length_that_was_asked_for(
    peer: Peer, version: int, length: int
) -> None:
    peer.version = version
    call, fetch = build_sized.call_of(peer, length), build_sized.reply_of(peer, length)

    peer.send(call)
    verify.served(peer, call)
    peer.send(fetch)

    assert len(call.octets) == length
    assert verify.served(peer, fetch).answer.length == length


def test_a_reply_chunk_can_be_offered_beside(peer: Peer) -> None:
    call = build_sized.reply_of(peer, 2000, reply=(2000,))
    peer.send(call)

    assert verify.served(peer, call).answer.is_long
