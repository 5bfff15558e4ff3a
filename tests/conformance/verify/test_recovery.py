"""Verifications where packets get lost, against devices that put it right and that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Deviation
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from rpcrdma.ulp.pattern import pattern
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget
from tests.conformance.verify.test_answers import connect, good

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

RULE = "rfc8166.2.3.2.one-receive-for-each-send"


@pytest.fixture
def peer() -> Iterator[Peer]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))
    yield harness.ready_peer()
    harness.close()


def sent(peer: Peer) -> Call:
    call = build.null_call(peer)
    peer.send(call)
    return call


def test_one_answer_will_do(peer: Peer) -> None:
    assert verify.recovery.served(peer, sent(peer), breaks=RULE)
    assert peer.case.warnings == []


def test_a_second_answer_is_one_too_many() -> None:
    peer = connect(lambda message: good(message) * 2)

    with pytest.raises(Deviation, match="no answer to it"):
        verify.recovery.served(peer, sent(peer), breaks=RULE)


def test_what_comes_behind_the_last_small_call_is_too_much() -> None:
    answered = [0]

    def late(message: bytes) -> list[bytes]:
        answered[0] += 1
        return good(message) * (2 if answered[0] == 3 else 1)

    peer = connect(late)

    with pytest.raises(Deviation, match="nothing comes that answers no call") as caught:
        verify.recovery.served(peer, sent(peer), breaks=RULE)

    assert caught.value.breaks == (RULE,)


def test_the_end_of_the_connection_is_a_warning(peer: Peer) -> None:
    call = sent(peer)
    peer.disconnect()

    assert not verify.recovery.served(peer, call, breaks=RULE)

    (warned,) = peer.case.warnings
    assert warned.ids == (RULE,)


def test_an_argument_that_arrived_is_stored(peer: Peer) -> None:
    data = pattern(3000, 4)
    call = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(call)

    assert verify.recovery.stored(peer, call, data, breaks=RULE)


def test_an_argument_may_be_lost_with_its_connection(peer: Peer) -> None:
    data = pattern(3000, 4)
    call = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(call)
    peer.disconnect()

    assert not verify.recovery.stored(peer, call, data, breaks=RULE)
    assert len(peer.case.warnings) == 1


def test_several_calls_are_answered_in_any_order(peer: Peer) -> None:
    calls = [sent(peer) for _ in range(3)]

    assert verify.recovery.all_served(peer, calls[::-1], breaks=RULE)


def test_one_of_several_calls_must_not_be_left() -> None:
    peer = connect(lambda message: [] if message[16:20] != bytes(4) else good(message))
    calls = [sent(peer), build.small_call(peer)]

    with pytest.raises(Deviation, match="each call is answered once"):
        verify.recovery.all_served(peer, calls, breaks=RULE)


def test_several_calls_may_be_lost_with_their_connection(peer: Peer) -> None:
    calls = [sent(peer), sent(peer)]
    peer.disconnect()

    assert not verify.recovery.all_served(peer, calls, breaks=RULE)
    assert len(peer.case.warnings) == 1
