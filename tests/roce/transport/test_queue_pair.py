"""States of a queue pair, and what two of them carry between each other."""

from __future__ import annotations

from itertools import product

import pytest

from rpcrdma.errors import ConnectionLost, FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.transport.queue_pair import (
    TRANSITIONS,
    QueuePair,
    QueuePairInput,
    QueuePairState,
)
from tests.roce.transport.conftest import USUAL, End, WirePair

ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE
OK, FLUSHED = CompletionStatus.SUCCESS, CompletionStatus.FLUSHED


def fresh() -> QueuePair:
    return End(WirePair().clock, 21, 4).pair


def brought_to(state: QueuePairState) -> QueuePair:
    pair = fresh()
    pair.state = state
    return pair


def give(pair: QueuePair, given: QueuePairInput) -> None:
    match given:
        case QueuePairInput.READY_TO_RECEIVE:
            pair.ready_to_receive(USUAL)
        case QueuePairInput.READY_TO_SEND:
            pair.ready_to_send()
        case QueuePairInput.FAIL:
            pair.fail()
        case QueuePairInput.INITIALISE:
            pair._move(given)


@pytest.mark.parametrize(("state", "given"), list(product(QueuePairState, QueuePairInput)))
def test_every_input_moves_as_the_table_says_or_is_refused(
    state: QueuePairState, given: QueuePairInput
) -> None:
    """And what is refused leaves the state as it was."""
    pair = brought_to(state)
    target = TRANSITIONS.get((state, given))
    if target is not None:
        give(pair, given)
        assert pair.state is target
        return
    with pytest.raises(FabricError, match=f"state {state.name} takes no {given.name}"):
        give(pair, given)
    assert pair.state is state


def test_receives_are_taken_before_the_peer_is_known() -> None:
    """And nothing else is."""
    pair = fresh()
    pair.post_receive(WorkId(1), one_segment(8))

    with pytest.raises(ConnectionLost, match="not made yet"):
        pair.post_send(WorkId(2), b"")
    assert pair.state is QueuePairState.INIT
    assert pair.take_packets(0.0) == []
    assert pair.deadline() is None


def test_message_of_any_length_arrives_whole(wire: WirePair) -> None:
    """Of none, one and many packets, the last of which is full or not."""
    here, there = wire.ends
    messages = [
        bytes([n]) * length for n, length in enumerate((0, 1, 1023, 1024, 1025, 2048, 9999))
    ]
    for message in messages:
        there.receive(10_000)
        here.send(message)
    wire.run()

    assert there.received() == messages
    assert here.statuses() == [OK] * len(messages)


def test_failing_flushes_requests_and_then_receives(wire: WirePair) -> None:
    """Each once; and nothing can be posted any more."""
    here, _ = wire.ends
    receive = here.receive()
    sends = [here.send(b"1"), here.send(b"2", signalled=False)]
    here.pair.fail()
    here.pair.fail()

    done = here.pair.take_completions()

    assert [entry.work_id for entry in done] == [*sends, receive]
    assert {entry.status for entry in done} == {FLUSHED}
    assert [entry.opcode for entry in done] == [Opcode.SEND, Opcode.SEND, Opcode.RECEIVE]
    with pytest.raises(ConnectionLost, match="gone"):
        here.send(b"3")
    with pytest.raises(ConnectionLost, match="gone"):
        here.receive()
