"""IP headers and addresses."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame, FabricError
from rpcrdma.roce.packet.internet import (
    InternetHeader,
    address_octets,
    address_of_gid,
    address_text,
    decode_internet,
    encode_internet,
    gid_of_address,
)

A4, B4 = bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2))
A6, B6 = address_octets("2001:db8::1"), address_octets("2001:db8::2")
IPV4 = encode_internet(A4, B4, 20)
IPV6 = encode_internet(A6, B6, 20)
ADDRESSES = st.one_of(st.binary(min_size=4, max_size=4), st.binary(min_size=16, max_size=16))


def with_checksum(header: bytes) -> bytes:
    """An IPv4 header with the right checksum, by the other way to make one: a running sum."""
    header = header[:10] + bytes(2) + header[12:]
    total = sum(int.from_bytes(header[at : at + 2], "big") for at in range(0, len(header), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return header[:10] + (~total & 0xFFFF).to_bytes(2, "big") + header[12:]


def changed(header: bytes, at: int, octet: int) -> bytes:
    return with_checksum(header[:at] + bytes([octet]) + header[at + 1 :])


@given(
    ADDRESSES.flatmap(lambda a: st.tuples(st.just(a), st.binary(min_size=len(a), max_size=len(a))))
)
def test_a_header_comes_back_as_it_was(addresses: tuple[bytes, bytes]) -> None:
    source, destination = addresses
    octets = encode_internet(source, destination, 20)

    assert decode_internet(octets + bytes(26)) == InternetHeader(
        source, destination, 17, 20 if len(source) == 4 else 40, 20
    )
    assert len(source) == 16 or octets == with_checksum(octets)


def test_identification_is_zero_and_nobody_may_fragment() -> None:
    assert IPV4[:10].hex() == "45000028000040004011"
    assert with_checksum(IPV4) == IPV4
    assert IPV6[:8].hex() == "6000000000141140"


def test_options_are_seen_and_passed_over() -> None:
    octets = with_checksum(b"\x46" + IPV4[1:3] + b"\x2c" + IPV4[4:] + b"\x94\x04\0\0")

    head = decode_internet(octets + bytes(20))

    assert (head.options, head.header_length, head.length) == (True, 24, 20)


@pytest.mark.parametrize("octet", [0x20, 0x60, 0x01, 0x21])
def test_a_fragment_is_seen(octet: int) -> None:
    assert decode_internet(changed(IPV4, 6, octet) + bytes(20)).fragment
    assert not decode_internet(IPV4 + bytes(20)).fragment


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        (b"", "no octet of an IP header is there"),
        (b"\x55" + bytes(30), "the IP header has version 5, and only 4 and 6 are known"),
        (IPV4[:19], "19 octets are too few for an IPv4 header of 20"),
        (b"\x4f" + IPV4[1:], "20 octets are too few for an IPv4 header of 60"),
        (
            changed(IPV4, 0, 0x44),
            "the IPv4 header claims a length of 4 words, less than 5",
        ),
        (IPV4[:10] + b"\0\0" + IPV4[12:], "the IPv4 header's checksum is wrong"),
        (IPV4, "the IPv4 header has length 40 where 20 octets are there"),
        (changed(IPV4, 3, 19), "the IPv4 header has length 19 where 20 octets are there"),
        (IPV6[:39], "39 octets are too few for an IPv6 header"),
        (IPV6, "the IPv6 header has length 20 where 40 octets are there"),
    ],
)
def test_a_bad_header_is_refused_with_its_reason(octets: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        decode_internet(octets)
    assert str(caught.value) == said


@given(st.sampled_from([b"", b"\x45", b"\x46", b"\x60"]), st.binary(max_size=80))
def test_no_octets_raise_anything_but_bad_frame(first: bytes, rest: bytes) -> None:
    try:
        head = decode_internet(first + rest)
    except BadFrame:
        return
    assert head.header_length + head.length <= len(first + rest)


@given(ADDRESSES)
def test_addresses_go_there_and_back(octets: bytes) -> None:
    text = address_text(octets)

    assert address_octets(text) == octets
    assert ipaddress.ip_address(text).packed == octets


def test_an_ipv4_address_has_a_mapped_gid() -> None:
    gid = gid_of_address("192.0.2.1")

    assert gid.hex() == "00000000000000000000ffffc0000201"
    assert address_of_gid(gid) == "192.0.2.1"
    assert address_of_gid(gid_of_address("2001:db8::1")) == "2001:db8::1"


@pytest.mark.parametrize("text", ["", "localhost", "192.0.2", "2001:db8::g", "1.2.3.4.5", "a\0b"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(FabricError, match="is no IP address"):
        address_octets(text)


def test_a_datagram_stays_in_its_family() -> None:
    with pytest.raises(FabricError, match="one address is of IPv4 and the other of IPv6"):
        encode_internet(A4, B6, 20)
