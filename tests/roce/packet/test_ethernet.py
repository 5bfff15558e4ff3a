"""Ethernet frames, with and without VLAN tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.ethernet import (
    ETHERTYPE_ARP,
    ETHERTYPE_IPV4,
    EthernetHeader,
    decode_ethernet,
    encode_ethernet,
)

TO, FROM = bytes(range(6)), bytes(range(6, 12))
VLAN, SERVICE_VLAN = bytes.fromhex("8100 0005"), bytes.fromhex("88a8 0007")


@pytest.mark.parametrize("tags", [b"", VLAN, SERVICE_VLAN + VLAN], ids=["none", "one", "two"])
def test_tags_are_passed_over(tags: bytes) -> None:
    head = encode_ethernet(TO, FROM, ETHERTYPE_ARP)
    frame = head[:12] + tags + head[12:] + b"rest"

    assert decode_ethernet(frame) == EthernetHeader(TO, FROM, ETHERTYPE_ARP, 14 + len(tags))


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (bytes(13), "13 octets are too few for an Ethernet frame"),
        (TO + FROM + VLAN, "the Ethernet frame ends in a VLAN tag, after 16 octets"),
    ],
)
def test_a_cut_frame_is_refused_with_its_reason(frame: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        decode_ethernet(frame)
    assert str(caught.value) == said


@given(st.binary(max_size=40), st.sampled_from([b"", VLAN, VLAN * 3]))
def test_no_octets_raise_anything_but_bad_frame(octets: bytes, tags: bytes) -> None:
    try:
        head = decode_ethernet(octets[:12] + tags + octets[12:])
    except BadFrame:
        return
    assert head.length >= 14


def test_the_head_is_where_the_standard_puts_it() -> None:
    assert encode_ethernet(TO, FROM, ETHERTYPE_IPV4).hex() == "000102030405060708090a0b0800"
