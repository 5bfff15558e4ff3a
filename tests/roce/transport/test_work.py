"""Requests as packets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.fabric.completion import Opcode, WorkId
from rpcrdma.roce.packet.bth import BthOpcode, Reth
from rpcrdma.roce.transport.work import TransportWork, packet_count

Op = BthOpcode
MTU = 256


def work(opcode: Opcode, data: bytes, invalidate: int | None = None) -> TransportWork:
    made = TransportWork(WorkId(1), opcode, len(data))
    made.data, made.invalidate = data, invalidate
    made.handle, made.offset = 7, 9000
    made.first, made.count = 0xFFFFFF, packet_count(len(data), MTU)
    return made


@given(length=st.integers(0, 1 << 31), mtu=st.sampled_from([256, 512, 1024, 2048, 4096]))
def test_packets_hold_all_octets_and_none_is_empty_but_an_only_one(length: int, mtu: int) -> None:
    count = packet_count(length, mtu)

    assert (count - 1) * mtu < max(length, 1) <= count * mtu


@pytest.mark.parametrize(
    ("opcode", "invalidate", "length", "opcodes"),
    [
        (Opcode.SEND, None, 0, [Op.SEND_ONLY]),
        (Opcode.SEND, 5, MTU, [Op.SEND_ONLY_INVALIDATE]),
        (Opcode.SEND, None, MTU + 1, [Op.SEND_FIRST, Op.SEND_LAST]),
        (Opcode.SEND, 5, MTU + 1, [Op.SEND_FIRST, Op.SEND_LAST_INVALIDATE]),
        (Opcode.SEND, None, 3 * MTU, [Op.SEND_FIRST, Op.SEND_MIDDLE, Op.SEND_LAST]),
        (Opcode.RDMA_WRITE, None, 0, [Op.WRITE_ONLY]),
        (Opcode.RDMA_WRITE, None, 3 * MTU, [Op.WRITE_FIRST, Op.WRITE_MIDDLE, Op.WRITE_LAST]),
    ],
)
def test_message_is_cut_into_packets(
    opcode: Opcode, invalidate: int | None, length: int, opcodes: list[BthOpcode]
) -> None:
    """The headers are where their opcodes have them."""
    data = bytes(n & 0xFF for n in range(length))
    made = work(opcode, data, invalidate)

    packets = [made.packet(index, MTU, 18) for index in range(made.count)]

    assert [packet.opcode for packet in packets] == opcodes
    assert b"".join(packet.payload for packet in packets) == data
    assert [packet.psn for packet in packets] == [0xFFFFFF, 0, 1][: len(opcodes)]
    assert [packet.invalidate for packet in packets[:-1]] == [None] * (made.count - 1)
    assert packets[-1].invalidate == invalidate
    is_write = opcode is Opcode.RDMA_WRITE
    assert packets[0].reth == (Reth(9000, 7, length) if is_write else None)
    assert all(packet.reth is None for packet in packets[1:])


def test_read_is_asked_for_in_any_part() -> None:
    """The last part is as long as what is left."""
    made = work(Opcode.RDMA_READ, b"")
    made.length, made.count, made.first = 1000, 4, 20

    parts = [made.request(index, count, MTU, 18) for index, count in ((0, 4), (1, 2), (3, 1))]

    assert [(part.opcode, part.psn) for part in parts] == [
        (Op.READ_REQUEST, 20),
        (Op.READ_REQUEST, 21),
        (Op.READ_REQUEST, 23),
    ]
    assert [part.reth for part in parts] == [
        Reth(9000, 7, 1000),
        Reth(9000 + MTU, 7, 512),
        Reth(9000 + 3 * MTU, 7, 1000 - 3 * MTU),
    ]


def test_place_that_no_header_can_say_is_cut() -> None:
    """Memory is asked for by any numbers; the peer refuses them, and not the encoder."""
    made = work(Opcode.RDMA_READ, b"")
    made.handle, made.offset, made.length = -1, -1, 4

    assert made.request(0, 1, MTU, 18).reth == Reth((1 << 64) - 1, (1 << 32) - 1, 4)
