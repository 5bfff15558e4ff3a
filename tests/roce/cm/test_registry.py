"""By what a connection is found in each state, and when it is to act."""

from __future__ import annotations

import pytest

from rpcrdma.roce.cm import CmState
from rpcrdma.roce.cm.states import HALF_OPEN, OVER, TIMED
from tests.roce.cm.conftest import ACTIVE, PASSIVE, Wire, reach

IDLE_AND_PENDING = {CmState.IDLE, CmState.REQ_SENT, CmState.REP_WAIT}


@pytest.mark.parametrize("state", CmState, ids=lambda state: state.name)
def test_a_connection_is_found_as_long_as_it_means_something(state: CmState) -> None:
    """By its id to the end of the time wait, by the peer's queue pair while it is connected."""
    _, end, handshake = reach(state)
    registry = end.manager._registry
    source, guid, queue_pair = (ACTIVE, 0xA, 0x11)
    if not handshake.is_passive:
        source, guid, queue_pair = (PASSIVE, 0xB, 0x22)

    by_queue_pair = registry.by_queue_pair(source, guid, queue_pair)
    by_request = registry.by_request(source, guid, handshake.peer_id)

    assert (registry.by_id(handshake.own_id) is handshake) is (state is not CmState.IDLE)
    assert (handshake.own_id in registry) is (state is not CmState.IDLE)
    assert (by_queue_pair is handshake) is (state not in IDLE_AND_PENDING | OVER)
    assert (by_request is handshake) is handshake.is_passive
    assert (handshake in registry.half_open()) is (state in HALF_OPEN)
    assert (registry.deadline() is not None) is (state in TIMED)
    assert registry.by_queue_pair("192.0.2.99", guid, queue_pair) is None
    assert registry.by_queue_pair(source, guid + 1, queue_pair) is None


def test_the_passive_side_finds_a_request_in_its_time_wait(wire: Wire) -> None:
    """And no longer."""
    active, passive = wire.established()
    active.disconnect(wire.now)
    wire.carry()
    registry = wire.passive.manager._registry
    key = (ACTIVE, 0xA, active.own_id)

    assert registry.by_request(*key) is passive
    wire.wait(10)
    assert registry.by_request(*key) is None
    assert len(registry) == 0


def test_what_is_due_comes_in_the_order_of_the_deadlines(wire: Wire) -> None:
    first = wire.connect()
    wire.now += 0.1
    second = wire.connect(queue_pair=0x12)
    registry = wire.active.manager._registry

    assert registry.deadline() == first.deadline
    assert registry.due((first.deadline or 0) - 0.001) == []
    assert registry.due(first.deadline or 0) == [first]
    assert registry.due(1e6) == [first, second]
    first.abandon()
    assert registry.deadline() == second.deadline
    second.abandon()
    assert registry.deadline() is None
    assert registry.due(1e6) == []
