"""What a queue pair makes of its peer's requests, packet by packet."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.packet.aeth import NakCode, rnr_nak
from rpcrdma.roce.packet.bth import BthOpcode, Reth
from rpcrdma.roce.transport.queue_pair import QueuePairState
from rpcrdma.roce.transport.responder import SEQUENCES, MessageProgress
from tests.roce.transport.conftest import ACK, EXPECTED, MTU, SMALL, USUAL, LoneEnd

READ, WRITE = Access.REMOTE_READ, Access.REMOTE_WRITE
Op = BthOpcode


@pytest.fixture
def small() -> LoneEnd:
    """With a path MTU of 256 and two Receives of three packets each."""
    end = LoneEnd(SMALL)
    end.receive(3 * MTU)
    end.receive(3 * MTU)
    return end


def is_broken(end: LoneEnd) -> bool:
    return end.pair.state is QueuePairState.ERROR


# -- acknowledgements


def test_send_is_acknowledged_where_that_is_asked_for(lone: LoneEnd) -> None:
    """And not where it is not."""
    for _ in range(2):
        lone.receive()
    lone.give(Op.SEND_ONLY, EXPECTED, b"quiet")
    assert lone.take() == []
    lone.give(Op.SEND_ONLY, EXPECTED + 1, b"loud", ack_request=True)

    (packet,) = lone.take()

    assert (packet.opcode, packet.psn, packet.destination) == (Op.ACKNOWLEDGE, EXPECTED + 1, 18)
    assert packet.aeth is not None
    assert (packet.aeth.syndrome, packet.aeth.msn) == (ACK, 2)
    assert lone.received() == [b"quiet", b"loud"]
    assert lone.take() == []


def test_what_came_together_has_one_acknowledgement(lone: LoneEnd) -> None:
    """Of the newest."""
    for number in range(5):
        lone.receive()
        lone.give(Op.SEND_ONLY, EXPECTED + number, ack_request=True)

    assert lone.answers() == [(ACK, EXPECTED + 4)]


def test_message_sequence_number_counts_whole_messages(small: LoneEnd) -> None:
    """A message that goes on is not counted yet."""
    small.give(Op.SEND_ONLY, EXPECTED)
    small.give(Op.SEND_FIRST, EXPECTED + 1, bytes(MTU), ack_request=True)

    (packet,) = small.take()

    assert packet.aeth is not None
    assert (packet.psn, packet.aeth.msn) == (EXPECTED + 1, 1)


# -- order


def test_gap_is_told_once_until_the_missing_packet_comes(lone: LoneEnd) -> None:
    """With the number that is expected; what came too early is not kept."""
    for _ in range(4):
        lone.receive()
    lone.give(Op.SEND_ONLY, EXPECTED + 1, b"2", ack_request=True)
    assert lone.answers() == [(NakCode.PSN_SEQUENCE_ERROR, EXPECTED)]
    lone.give(Op.SEND_ONLY, EXPECTED + 2, b"3", ack_request=True)
    assert lone.answers() == []
    lone.give(Op.SEND_ONLY, EXPECTED, b"1", ack_request=True)
    assert lone.answers() == [(ACK, EXPECTED)]
    lone.give(Op.SEND_ONLY, EXPECTED + 3, b"4", ack_request=True)

    assert lone.answers() == [(NakCode.PSN_SEQUENCE_ERROR, EXPECTED + 1)]
    assert lone.received() == [b"1"]


def test_gap_that_is_filled_in_time_is_not_told(lone: LoneEnd) -> None:
    """The missing packet came with the one that came too early."""
    lone.receive()
    lone.give(Op.SEND_ONLY, EXPECTED + 1)
    lone.give(Op.SEND_ONLY, EXPECTED)

    assert lone.take() == []


def test_duplicate_is_acknowledged_and_not_executed(lone: LoneEnd) -> None:
    """With the newest number, whether it asks or not."""
    for number in range(3):
        lone.receive()
        lone.give(Op.SEND_ONLY, EXPECTED + number, bytes([number]))
    region = lone.register(8, WRITE)
    reth = Reth(region.offset, region.handle, 3)
    lone.give(Op.WRITE_ONLY, EXPECTED + 3, b"one", reth=reth)
    assert lone.answers() == []
    lone.give(Op.SEND_ONLY, EXPECTED + 1, b"\1")
    lone.give(Op.WRITE_ONLY, EXPECTED + 3, b"two", reth=reth)

    assert lone.answers() == [(ACK, EXPECTED + 3)]
    assert lone.received() == [b"\0", b"\1", b"\2"]
    assert region.read(0, 3) == b"one"


def test_acknowledgement_never_has_the_number_of_a_read(lone: LoneEnd) -> None:
    """A requester could take it for the Read's answer."""
    lone.receive()
    region = lone.register(8, READ)
    lone.give(Op.SEND_ONLY, EXPECTED, ack_request=True)
    reth = Reth(region.offset, region.handle, 8)
    lone.give(Op.READ_REQUEST, EXPECTED + 1, reth=reth, ack_request=True)
    assert lone.taken() == [(Op.READ_RESPONSE_ONLY, EXPECTED + 1)]
    lone.give(Op.SEND_ONLY, EXPECTED, ack_request=True)

    assert lone.answers() == [(ACK, EXPECTED)]


def test_numbers_from_before_the_connection_are_dropped(lone: LoneEnd) -> None:
    """They belong to another one."""
    lone.give(Op.SEND_ONLY, EXPECTED - 1, ack_request=True)

    assert lone.take() == []


def test_order_goes_on_across_the_wrap() -> None:
    """The number after the highest is zero."""
    end = LoneEnd()
    end.pair._responder.start(replace(USUAL, remote=18, expected_psn=0xFFFFFF))
    for number in range(3):
        end.receive()
        end.give(Op.SEND_ONLY, 0xFFFFFF + number, bytes([number]), ack_request=True)

    assert end.answers() == [(ACK, 1)]
    end.give(Op.SEND_ONLY, 0xFFFFFF, b"\0")
    assert end.answers() == [(ACK, 1)]
    assert end.received() == [b"\0", b"\1", b"\2"]


# -- no Receive


def test_send_without_a_receive_is_to_come_again(lone: LoneEnd) -> None:
    """After the time that was agreed; what is behind it is dropped without a word."""
    lone.give(Op.SEND_ONLY, EXPECTED, b"early", ack_request=True)
    lone.give(Op.SEND_ONLY, EXPECTED + 1, b"next", ack_request=True)
    assert lone.answers() == [(rnr_nak(14), EXPECTED)]
    lone.give(Op.SEND_ONLY, EXPECTED, b"early", ack_request=True)
    assert lone.answers() == [(rnr_nak(14), EXPECTED)]
    lone.receive()
    lone.give(Op.SEND_ONLY, EXPECTED, b"early", ack_request=True)

    assert lone.answers() == [(ACK, EXPECTED)]
    assert lone.received() == [b"early"]
    assert [event.detail for event in lone.told(EventKind.FAILURE)] == [
        "Send: no Receive is posted"
    ]


def test_reads_and_writes_need_no_receive(lone: LoneEnd) -> None:
    """They take none, either."""
    region = lone.register(8, READ | WRITE)
    reth = Reth(region.offset, region.handle, 8)
    lone.give(Op.WRITE_ONLY, EXPECTED, b"01234567", reth=reth)
    lone.give(Op.READ_REQUEST, EXPECTED + 1, reth=reth)

    (packet,) = lone.take()

    assert packet.payload == b"01234567"


# -- sequences of opcodes

BEGINNINGS = {
    MessageProgress.NOTHING: (),
    MessageProgress.SEND: (Op.SEND_FIRST,),
    MessageProgress.WRITE: (Op.WRITE_FIRST,),
}
REQUESTS = [*range(Op.READ_RESPONSE_FIRST), *range(Op.COMPARE_SWAP, 0x20)]


@pytest.mark.parametrize(("progress", "opcode"), list(product(MessageProgress, REQUESTS)))
def test_every_opcode_goes_on_as_the_table_says_or_ends_the_connection(
    small: LoneEnd, progress: MessageProgress, opcode: int
) -> None:
    """Immediate data, atomics and reserved opcodes among them."""
    region = small.register(1024, READ | WRITE)
    psn = EXPECTED
    for beginning in BEGINNINGS[progress]:
        small.give(beginning, psn, bytes(MTU), reth=Reth(region.offset, region.handle, 3 * MTU))
        psn += 1
    allowed = SEQUENCES[progress].get(opcode)
    goes_on = allowed not in {None, MessageProgress.NOTHING}
    is_write = progress is MessageProgress.WRITE or opcode == Op.WRITE_ONLY
    size = 2 * MTU if is_write and allowed is MessageProgress.NOTHING else MTU
    reth = Reth(region.offset, region.handle, 3 * MTU if goes_on else MTU)
    if progress is MessageProgress.WRITE and not goes_on:
        small.give(Op.WRITE_MIDDLE, psn, bytes(MTU))
        psn += 1
        size = MTU
    invalidate = region.handle if opcode in {0x16, 0x17} else None
    payload = b"" if opcode == Op.READ_REQUEST else bytes(min(size, MTU))

    small.give(opcode, psn, payload, reth=reth, invalidate=invalidate, ack_request=True)

    if allowed is not None:
        assert small.pair._responder._progress is allowed
        assert not is_broken(small)
        return
    assert small.answers() == [(NakCode.INVALID_REQUEST, psn)]
    assert is_broken(small)
    failure = small.told(EventKind.FAILURE)[-1]
    assert failure.detail == f"opcode {opcode:#04x} where {progress.value} was expected"
    began = progress is MessageProgress.SEND
    expected = CompletionStatus.LOCAL_QP_OPERATION_ERROR if began else CompletionStatus.FLUSHED
    assert [entry.status for entry in small.done] == [expected, CompletionStatus.FLUSHED]


# -- lengths

LONG = {
    "a first packet that is not full": [(Op.SEND_FIRST, MTU - 1)],
    "a first packet too long": [(Op.SEND_FIRST, MTU + 1)],
    "a middle packet that is not full": [(Op.SEND_FIRST, MTU), (Op.SEND_MIDDLE, 1)],
    "an empty last packet": [(Op.SEND_FIRST, MTU), (Op.SEND_LAST, 0)],
    "a last packet too long": [(Op.SEND_FIRST, MTU), (Op.SEND_LAST, MTU + 1)],
    "an only packet too long": [(Op.SEND_ONLY, MTU + 1)],
}


@pytest.mark.parametrize("name", LONG)
def test_send_of_packets_of_wrong_lengths_is_refused(small: LoneEnd, name: str) -> None:
    """As an invalid request; its Receive is lost."""
    for number, (opcode, size) in enumerate(LONG[name]):
        small.give(opcode, EXPECTED + number, bytes(size))

    assert small.answers() == [(NakCode.INVALID_REQUEST, EXPECTED + len(LONG[name]) - 1)]
    assert [entry.status for entry in small.done] == [
        CompletionStatus.LOCAL_QP_OPERATION_ERROR,
        CompletionStatus.FLUSHED,
    ]


def test_message_too_long_is_refused_at_the_first_packet_too_many(small: LoneEnd) -> None:
    """Nothing that a peer sends is kept beyond the Receive that it is for."""
    small.give(Op.SEND_FIRST, EXPECTED, bytes(MTU))
    for number in (1, 2):
        small.give(Op.SEND_MIDDLE, EXPECTED + number, bytes(MTU))
    assert not is_broken(small)
    small.give(Op.SEND_MIDDLE, EXPECTED + 3, bytes(MTU))

    assert small.answers() == [(NakCode.INVALID_REQUEST, EXPECTED + 3)]
    assert small.done[0].status is CompletionStatus.LOCAL_LENGTH_ERROR
    assert small.told(EventKind.FAILURE)[0].detail == "Send: 1024 octets for a Receive of 768"


WRONG_WRITES = {
    "only, shorter": ([(Op.WRITE_ONLY, 7)], 8),
    "only, longer": ([(Op.WRITE_ONLY, 9)], 8),
    "only, longer than a packet": ([(Op.WRITE_ONLY, MTU + 1)], MTU + 1),
    "first of what fits into one": ([(Op.WRITE_FIRST, MTU)], MTU),
    "first that is not full": ([(Op.WRITE_FIRST, MTU - 1)], 2 * MTU),
    "middle that is not full": ([(Op.WRITE_FIRST, MTU), (Op.WRITE_MIDDLE, 1)], 3 * MTU),
    "middle where the last must be": ([(Op.WRITE_FIRST, MTU), (Op.WRITE_MIDDLE, MTU)], 2 * MTU),
    "last, shorter": ([(Op.WRITE_FIRST, MTU), (Op.WRITE_LAST, 1)], MTU + 2),
    "last, longer": ([(Op.WRITE_FIRST, MTU), (Op.WRITE_LAST, 3)], MTU + 2),
}


@pytest.mark.parametrize("name", WRONG_WRITES)
def test_write_of_another_length_than_announced_is_refused(small: LoneEnd, name: str) -> None:
    """As an invalid request; the wrong packet is not placed."""
    packets, length = WRONG_WRITES[name]
    region = small.register(1024, WRITE)
    for number, (opcode, size) in enumerate(packets):
        reth = Reth(region.offset, region.handle, length)
        small.give(opcode, EXPECTED + number, b"x" * size, reth=reth)

    assert small.answers() == [(NakCode.INVALID_REQUEST, EXPECTED + len(packets) - 1)]
    placed = MTU * (len(packets) - 1)
    assert region.read() == b"x" * placed + bytes(1024 - placed)
    assert not small.told(EventKind.RDMA_WRITE)


# -- memory


def test_write_is_placed_packet_by_packet_and_told_at_its_end(small: LoneEnd) -> None:
    """With all its octets."""
    region = small.register(1024, WRITE)
    octets = bytes(range(256)) + b"end"
    reth = Reth(region.offset + 5, region.handle, len(octets))
    small.give(Op.WRITE_FIRST, EXPECTED, octets[:MTU], reth=reth)
    assert region.read(5, MTU) == octets[:MTU]
    assert not small.told(EventKind.RDMA_WRITE)
    small.give(Op.WRITE_LAST, EXPECTED + 1, octets[MTU:], ack_request=True)

    assert small.answers() == [(ACK, EXPECTED + 1)]
    assert region.read(5, len(octets)) == octets
    (event,) = small.told(EventKind.RDMA_WRITE)
    assert (event.side, event.data) == (Side.PEER, octets)
    assert (event.handle, event.offset) == (region.handle, region.offset + 5)


def test_write_ends_where_its_handle_does(small: LoneEnd) -> None:
    """Also between two of its packets."""
    region = small.register(1024, WRITE)
    reth = Reth(region.offset, region.handle, 2 * MTU)
    small.give(Op.WRITE_FIRST, EXPECTED, b"x" * MTU, reth=reth)
    region.invalidate()
    small.give(Op.WRITE_LAST, EXPECTED + 1, b"y" * MTU)

    assert small.answers() == [(NakCode.REMOTE_ACCESS_ERROR, EXPECTED + 1)]
    assert region.read(0, 2 * MTU) == b"x" * MTU + bytes(MTU)


@pytest.mark.parametrize("opcode", [Op.WRITE_ONLY, Op.READ_REQUEST])
def test_denied_access_is_refused_and_told(lone: LoneEnd, opcode: BthOpcode) -> None:
    """The peer gets the one word that there is for it, the trace the reason."""
    region = lone.register(4, Access.LOCAL_WRITE)
    payload = b"abcd" if opcode == Op.WRITE_ONLY else b""
    lone.give(opcode, EXPECTED, payload, reth=Reth(region.offset, region.handle, 4))

    assert lone.answers() == [(NakCode.REMOTE_ACCESS_ERROR, EXPECTED)]
    assert is_broken(lone)
    kind = Opcode.RDMA_WRITE if opcode == Op.WRITE_ONLY else Opcode.RDMA_READ
    (event,) = lone.told(EventKind.FAILURE)
    assert event.detail == f"{kind.value}: the region was not registered for this access"
    assert (event.side, event.handle, event.offset) == (Side.PEER, region.handle, region.offset)


def test_transfers_of_no_octets_look_at_no_handle(lone: LoneEnd) -> None:
    """C9-88: they succeed with any."""
    nowhere = Reth(1, 2, 0)
    lone.give(Op.WRITE_ONLY, EXPECTED, reth=nowhere, ack_request=True)
    assert lone.answers() == [(ACK, EXPECTED)]
    lone.give(Op.READ_REQUEST, EXPECTED + 1, reth=nowhere)

    (packet,) = lone.take()

    assert (packet.opcode, packet.payload) == (Op.READ_RESPONSE_ONLY, b"")


def test_send_with_invalidate_of_several_packets_ends_the_handle(small: LoneEnd) -> None:
    """With the last of them."""
    region = small.register(8, READ)
    small.give(Op.SEND_FIRST, EXPECTED, bytes(MTU))
    assert region.valid
    small.give(Op.SEND_LAST_INVALIDATE, EXPECTED + 1, b"end", invalidate=region.handle)
    small.take()

    assert not region.valid
    assert small.done[0].invalidated == region.handle
    assert small.done[0].data == bytes(MTU) + b"end"


def test_invalidating_what_is_not_valid_fails_at_both_ends(lone: LoneEnd) -> None:
    """The message is not delivered."""
    work_id = lone.receive()
    lone.give(Op.SEND_ONLY_INVALIDATE, EXPECTED, b"bad", invalidate=77)

    assert lone.answers() == [(NakCode.REMOTE_ACCESS_ERROR, EXPECTED)]
    failed = CompletionStatus.LOCAL_QP_OPERATION_ERROR
    assert lone.done == [Completion(work_id, Opcode.RECEIVE, failed)]
