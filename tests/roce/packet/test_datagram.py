"""Datagrams and their frames: sealed, framed, taken apart, and found broken."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.bth import BthOpcode, Packet, encode
from rpcrdma.roce.packet.datagram import Datagram, from_frame, is_sealed, seal, to_frame

TRANSPORT = encode(Packet(BthOpcode.SEND_ONLY, 0x10001, 77, b"abcdefgh"))
STATIONS = b"\x02\0\0\0\0\x01", b"\x02\0\0\0\0\x02"
PAIRS = [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")]
SEALED = [seal(*pair, 0xC001, TRANSPORT) for pair in PAIRS]
FRAMES = [to_frame(datagram, *STATIONS) for datagram in SEALED]
FRAME = FRAMES[0]
OPTIONS = b"\x46\0\0\x38\0\0\x40\0\x40\x11"


def received(datagram: Datagram, intact: bool) -> Datagram:
    return Datagram(datagram.source, datagram.destination, datagram.port, datagram.payload, intact)


@given(
    st.sampled_from(PAIRS),
    st.integers(0, 0xFFFF),
    st.binary(min_size=12, max_size=100),
)
def test_a_sealed_datagram_arrives_intact(
    pair: tuple[str, str], port: int, transport: bytes
) -> None:
    datagram = seal(*pair, port, transport)

    assert datagram.transport == transport
    assert from_frame(to_frame(datagram, *STATIONS)) == received(datagram, intact=True)


@pytest.mark.parametrize("datagram", SEALED, ids=["IPv4", "IPv6"])
def test_what_is_sealed_can_be_told(datagram: Datagram) -> None:
    """From what was changed on the way, wherever."""
    assert is_sealed(datagram)
    for place in (0, len(datagram.payload) - 5, -1):
        octets = bytearray(datagram.payload)
        octets[place] ^= 1
        assert not is_sealed(msgspec.structs.replace(datagram, payload=bytes(octets)))


@pytest.mark.parametrize("datagram", SEALED, ids=["IPv4", "IPv6"])
def test_frames_agree_with_scapy(datagram: Datagram) -> None:
    from scapy.contrib.roce import BTH
    from scapy.layers.l2 import Ether

    frame = to_frame(datagram, *STATIONS)
    packet = Ether(frame)
    packet[BTH].icrc = None

    assert (packet.src, packet.dst) == ("02:00:00:00:00:01", "02:00:00:00:00:02")
    assert packet[BTH].psn == 77
    assert bytes(packet) == frame


@pytest.mark.parametrize("number", [0, 1], ids=["IPv4", "IPv6"])
def test_every_changed_octet_of_the_packet_shows(number: int) -> None:
    """But for the octet of the BTH that is not covered."""
    datagram, frame = SEALED[number], FRAMES[number]
    first = len(frame) - len(datagram.payload)
    for at in range(first, len(frame)):
        came = from_frame(frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :])
        assert came is not None
        assert came.intact is (at == first + 4)


def test_a_frame_shows_the_identification_that_the_icrc_covers() -> None:
    other = FRAME[:18] + b"\0\1" + FRAME[20:24]
    checksum = int.from_bytes(FRAME[24:26], "big") - 1

    came = from_frame(other + checksum.to_bytes(2, "big") + FRAME[26:])

    assert came == received(SEALED[0], intact=False)


@pytest.mark.parametrize("frame", FRAMES, ids=["IPv4", "IPv6"])
def test_tags_and_padding_of_the_frame_are_passed_over(frame: bytes) -> None:
    padded = frame[:12] + b"\x81\0\0\x05" + frame[12:] + b"padding"

    assert from_frame(padded) == from_frame(frame)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME[:12] + b"\x08\x06" + FRAME[14:],
        FRAME[:36] + b"\x12\xb8" + FRAME[38:],
        FRAMES[1][:20] + b"\x3a" + FRAMES[1][21:],
    ],
    ids=["ARP", "other port", "ICMPv6"],
)
def test_other_frames_are_none(frame: bytes) -> None:
    assert from_frame(frame) is None


def with_header(start: bytes) -> bytes:
    """The frame with another start of the IPv4 header, its checksum right, and options if any."""
    rest = FRAME[26:34] + bytes(4 * (start[0] & 0xF) - 20)
    checksum = -int.from_bytes(start + bytes(2) + rest, "big") % 0xFFFF
    return FRAME[:14] + start + checksum.to_bytes(2, "big") + rest + FRAME[34:]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (with_header(OPTIONS), "the IPv4 header of a RoCEv2 packet has options"),
        (with_header(FRAME[14:20] + b"\x20\0\x40\x11"), "the IP datagram is a fragment"),
        (with_header(FRAME[14:20] + b"\0\1\x40\x11"), "the IP datagram is a fragment"),
        (
            to_frame(Datagram(*PAIRS[0], 1, bytes(15)), *STATIONS),
            "15 octets are too few for a RoCEv2 packet and its ICRC",
        ),
        (FRAME[:-1], "the IPv4 header has length 52 where 51 octets are there"),
    ],
)
def test_a_broken_frame_is_refused_with_its_reason(frame: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        from_frame(frame)
    assert str(caught.value) == said


@pytest.mark.parametrize("frame", FRAMES, ids=["IPv4", "IPv6"])
def test_every_truncation_is_a_bad_frame(frame: bytes) -> None:
    for length in range(len(frame)):
        with pytest.raises(BadFrame):
            from_frame(frame[:length])


@given(
    st.sampled_from(FRAMES),
    st.dictionaries(st.integers(0, 61), st.integers(0, 255), max_size=4),
    st.binary(max_size=20),
)
def test_no_changes_raise_anything_but_bad_frame(
    frame: bytes, changes: dict[int, int], more: bytes
) -> None:
    octets = bytearray(frame + more)
    for at, octet in changes.items():
        octets[at] = octet
    try:
        came = from_frame(bytes(octets))
    except BadFrame:
        return
    assert came is None or len(came.payload) >= 16
