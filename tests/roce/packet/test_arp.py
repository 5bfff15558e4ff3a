"""ARP: questions and answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.arp import (
    ArpOperation,
    ArpPacket,
    arp_answer,
    arp_from_frame,
    arp_question,
)
from rpcrdma.roce.packet.ethernet import BROADCAST, ETHERTYPE_ARP, encode_ethernet

OURS, THEIRS = b"\x02\0\0\0\0\x01", b"\x02\0\0\0\0\x02"
QUESTION = ArpPacket(ArpOperation.REQUEST, THEIRS, "192.0.2.2", bytes(6), "192.0.2.1")


def test_a_question_goes_to_everybody() -> None:
    frame = arp_question(THEIRS, "192.0.2.2", "192.0.2.1")

    assert frame[:6] == BROADCAST
    assert arp_from_frame(frame) == QUESTION


def test_an_answer_goes_to_who_asked() -> None:
    frame = arp_answer(QUESTION, OURS)

    assert frame[:12] == THEIRS + OURS
    assert arp_from_frame(frame) == ArpPacket(
        ArpOperation.REPLY, OURS, "192.0.2.1", THEIRS, "192.0.2.2"
    )


def test_frames_agree_with_scapy() -> None:
    from scapy.layers.l2 import ARP, Ether

    asked = Ether(arp_question(THEIRS, "192.0.2.2", "192.0.2.1"))[ARP]
    answered = Ether(arp_answer(QUESTION, OURS))[ARP]

    assert (asked.op, asked.hwsrc, asked.psrc, asked.pdst) == (
        1, "02:00:00:00:00:02", "192.0.2.2", "192.0.2.1"
    )  # fmt: skip
    assert (answered.op, answered.hwsrc, answered.psrc) == (2, "02:00:00:00:00:01", "192.0.2.1")
    assert (answered.hwdst, answered.pdst) == ("02:00:00:00:00:02", "192.0.2.2")


def test_other_frames_are_no_arp() -> None:
    frame = arp_question(THEIRS, "192.0.2.2", "192.0.2.1")

    assert arp_from_frame(frame[:12] + b"\x08\x00" + frame[14:]) is None
    assert arp_from_frame(frame[:14] + b"\x00\x06" + frame[16:]) is None


def test_padding_is_passed_over_and_a_tag_too() -> None:
    frame = arp_question(THEIRS, "192.0.2.2", "192.0.2.1")

    assert arp_from_frame(frame[:12] + b"\x81\0\0\x05" + frame[12:] + bytes(18)) == QUESTION


def test_a_cut_frame_is_refused_with_its_reason() -> None:
    with pytest.raises(BadFrame) as caught:
        arp_from_frame(arp_question(THEIRS, "192.0.2.2", "192.0.2.1")[:-1])
    assert str(caught.value) == "27 octets are too few for an ARP packet"


@given(st.binary(max_size=60))
def test_no_octets_raise_anything_but_bad_frame(octets: bytes) -> None:
    try:
        packet = arp_from_frame(encode_ethernet(OURS, THEIRS, ETHERTYPE_ARP) + octets)
    except BadFrame:
        return
    assert packet is None or isinstance(packet, ArpPacket)
