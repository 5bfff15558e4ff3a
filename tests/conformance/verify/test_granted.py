"""No more is sent than was granted, and a grant that grows is waited for."""

from __future__ import annotations

import pytest

from conformance import verify
from conformance.oracle.outcome import Disconnected, ErrChunk
from conformance.tester.client import build
from conformance.verify.granted import await_answer
from targets.base import Unsupported
from tests.conformance.miniatures import good
from tests.conformance.verify.test_answers import Overtaken, connect, refusing, send_bad


class Granting:
    """Grants one credit more by each Reply, up to a number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0

    def __call__(self, message: bytes) -> list[bytes]:
        self._now = min(self._now + 1, self._most)
        return [one[:8] + self._now.to_bytes(4) + one[12:] for one in good(message)]


def test_a_grant_that_grows_is_waited_for() -> None:
    peer = connect(Granting(5))

    verify.granted.require(peer, 5)

    assert peer.granted == 5


def test_a_grant_that_stays_is_not() -> None:
    with pytest.raises(Unsupported, match="grants 2 credits, and 3 are needed"):
        verify.granted.require(connect(Granting(2)), 3)


def test_with_one_credit_the_answer_comes_before_anything_is_sent() -> None:
    peer = connect(refusing)
    send_bad(peer)

    await_answer(peer, is_due=True)

    assert isinstance(peer.receive(), ErrChunk)


def test_with_more_credits_nobody_waits() -> None:
    peer = connect(Overtaken())
    verify.granted.require(peer, 2)
    bad = send_bad(peer)

    await_answer(peer, is_due=True)

    assert isinstance(verify.discarded(peer, bad, ErrChunk), ErrChunk)


def test_what_comes_while_a_call_is_taken_up_is_kept() -> None:
    peer = connect(good)
    call = build.null_call(peer)
    peer.send(call)
    before = peer.connection.clock.now()

    verify.granted.settle(peer)

    assert peer.connection.clock.now() - before >= peer.profile.grace
    verify.served(peer, call)


def test_the_end_of_the_connection_is_not_waited_out() -> None:
    peer = connect(good)
    peer.disconnect()

    verify.granted.settle(peer)

    assert isinstance(peer.receive(), Disconnected)
