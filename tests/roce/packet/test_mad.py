"""Management datagrams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.bth import BthOpcode, Deth, decode, encode
from rpcrdma.roce.packet.mad import DATA_LENGTH, Mad, decode_mad, encode_mad, mad_packet

OCTETS, SHORTS = st.integers(0, 0xFF), st.integers(0, 0xFFFF)
MADS = st.builds(
    Mad,
    OCTETS,
    OCTETS,
    OCTETS,
    st.integers(0, (1 << 64) - 1),
    SHORTS,
    st.binary(min_size=DATA_LENGTH, max_size=DATA_LENGTH),
    SHORTS,
    SHORTS,
    st.integers(0, 0xFFFFFFFF),
)
MAD = Mad(7, 2, 3, 0x1122334455667788, 0x10, bytes(DATA_LENGTH))


@given(MADS)
def test_a_mad_comes_back_as_it_was(mad: Mad) -> None:
    assert decode_mad(encode_mad(mad)) == mad


def test_the_common_header_is_where_the_architecture_puts_it() -> None:
    octets = encode_mad(MAD)

    assert octets[:24].hex() == "0107020300000000112233445566778800100000" + "00000000"
    assert len(octets) == 256


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        (encode_mad(MAD)[:255], "a management datagram has 256 octets, not 255"),
        (encode_mad(MAD) + b"\0", "a management datagram has 256 octets, not 257"),
        (
            b"\2" + encode_mad(MAD)[1:],
            "the management datagram has base version 2, and only 1 is known",
        ),
    ],
)
def test_a_bad_mad_is_refused_with_its_reason(octets: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        decode_mad(octets)
    assert str(caught.value) == said


def test_a_mad_travels_as_a_datagram_to_queue_pair_one() -> None:
    packet = decode(encode(mad_packet(encode_mad(MAD), 5)))

    assert (packet.opcode, packet.destination, packet.psn) == (BthOpcode.UD_SEND_ONLY, 1, 5)
    assert packet.deth == Deth(0x80010000, 1)
    assert decode_mad(packet.payload) == MAD
