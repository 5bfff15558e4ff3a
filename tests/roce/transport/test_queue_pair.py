"""States of a queue pair, and what two of them carry between each other."""

from __future__ import annotations

from itertools import product

import pytest

from rpcrdma.errors import ConnectionLost, FabricError
from rpcrdma.fabric.completion import CompletionStatus, Opcode, WorkId
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.packet.bth import Aeth, BthOpcode, Packet
from rpcrdma.roce.transport.queue_pair import (
    TRANSITIONS,
    QueuePair,
    QueuePairInput,
    QueuePairState,
)
from tests.roce.transport.conftest import ACK, EXPECTED, USUAL, End, LoneEnd, WirePair

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


# -- packets that are none of its business

DROPPED = {
    "for another queue pair": {"destination": 16},
    "of another partition": {"partition": 0xFFFE},
    "a datagram": {"opcode": BthOpcode.UD_SEND_ONLY},
    "of an unreliable connection": {"opcode": 0x24},
}


@pytest.mark.parametrize("name", DROPPED)
def test_packet_for_somebody_else_is_dropped(lone: LoneEnd, name: str) -> None:
    """Without a word; the next one is taken."""
    lone.receive()
    packet = Packet(BthOpcode.SEND_ONLY, 17, EXPECTED, b"what?", ack_request=True)
    for field, value in DROPPED[name].items():
        setattr(packet, field, value)
    lone.pair.receive(packet, lone.now)
    assert lone.take() == []
    assert lone.pair.state is QueuePairState.READY_TO_SEND
    lone.give(BthOpcode.SEND_ONLY, EXPECTED, b"this", ack_request=True, partition=0x7FFF)

    assert lone.answers() == [(ACK, EXPECTED)]
    assert lone.received() == [b"this"]


def test_packet_that_comes_before_the_peer_is_known_is_dropped() -> None:
    """Its number cannot be judged."""
    pair = fresh()
    pair.receive(Packet(BthOpcode.SEND_ONLY, 21, 0, ack_request=True), 0.0)
    pair.receive(Packet(BthOpcode.ACKNOWLEDGE, 21, 0, aeth=Aeth(ACK, 0)), 0.0)

    assert pair.take_packets(0.0) == []


def test_queue_pair_that_cannot_send_yet_answers() -> None:
    """The peer may send as soon as it has heard of it."""
    wire = WirePair(connected=False)
    here, there = wire.ends
    here.pair.ready_to_send()
    there.receive()
    here.send(b"early")
    wire.run()

    assert there.received() == [b"early"]
    assert here.statuses() == [OK]
    with pytest.raises(ConnectionLost, match="not made yet"):
        there.send(b"answer")


def test_nothing_is_answered_in_error_but_what_was_executed_before(lone: LoneEnd) -> None:
    """The peer of an orderly end learns what arrived."""
    lone.receive()
    lone.receive()
    lone.give(BthOpcode.SEND_ONLY, EXPECTED, b"last words", ack_request=True)
    lone.pair.fail()
    lone.give(BthOpcode.SEND_ONLY, EXPECTED + 1, b"too late", ack_request=True)
    lone.give(BthOpcode.SEND_ONLY, EXPECTED + 5, b"too early", ack_request=True)

    assert lone.answers() == [(ACK, EXPECTED)]
    assert lone.take() == []
    assert lone.received() == [b"last words"]
