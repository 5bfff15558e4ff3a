"""Responses to Reads: their packets, how many at a time, and duplicates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.trace import EventKind
from rpcrdma.roce.packet.aeth import NakCode
from rpcrdma.roce.packet.bth import BthOpcode, Packet, Reth
from rpcrdma.roce.transport.queue_pair import QueuePairState
from rpcrdma.roce.transport.read_responses import ReadResponses
from tests.roce.transport.conftest import ACK, EXPECTED, MTU, USUAL, LoneEnd

OCTETS = bytes(range(256)) * 4
Op = BthOpcode
FIRST, MIDDLE = Op.READ_RESPONSE_FIRST, Op.READ_RESPONSE_MIDDLE
LAST, ONLY = Op.READ_RESPONSE_LAST, Op.READ_RESPONSE_ONLY


@pytest.fixture
def small() -> LoneEnd:
    return LoneEnd(replace(USUAL, path_mtu=MTU, responder_resources=2))


def ask(end: LoneEnd, psn: int, reth: Reth) -> None:
    end.give(Op.READ_REQUEST, psn, reth=reth, ack_request=True)


@pytest.mark.parametrize(
    ("length", "opcodes"),
    [
        (0, [ONLY]),
        (1, [ONLY]),
        (MTU, [ONLY]),
        (MTU + 1, [FIRST, LAST]),
        (2 * MTU, [FIRST, LAST]),
        (2 * MTU + 1, [FIRST, MIDDLE, LAST]),
        (4 * MTU, [FIRST, MIDDLE, MIDDLE, LAST]),
    ],
)
def test_response_is_cut_into_packets(
    small: LoneEnd, length: int, opcodes: list[BthOpcode]
) -> None:
    """Numbered on from the request, and the next request has the number after them."""
    region = small.register(1024, Access.REMOTE_READ)
    region.write(OCTETS)
    ask(small, EXPECTED, Reth(region.offset, region.handle, length))

    packets = small.take()

    assert [packet.opcode for packet in packets] == opcodes
    assert [packet.psn for packet in packets] == [EXPECTED + n for n in range(len(opcodes))]
    assert b"".join(packet.payload for packet in packets) == OCTETS[:length]
    for packet in packets:
        assert (packet.aeth is None) == (packet.opcode == MIDDLE)
        if packet.aeth is not None:
            assert (packet.aeth.syndrome, packet.aeth.msn) == (ACK, 1)
    small.receive()
    small.give(Op.SEND_ONLY, EXPECTED + len(opcodes), ack_request=True)
    assert small.answers() == [(ACK, EXPECTED + len(opcodes))]


def test_response_is_what_memory_held_when_the_request_came(small: LoneEnd) -> None:
    """And so it is told."""
    region = small.register(8, Access.REMOTE_READ)
    region.write(b"at first")
    ask(small, EXPECTED, Reth(region.offset, region.handle, 8))
    region.write(b"and then")

    assert small.take()[0].payload == b"at first"
    (event,) = small.told(EventKind.RDMA_READ)
    assert event.data == b"at first"


@pytest.mark.parametrize("resources", [0, 1, 3])
def test_more_reads_at_a_time_than_agreed_are_refused(resources: int) -> None:
    """Those before it are answered."""
    end = LoneEnd(replace(USUAL, responder_resources=resources))
    region = end.register(8, Access.REMOTE_READ)
    for number in range(resources + 1):
        ask(end, EXPECTED + number, Reth(region.offset, region.handle, 8))

    packets = end.take()

    assert [packet.opcode for packet in packets] == [ONLY] * resources + [Op.ACKNOWLEDGE]
    assert packets[-1].aeth is not None
    assert packets[-1].aeth.syndrome == NakCode.INVALID_REQUEST
    assert packets[-1].psn == EXPECTED + resources
    assert end.pair.state is QueuePairState.ERROR


def test_resources_are_free_again_when_the_response_has_left(small: LoneEnd) -> None:
    """However many Reads there are, one after another."""
    region = small.register(8, Access.REMOTE_READ)
    for number in range(10):
        ask(small, EXPECTED + number, Reth(region.offset, region.handle, 8))
        assert small.taken() == [(ONLY, EXPECTED + number)]


def test_request_with_octets_or_for_too_many_is_refused(lone: LoneEnd) -> None:
    """It is no Read Request that anybody can mean."""
    region = lone.register(8, Access.REMOTE_READ)
    reth = Reth(region.offset, region.handle, 8)
    lone.give(Op.READ_REQUEST, EXPECTED, b"what", reth=reth)
    assert lone.answers() == [(NakCode.INVALID_REQUEST, EXPECTED)]
    other = LoneEnd()
    ask(other, EXPECTED, Reth(0, 0, (1 << 31) + 1))
    assert other.answers() == [(NakCode.INVALID_REQUEST, EXPECTED)]


# -- duplicates


def test_duplicate_is_answered_with_what_memory_holds_now(small: LoneEnd) -> None:
    """In whole or from any of its packets on; told it is not, since nothing new was read."""
    region = small.register(1024, Access.REMOTE_READ)
    ask(small, EXPECTED, Reth(region.offset, region.handle, 3 * MTU + 5))
    small.take()
    region.write(OCTETS)
    ask(small, EXPECTED, Reth(region.offset, region.handle, 3 * MTU + 5))
    packets = small.take()
    assert [packet.opcode for packet in packets] == [FIRST, MIDDLE, MIDDLE, LAST]
    assert b"".join(packet.payload for packet in packets) == OCTETS[: 3 * MTU + 5]

    ask(small, EXPECTED + 2, Reth(region.offset + 2 * MTU, region.handle, MTU + 5))

    packets = small.take()
    assert [(packet.opcode, packet.psn) for packet in packets] == [
        (FIRST, EXPECTED + 2),
        (LAST, EXPECTED + 3),
    ]
    assert b"".join(packet.payload for packet in packets) == OCTETS[2 * MTU : 3 * MTU + 5]
    assert len(small.told(EventKind.RDMA_READ)) == 1


STRAYS = {
    "another place": lambda r: (EXPECTED, Reth(r.offset + 1, r.handle, 8)),
    "another handle": lambda r: (EXPECTED, Reth(r.offset, r.handle ^ 1, 8)),
    "beyond its end": lambda r: (EXPECTED + 1, Reth(r.offset + MTU, r.handle, MTU + 1)),
    "a number of a Send": lambda r: (EXPECTED + 2, Reth(r.offset, r.handle, 8)),
}


@pytest.mark.parametrize("name", STRAYS)
def test_duplicate_that_is_no_part_of_a_known_read_is_dropped(small: LoneEnd, name: str) -> None:
    """Nobody can have asked for it."""
    region = small.register(1024, Access.REMOTE_READ)
    small.receive()
    ask(small, EXPECTED, Reth(region.offset, region.handle, 2 * MTU))
    small.give(Op.SEND_ONLY, EXPECTED + 2)
    small.take()
    ask(small, *STRAYS[name](region))

    assert small.take() == []
    assert small.pair.state is QueuePairState.READY_TO_SEND


def test_duplicate_of_a_read_that_is_no_longer_known_is_dropped(small: LoneEnd) -> None:
    """As many are remembered as may be under way."""
    region = small.register(8, Access.REMOTE_READ)
    reth = Reth(region.offset, region.handle, 8)
    for number in range(3):
        ask(small, EXPECTED + number, reth)
        small.take()
    for number in range(3):
        ask(small, EXPECTED + number, reth)

    assert small.taken() == [(ONLY, EXPECTED + 1), (ONLY, EXPECTED + 2)]


def test_duplicate_of_memory_that_may_no_longer_be_read_is_dropped(small: LoneEnd) -> None:
    """The connection goes on: the first answer was good."""
    region = small.register(8, Access.REMOTE_READ)
    reth = Reth(region.offset, region.handle, 8)
    ask(small, EXPECTED, reth)
    small.take()
    region.invalidate()
    ask(small, EXPECTED, reth)

    assert small.take() == []
    assert small.pair.state is QueuePairState.READY_TO_SEND


def test_duplicates_that_wait_are_bounded() -> None:
    """Whatever a peer repeats before anything is taken."""
    responses = ReadResponses(2, MTU)
    responses.add(5, Reth(0, 1, 8), b"01234567", 1)
    for _ in range(100):
        responses.add_again(5, b"01234567", 1)
    packets: list[Packet] = []
    responses.take_packets(packets, 18)

    assert [packet.psn for packet in packets] == [5] * 4
    assert not responses
