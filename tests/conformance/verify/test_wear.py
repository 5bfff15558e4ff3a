"""A device is looked at while it is given many of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from conformance.verify.wear import CALLS, LOOKS, WARM_UP, ActedCalls, ServedCalls, Wear
from targets.registry import find_any_target, find_target
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.client.peer import Peer
    from rpcrdma.fabric.base import Fabric

SURVIVES = "rfc8166.4.5.5.rpc-survives-connection-loss"


class Holding:
    """A session that tells what a test says."""

    def __init__(self, fabric: Fabric, amount: Callable[[], int]) -> None:
        self.fabric = fabric
        self._amount = amount
        self.asked = 0

    def usage(self) -> Usage:
        self.asked += 1
        return Usage(((Resource.THREADS, self._amount()),))


@pytest.fixture
def harness() -> Iterator[Harness]:
    harness = Harness(find_target("reference"))
    harness.begin()
    yield harness
    harness.close()


def test_items_are_counted_after_a_warm_up_and_looked_at_in_between(harness: Harness) -> None:
    done: list[int] = []
    session = Holding(harness.session.fabric, lambda: len(done))
    seen: list[tuple[int, int]] = []

    for number in Wear(session, ServedCalls(harness.connect, SURVIVES), "item").each(8):
        seen.append((number, session.asked))
        done.append(number)

    assert [number for number, _ in seen] == list(range(WARM_UP + 8))
    assert [asked for _, asked in seen] == [0] * WARM_UP + [1, 1, 2, 2, 3, 3, 4, 4]
    assert session.asked == LOOKS
    assert harness.case.arrivals == LOOKS * CALLS
    assert harness.case.notes == [
        "The device keeps 1 thread for each item: it had 8 before 8 items, and 16 after them."
    ]


def test_a_session_that_cannot_tell_has_no_note(harness: Harness) -> None:
    class Silent:
        fabric = harness.session.fabric

    for _ in Wear(Silent(), ServedCalls(harness.connect, SURVIVES), "item").each(8):
        pass

    assert harness.case.notes == []


def test_a_connection_that_stays_may_be_ended_and_is_told(harness: Harness) -> None:
    peers: list[Peer] = []

    def connect() -> Peer:
        peers.append(harness.connect())
        return peers[-1]

    for number in Wear(harness.session, ServedCalls(connect, SURVIVES), "item").each(8):
        if number == WARM_UP:
            peers[0].close()

    assert len(peers) == 2
    assert harness.case.notes == [
        "A connection was ended that stood idle while others came and went."
    ]


def test_a_device_that_serves_no_good_call_fails(harness: Harness) -> None:
    wear = Wear(harness.session, ServedCalls(harness.connect, SURVIVES), "item")
    harness.session.close()

    with pytest.raises(Deviation, match="does not accept a connection"):
        for _ in wear.each(8):
            pass


@pytest.fixture
def caller() -> Iterator[ClientHarness]:
    caller = ClientHarness(find_any_target("reference-client"))
    caller.begin()
    yield caller
    caller.close()


def test_a_client_makes_good_calls_and_connects_before_they_are_timed(
    caller: ClientHarness,
) -> None:
    service = caller.ready()
    calls = ActedCalls(caller.client, (SURVIVES,))
    session = Holding(caller.session.fabric, lambda: 3)

    before = len(service.received)
    for _ in Wear(session, calls, "item").each(8):
        service.drop()

    assert session.asked == LOOKS
    assert len(service.received) - before == LOOKS * (CALLS + 1)
    assert caller.case.notes == []


def test_a_client_that_makes_no_good_call_fails(caller: ClientHarness) -> None:
    caller.ready()
    caller.session.close()

    with pytest.raises(Deviation, match="told to do"):
        for _ in Wear(caller.session, ActedCalls(caller.client, (SURVIVES,)), "item").each(8):
            pass
