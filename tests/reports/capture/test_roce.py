from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.capture import roce
from reports.capture.roce import PATH_MTU, Flow
from rpcrdma.roce.packet.bth import BthOpcode, Packet


def flow() -> Flow:
    return Flow("192.0.2.1", "192.0.2.2", 0xC001, 0x10001)


def opcodes(frames: list[bytes]) -> list[int]:
    return [frame[42] for frame in frames]


@given(st.binary(max_size=200), st.sampled_from(list(BthOpcode)), st.integers(0, 0xFFFFFF))
def test_icrc_and_checksum_agree_with_scapy(
    payload: bytes, opcode: BthOpcode, sequence: int
) -> None:
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import Ether

    frame = roce.frame(flow(), Packet(opcode, flow().queue_pair, sequence, payload))
    packet = Ether(frame)
    assert (packet[BTH].opcode, packet[BTH].psn, packet[BTH].dqpn) == (opcode, sequence, 0x10001)
    for layer in (IP, UDP):
        del packet[layer].chksum
    packet[UDP].chksum = 0  # RoCEv2 sends none over IPv4
    packet[BTH].icrc = None
    assert bytes(packet) == frame


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, [BthOpcode.SEND_ONLY]),
        (PATH_MTU, [BthOpcode.SEND_ONLY]),
        (PATH_MTU + 1, [BthOpcode.SEND_FIRST, BthOpcode.SEND_LAST]),
        (3 * PATH_MTU, [BthOpcode.SEND_FIRST, BthOpcode.SEND_MIDDLE, BthOpcode.SEND_LAST]),
    ],
)
def test_send_is_cut_at_the_path_mtu(length: int, expected: list[BthOpcode]) -> None:
    assert opcodes(list(roce.send(flow(), bytes(length)))) == expected


def test_send_with_invalidate_carries_the_handle_in_its_last_frame() -> None:
    frames = list(roce.send(flow(), bytes(PATH_MTU + 4), 0xABCD))
    assert opcodes(frames) == [BthOpcode.SEND_FIRST, BthOpcode.SEND_LAST_INVALIDATE]
    assert frames[1][54:58] == bytes.fromhex("0000abcd")
    assert opcodes(list(roce.send(flow(), b"", 1))) == [BthOpcode.SEND_ONLY_INVALIDATE]


def test_write_names_its_target_in_the_first_frame_only() -> None:
    frames = list(roce.write(flow(), 7, 0x1000, bytes(PATH_MTU + 4)))
    assert opcodes(frames) == [BthOpcode.WRITE_FIRST, BthOpcode.WRITE_LAST]
    assert frames[0][54:70] == struct.pack(">QII", 0x1000, 7, PATH_MTU + 4)
    assert len(frames[1]) == 42 + 12 + 4 + 4


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (4, [BthOpcode.READ_REQUEST, BthOpcode.READ_RESPONSE_ONLY]),
        (
            2 * PATH_MTU + 1,
            [
                BthOpcode.READ_REQUEST,
                BthOpcode.READ_RESPONSE_FIRST,
                BthOpcode.READ_RESPONSE_MIDDLE,
                BthOpcode.READ_RESPONSE_LAST,
            ],
        ),
    ],
)
def test_read_takes_a_sequence_number_for_each_response(
    length: int, expected: list[BthOpcode]
) -> None:
    request, response = flow(), flow()
    frames = list(roce.read(request, response, 1, 2, length, bytes(length)))
    assert opcodes(frames) == expected
    assert request.sequence == len(expected) - 1
    assert response.sequence == 0


def test_read_of_unknown_data_shows_the_request_alone() -> None:
    assert opcodes(list(roce.read(flow(), flow(), 1, 2, 100, b""))) == [BthOpcode.READ_REQUEST]
