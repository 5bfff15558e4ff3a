"""Transport packets: the same octets as others make, back again, and nothing but BadFrame."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.bth import (
    OPERATIONS,
    Aeth,
    BthOpcode,
    Deth,
    ExtendedHeader,
    Packet,
    PacketPosition,
    Reth,
    TransportOperation,
    decode,
    encode,
)

WORDS = st.integers(0, 0xFFFFFFFF)
NUMBERS = st.integers(0, 0xFFFFFF)
VALUES = {
    ExtendedHeader.DETH: ("deth", st.builds(Deth, WORDS, NUMBERS)),
    ExtendedHeader.RETH: ("reth", st.builds(Reth, st.integers(0, (1 << 64) - 1), WORDS, WORDS)),
    ExtendedHeader.AETH: ("aeth", st.builds(Aeth, st.integers(0, 0xFF), NUMBERS)),
    ExtendedHeader.ATOMIC: ("atomic", st.binary(min_size=28, max_size=28)),
    ExtendedHeader.ATOMIC_ACK: ("atomic", st.binary(min_size=8, max_size=8)),
    ExtendedHeader.IMMEDIATE: ("immediate", WORDS),
    ExtendedHeader.INVALIDATE: ("invalidate", WORDS),
}


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    """Any packet whose extended headers are those of its opcode."""
    opcode = draw(st.sampled_from(list(BthOpcode)))
    headers = [values for header, values in VALUES.items() if header in OPERATIONS[opcode].headers]
    return Packet(
        opcode,
        draw(NUMBERS),
        draw(NUMBERS),
        draw(st.binary(max_size=40)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.integers(0, 0xFFFF)),
        **{name: draw(values) for name, values in headers},
    )


@given(packets())
def test_a_packet_comes_back_as_it_was(packet: Packet) -> None:
    octets = encode(packet)

    assert decode(octets) == packet
    assert len(octets) % 4 == 0


@given(packets())
def test_every_truncation_is_another_packet_or_a_bad_frame(packet: Packet) -> None:
    octets = encode(packet)
    for length in range(len(octets)):
        try:
            shorter = decode(octets[:length])
        except BadFrame:
            continue
        assert len(encode(shorter)) == length


@given(st.binary(max_size=80))
def test_no_octets_raise_anything_but_bad_frame(octets: bytes) -> None:
    try:
        packet = decode(octets)
    except BadFrame:
        return
    assert decode(encode(packet)) == packet


@given(st.sampled_from(list(BthOpcode)), st.binary(min_size=11, max_size=60))
def test_no_octets_after_an_opcode_raise_anything_but_bad_frame(opcode: int, rest: bytes) -> None:
    try:
        packet = decode(bytes([opcode]) + rest)
    except BadFrame:
        return
    assert decode(encode(packet)) == packet


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (
            Packet(BthOpcode.SEND_ONLY, 0x11, 0xABCDEF, b"\x01\x02\x03", ack_request=True),
            "04 50 ffff 00000011 80abcdef 01020300",
        ),
        (
            Packet(BthOpcode.SEND_ONLY_INVALIDATE, 0x11, 1, invalidate=0x8070605, solicited=True),
            "17 c0 ffff 00000011 00000001 08070605",
        ),
        (
            Packet(BthOpcode.WRITE_FIRST, 0x11, 2, b"abcd", reth=Reth(0x1020304050607080, 7, 9)),
            "06 40 ffff 00000011 00000002 1020304050607080 00000007 00000009 61626364",
        ),
        (
            Packet(BthOpcode.WRITE_ONLY_IMMEDIATE, 0x11, 2, reth=Reth(1, 2, 0), immediate=5),
            "0b 40 ffff 00000011 00000002 0000000000000001 00000002 00000000 00000005",
        ),
        (
            Packet(BthOpcode.ACKNOWLEDGE, 0x11, 3, aeth=Aeth(0x60, 0x123456), partition=0x7FFF),
            "11 40 7fff 00000011 00000003 60123456",
        ),
        (
            Packet(BthOpcode.ATOMIC_ACKNOWLEDGE, 1, 3, aeth=Aeth(0, 1), atomic=b"12345678"),
            "12 40 ffff 00000001 00000003 00000001 3132333435363738",
        ),
        (
            Packet(BthOpcode.UD_SEND_ONLY, 1, 4, b"abcd", deth=Deth(0x80010000, 1), migrated=False),
            "64 00 ffff 00000001 00000004 80010000 00000001 61626364",
        ),
    ],
    ids=lambda value: BthOpcode(value.opcode).name if isinstance(value, Packet) else "",
)
def test_headers_are_where_the_architecture_puts_them(packet: Packet, expected: str) -> None:
    assert encode(packet) == bytes.fromhex(expected)


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        ("04 40 ffff 00000011 800001", "11 octets are too few for a Base Transport Header"),
        ("15 40 ffff 00000011 00000001", "BTH opcode 0x15 is unknown"),
        ("84 40 ffff 00000011 00000001", "BTH opcode 0x84 is unknown"),
        (
            "04 41 ffff 00000011 00000001",
            "the BTH has transport version 1, and only 0 is known",
        ),
        (
            "0c 40 ffff 00000011 00000001 00000000 00000000",
            "20 octets are too few for the 28 of the headers of READ_REQUEST",
        ),
        (
            "04 50 ffff 00000011 00000001",
            "SEND_ONLY has 1 octets of padding and 0 of payload",
        ),
        (
            "04 40 ffff 00000011 00000001 6162",
            "14 octets of SEND_ONLY are no whole number of words of four",
        ),
    ],
)
def test_a_bad_packet_is_refused_with_its_reason(octets: str, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        decode(bytes.fromhex(octets))
    assert str(caught.value) == said


def test_reserved_and_congestion_bits_are_passed_over() -> None:
    packet = decode(bytes.fromhex("04 40 ffff ff000011 7f000001"))

    assert packet == Packet(BthOpcode.SEND_ONLY, 0x11, 1)


def test_an_extended_header_that_the_opcode_has_not_is_sent_all_the_same() -> None:
    wrong = Packet(BthOpcode.SEND_ONLY, 1, 1, b"abcd", aeth=Aeth(0x1F, 2))

    assert decode(encode(wrong)).payload == bytes.fromhex("1f000002") + b"abcd"


def test_every_opcode_has_a_meaning() -> None:
    assert set(OPERATIONS) == set(BthOpcode)


@pytest.mark.parametrize("opcode", list(BthOpcode), ids=lambda opcode: opcode.name)
def test_the_meaning_of_an_opcode_is_that_of_its_name(opcode: BthOpcode) -> None:
    meaning = OPERATIONS[opcode]
    positions = [at for at in PacketPosition if at.name in opcode.name.split("_")]
    operations = {
        "SEND": TransportOperation.SEND,
        "WRITE": TransportOperation.WRITE,
        "READ": TransportOperation.READ_RESPONSE,
        "UD": TransportOperation.DATAGRAM,
    }
    alone = {
        BthOpcode.READ_REQUEST: TransportOperation.READ_REQUEST,
        BthOpcode.ACKNOWLEDGE: TransportOperation.ACKNOWLEDGE,
        BthOpcode.ATOMIC_ACKNOWLEDGE: TransportOperation.ATOMIC_ACKNOWLEDGE,
        BthOpcode.COMPARE_SWAP: TransportOperation.ATOMIC,
        BthOpcode.FETCH_ADD: TransportOperation.ATOMIC,
    }

    assert [meaning.position] == (positions or [PacketPosition.ONLY])
    assert meaning.operation is (alone.get(opcode) or operations[opcode.name.split("_")[0]])
    assert (ExtendedHeader.IMMEDIATE in meaning.headers) is opcode.name.endswith("_IMMEDIATE")
    assert (ExtendedHeader.INVALIDATE in meaning.headers) is opcode.name.endswith("_INVALIDATE")
