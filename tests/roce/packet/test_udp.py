"""UDP headers."""

from __future__ import annotations

import pytest

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.udp import decode_udp, encode_udp


def test_a_header_comes_back_as_it_was() -> None:
    octets = encode_udp(0xC001, 5)

    assert octets.hex() == "c00112b7000d0000"
    assert decode_udp(octets + b"12345") == (0xC001, 4791, 5)


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        ("c00112b7000d00", "7 octets are too few for a UDP header"),
        ("c00112b700070000", "UDP has length 7 where 8 octets are there"),
        ("c00112b700090000", "UDP has length 9 where 8 octets are there"),
    ],
)
def test_a_bad_header_is_refused_with_its_reason(octets: str, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        decode_udp(bytes.fromhex(octets))
    assert str(caught.value) == said
