"""The invariant CRC: what it covers, and a second opinion on its value."""

from __future__ import annotations

import pytest

from rpcrdma.roce.packet.bth import Aeth, BthOpcode, Packet, encode
from rpcrdma.roce.packet.icrc import icrc
from rpcrdma.roce.packet.internet import address_octets, encode_internet
from rpcrdma.roce.packet.udp import encode_udp

TRANSPORT = encode(Packet(BthOpcode.SEND_ONLY, 0x10001, 77, b"abcdefgh"))
HEADER = encode_udp(0xC001, len(TRANSPORT) + 4)


def header(source: str, destination: str) -> bytes:
    return encode_internet(
        address_octets(source), address_octets(destination), len(HEADER) + len(TRANSPORT) + 4
    )


IPV4 = header("192.0.2.1", "192.0.2.2")
IPV6 = header("2001:db8::1", "2001:db8::2")


def changed(octets: bytes, at: int) -> bytes:
    return octets[:at] + bytes([octets[at] ^ 0x10]) + octets[at + 1 :]


@pytest.mark.parametrize(
    ("internet", "free"),
    [(IPV4, {1, 8, 10, 11}), (IPV6, {1, 2, 3, 7})],
    ids=["IPv4", "IPv6"],
)
def test_exactly_what_routers_change_is_not_covered(internet: bytes, free: set[int]) -> None:
    right = icrc(internet, HEADER, TRANSPORT)

    def uncovered(octets: bytes, first: int) -> set[int]:
        return {
            at
            for at in range(first, len(octets))
            if right == icrc(*(changed(part, at) if part is octets else part for part in parts))
        }

    parts = (internet, HEADER, TRANSPORT)
    assert uncovered(internet, 1) == free
    assert uncovered(HEADER, 0) == {6, 7}
    assert uncovered(TRANSPORT, 0) == {4}


def test_ipv6_flow_label_and_traffic_class_are_not_covered_by_any_bit() -> None:
    assert icrc(b"\x6f\xff\xff\xff" + IPV6[4:], HEADER, TRANSPORT) == icrc(IPV6, HEADER, TRANSPORT)


@pytest.mark.parametrize(
    ("transport", "address"),
    [
        (TRANSPORT, "192.0.2."),
        (TRANSPORT, "2001:db8::"),
        (encode(Packet(BthOpcode.ACKNOWLEDGE, 5, 6, aeth=Aeth(0x1F, 9))), "192.0.2."),
    ],
)
def test_icrc_agrees_with_scapy(transport: bytes, address: str) -> None:
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6

    udp = encode_udp(0xC001, len(transport) + 4)
    internet = encode_internet(
        address_octets(f"{address}1"), address_octets(f"{address}2"), len(udp) + len(transport) + 4
    )
    packet = (IPv6 if ":" in address else IP)(internet + udp + transport + bytes(4))
    packet[BTH].icrc = None
    packet[UDP].chksum = 0

    assert bytes(packet)[-4:] == icrc(internet, udp, transport)
