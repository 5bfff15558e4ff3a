"""What faults took, what makes up for it, and the clock that stands meanwhile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.fabric.clock import VirtualClock
from rpcrdma.roce.link.faults import FrameDirection
from rpcrdma.roce.link.owed import LONGEST, LONGEST_MESSAGE, OwedPackets, PatientClock, is_final
from rpcrdma.roce.packet.aeth import NakCode, acknowledged, rnr_nak
from rpcrdma.roce.packet.bth import Aeth, BthOpcode, Packet, encode
from rpcrdma.roce.packet.cm_messages import (
    ConnectReject,
    ConnectReply,
    DisconnectReply,
    DisconnectRequest,
    MessageReceipt,
    ReadyToUse,
    encode_cm,
)
from rpcrdma.roce.packet.datagram import Datagram, seal
from rpcrdma.roce.packet.mad import mad_packet

SENT, RECEIVED = FrameDirection.SENT, FrameDirection.RECEIVED
SEND, WRITE = BthOpcode.SEND_ONLY, BthOpcode.WRITE_MIDDLE
ACK, RESPONSE = BthOpcode.ACKNOWLEDGE, BthOpcode.READ_RESPONSE_ONLY
REP = ConnectReply(
    local_id=1,
    remote_id=2,
    queue_pair=3,
    starting_psn=4,
    responder_resources=1,
    initiator_depth=1,
    rnr_retry=7,
    guid=5,
)
RTU = ReadyToUse(local_id=1, remote_id=2)
REJ = ConnectReject(local_id=1, remote_id=2, rejected=0, reason=28)
MRA = MessageReceipt(local_id=1, remote_id=2, received=0, service_timeout=20)
DREQ = DisconnectRequest(local_id=1, remote_id=2, queue_pair=3)
DREP = DisconnectReply(local_id=1, remote_id=2)
HERE, THERE = 17, 18


class World:
    """A link's clock, a connection, and what is owed on it."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.owed = OwedPackets()
        self.owed.join(HERE, THERE)
        self.patience = PatientClock(self.clock, self.owed)

    def take(self, datagram: Datagram, direction: FrameDirection = SENT) -> None:
        self.owed.take(direction, datagram, self.clock.now())

    def pay(self, datagram: Datagram, direction: FrameDirection = SENT) -> None:
        self.owed.pay(direction, datagram, self.clock.now())

    def pass_time(self, seconds: float) -> float:
        """Let time pass; how much of it counts."""
        before = self.patience.now()
        self.clock.advance_to(self.clock.now() + seconds)
        return self.patience.now() - before


@pytest.fixture
def world() -> World:
    return World()


def sealed(packet: Packet) -> Datagram:
    return seal("192.0.2.1", "192.0.2.2", 49152, encode(packet))


def packet(
    opcode: BthOpcode, psn: int, number: int = THERE, syndrome: int | None = None
) -> Datagram:
    """To the queue pair there, so one that is sent, unless another number is given."""
    if syndrome is None and opcode in (ACK, RESPONSE):
        syndrome = acknowledged()
    aeth = None if syndrome is None else Aeth(syndrome, 0)
    return sealed(Packet(opcode, number, psn, aeth=aeth))


def message(
    said: ConnectReply
    | ReadyToUse
    | ConnectReject
    | MessageReceipt
    | DisconnectRequest
    | DisconnectReply,
    transaction: int = 5,
) -> Datagram:
    return sealed(mad_packet(encode_cm(said, transaction), 0))


def test_nothing_is_owed_at_first(world: World) -> None:
    assert not world.owed
    assert world.pass_time(3.0) == 3.0


@pytest.mark.parametrize(("direction", "number"), [(SENT, THERE), (RECEIVED, HERE)])
@pytest.mark.parametrize("opcode", [SEND, ACK, RESPONSE])
def test_a_packet_is_owed_until_it_passes(
    world: World, opcode: BthOpcode, direction: FrameDirection, number: int
) -> None:
    world.take(packet(opcode, 7, number), direction)
    assert world.pass_time(0.5) == 0.0
    world.pay(packet(opcode, 7, number), direction)

    assert not world.owed
    assert world.pass_time(0.25) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("lost", "passing", "paid"),
    [
        (packet(SEND, 7), packet(SEND, 8), False),
        (packet(SEND, 7), packet(ACK, 7), False),
        (packet(ACK, 7), packet(ACK, 9), True),
        (packet(ACK, 7), packet(ACK, 6), False),
        (packet(ACK, 0xFFFFFF), packet(ACK, 0), True),
        (packet(ACK, 0), packet(ACK, 0xFFFFFF), False),
        (packet(ACK, 7), packet(RESPONSE, 8), True),
        (packet(ACK, 7), packet(ACK, 8, syndrome=rnr_nak(3)), True),
        (packet(ACK, 7), packet(ACK, 7, syndrome=rnr_nak(3)), True),
        (packet(RESPONSE, 7), packet(ACK, 8), False),
        (packet(RESPONSE, 7), packet(RESPONSE, 8), False),
        (message(DREQ), message(DREQ), True),
        (message(DREQ), message(DREP), True),
        (message(DREP), message(DREQ), False),
        (message(DREQ), message(DREQ, 6), False),
        (message(REP), message(REJ), True),
        (message(RTU), message(REP), False),
    ],
)
def test_what_makes_up_for_a_packet(
    world: World, lost: Datagram, passing: Datagram, paid: bool
) -> None:
    """The same one, and what stands for it."""
    world.take(lost)
    world.pay(passing)

    assert bool(world.owed) is not paid


@pytest.mark.parametrize(
    ("answer", "paid"),
    [
        (packet(ACK, 6, HERE), False),
        (packet(ACK, 7, HERE), True),
        (packet(ACK, 9, HERE), True),
        (packet(RESPONSE, 7, HERE), True),
        (packet(ACK, 7, HERE, NakCode.PSN_SEQUENCE_ERROR), False),
        (packet(ACK, 7, HERE, rnr_nak(3)), False),
        (packet(ACK, 8, HERE, rnr_nak(3)), True),
    ],
)
def test_a_request_that_is_acknowledged_is_not_owed(
    world: World, answer: Datagram, paid: bool
) -> None:
    """What was lost was a repetition; and so is what gets lost then."""
    world.take(packet(SEND, 7))
    world.pay(answer, RECEIVED)
    assert bool(world.owed) is not paid

    world.pay(packet(SEND, 7))
    world.take(packet(SEND, 7))

    assert bool(world.owed) is not paid


@pytest.mark.parametrize(
    "again", [packet(ACK, 7), packet(ACK, 6), packet(RESPONSE, 7), message(REP), message(MRA)]
)
def test_what_was_there_before_is_not_owed(world: World, again: Datagram) -> None:
    """Nor is what nobody waits for."""
    for passing in (packet(ACK, 7), packet(RESPONSE, 7), message(RTU)):
        world.pay(passing)
    world.take(again)

    assert not world.owed


@pytest.mark.parametrize("direction", FrameDirection)
def test_what_belongs_to_no_connection_is_not_owed(world: World, direction: FrameDirection) -> None:
    world.take(packet(SEND, 7, 99), direction)

    assert not world.owed


def test_the_peers_word_that_it_is_over_is_not_owed(world: World) -> None:
    """It knows."""
    world.take(message(DREP), RECEIVED)
    assert not world.owed

    world.take(message(DREP), SENT)
    assert world.owed


@pytest.mark.parametrize(("opcode", "after"), [(SEND, WRITE), (RESPONSE, RESPONSE)])
def test_what_comes_before_its_turn_is_owed_as_well(
    world: World, opcode: BthOpcode, after: BthOpcode
) -> None:
    """Its receiver discards it."""
    world.take(packet(opcode, 0xFFFFFF))
    world.pay(packet(after, 0))
    world.pay(packet(opcode, 0xFFFFFF))
    assert world.owed
    world.pay(packet(after, 0))

    assert not world.owed


@pytest.mark.parametrize("passing", [packet(SEND, 6), packet(ACK, 8), packet(RESPONSE, 8)])
def test_what_need_not_wait_for_a_request_is_not_owed(world: World, passing: Datagram) -> None:
    world.take(packet(SEND, 7))
    world.pay(passing)
    world.pay(packet(SEND, 7))

    assert not world.owed


def test_the_clock_stands_while_one_of_several_is_owed(world: World) -> None:
    world.take(packet(SEND, 7))
    world.clock.advance_to(1.0)
    world.take(packet(SEND, 8))
    world.pay(packet(SEND, 7))
    world.clock.advance_to(2.0)
    world.pay(packet(SEND, 8))
    world.clock.advance_to(2.5)

    assert world.patience.now() == 0.5


@pytest.mark.parametrize(
    ("lost", "longest"),
    [(packet(SEND, 7), LONGEST), (message(DREQ), LONGEST_MESSAGE), (message(RTU), 1.5)],
)
def test_what_nothing_makes_up_for_is_given_up(
    world: World, lost: Datagram, longest: float
) -> None:
    """To the moment, whenever that is noticed."""
    world.take(lost)

    assert world.pass_time(longest + 1.0) == pytest.approx(1.0)
    assert not world.owed


def test_a_packet_that_is_lost_again_is_owed_from_then_on(world: World) -> None:
    world.take(packet(SEND, 7))
    world.clock.advance_to(3.0)
    world.take(packet(SEND, 7))

    assert world.pass_time(LONGEST + 1.0) == pytest.approx(1.0)


def test_a_connection_that_is_over_is_owed_nothing(world: World) -> None:
    """But for the word that it is."""
    world.take(packet(SEND, 7))
    world.take(packet(SEND, 7, HERE), RECEIVED)
    world.owed.part(HERE, 0.0)
    assert not world.owed
    world.take(packet(SEND, 8))
    assert not world.owed

    world.take(message(DREQ))
    world.owed.part(HERE, 0.0)
    assert world.owed


def test_only_so_many_exchanges_are_remembered(world: World) -> None:
    for transaction in range(1025):
        world.pay(message(RTU, transaction))
    world.take(message(REP, 1))
    assert not world.owed

    world.take(message(REP, 0))
    assert world.owed


def test_a_peer_lacks_what_was_sent_to_it(world: World) -> None:
    world.take(packet(SEND, 7, HERE), RECEIVED)
    world.take(message(DREP))
    assert not world.owed.lacks(HERE, 0.0)

    world.take(packet(ACK, 7))
    assert world.owed.lacks(HERE, 0.0)
    assert not world.owed.lacks(99, 0.0)
    assert not world.owed.lacks(HERE, LONGEST)


@pytest.mark.parametrize("code", NakCode)
def test_a_nak_that_ends_a_connection_is_final(code: NakCode) -> None:
    """A request that is out of sequence is made again, and refused again."""
    nak = sealed(Packet(ACK, THERE, 7, aeth=Aeth(code, 0)))

    assert is_final(nak) is (code is not NakCode.PSN_SEQUENCE_ERROR)


@pytest.mark.parametrize("other", [packet(ACK, 7), packet(SEND, 7), message(DREP)])
def test_nothing_else_is_final(other: Datagram) -> None:
    assert not is_final(other)
    assert not is_final(seal("192.0.2.1", "192.0.2.2", 49152, b"?"))


@pytest.mark.parametrize("octets", [b"", b"\0" * 11, b"\xff" * 40])
def test_what_nobody_can_read_is_not_owed(world: World, octets: bytes) -> None:
    world.take(seal("192.0.2.1", "192.0.2.2", 49152, octets))
    world.pay(seal("192.0.2.1", "192.0.2.2", 49152, octets))

    assert not world.owed


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "pay", "part", "look"]),
        st.integers(0, 3),
        st.floats(0, 8, allow_nan=False),
    )
)


@given(STEPS)
def test_patience_never_runs_back_nor_ahead_of_the_clock(
    steps: list[tuple[str, int, float]],
) -> None:
    world = World()
    latest = 0.0
    for step, psn, seconds in steps:
        before = world.clock.now()
        if step == "part":
            world.owed.part(HERE, before)
            world.owed.join(HERE, THERE)
        elif step != "look":
            getattr(world, step)(packet(SEND, psn))
        world.clock.advance_to(before + seconds)
        now = world.patience.now()
        # Sums of floating-point numbers are compared.
        assert latest - 1e-9 <= now <= latest + seconds + 1e-9
        latest = now
