"""What nobody should send: nothing from the network raises, hangs, or grows without bound.

The harnesses of `fuzz/harnesses` say what must hold; here inputs are made of fields, and are
the same every time.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.harnesses import roce_device, roce_frame
from fuzz.played_hosts import OTHER, PEER, STRANGER, message_of, request
from fuzz.roce_steps import RoceAct, RoceStep, join_steps
from rpcrdma.roce.packet.bth import Aeth, BthOpcode, Deth, Packet, Reth, encode
from rpcrdma.roce.packet.datagram import seal, to_frame
from rpcrdma.roce.parts import USUAL

WORDS = st.one_of(st.integers(0, 3), st.integers(0, 2**32 - 1))
NUMBERS = st.one_of(st.integers(0, 3), st.integers(0, 2**24 - 1))
OCTETS = st.integers(0, 255)

PACKETS = st.builds(
    Packet,
    opcode=st.one_of(st.sampled_from(BthOpcode), OCTETS),
    destination=NUMBERS,
    psn=NUMBERS,
    payload=st.binary(max_size=64),
    ack_request=st.booleans(),
    partition=st.integers(0, 0xFFFF),
    reth=st.none() | st.builds(Reth, offset=WORDS, handle=WORDS, length=WORDS),
    aeth=st.none() | st.builds(Aeth, syndrome=OCTETS, msn=NUMBERS),
    deth=st.none() | st.builds(Deth, queue_key=WORDS, source=NUMBERS),
    invalidate=st.none() | WORDS,
    immediate=st.none() | WORDS,
)
"""Also with headers that their opcodes do not have, and without those that they have."""

TRANSPORTS = PACKETS.map(encode) | st.builds(
    lambda known, word: message_of(request(known, PEER, word & 0xFFFFFF, word & 0xFFFF), word),
    WORDS,
    WORDS,
)

SIZES = st.sampled_from((0, 1, 4, 255, 256, 257, 300, 600, 601))

STEPS = st.builds(
    RoceStep,
    act=st.sampled_from(RoceAct),
    source=st.integers(0, 1),
    code=st.one_of(st.sampled_from(BthOpcode), st.integers(0, 8), st.integers(0, 255)),
    delta=st.one_of(st.just(0), st.integers(-4, 4), st.integers(-128, 127)),
    flags=st.one_of(st.integers(0, 3), st.integers(0, 127)),
    where=st.integers(0, 6),
    offset=st.one_of(st.just(0), st.sampled_from((1, 31, 0x20, 0x2E, 0x60, 0x61, 0x62, -1))),
    length=SIZES,
    size=SIZES,
    repeat=st.one_of(st.just(0), st.just(0), st.integers(0, 40)),
    patch_at=st.integers(0, 60),
    patch=st.one_of(st.just(0), OCTETS),
    cut=st.one_of(st.just(0), st.integers(0, 12)),
)


@given(TRANSPORTS, st.data())
def test_octets_give_bad_frame_or_what_encodes_to_them(
    transport: bytes, data: st.DataObject
) -> None:
    """Of frames, of packets and of messages, cut anywhere and with an octet that is wrong."""
    source = data.draw(st.sampled_from((STRANGER, OTHER)))
    whole = data.draw(
        st.sampled_from((transport, to_frame(seal(source, PEER, 7, transport), bytes(6), bytes(6))))
    )
    octets = bytearray(whole[: data.draw(st.integers(0, len(whole)) | st.just(len(whole)))])
    if octets and data.draw(st.booleans()):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(OCTETS)

    roce_frame.check(bytes(octets), roce_frame.RocePacketCodec())


@pytest.mark.long
@given(st.lists(STEPS, max_size=12))
def test_any_sequence_leaves_a_device_that_serves(steps: list[RoceStep]) -> None:
    """Packets and messages of a peer and of a stranger, while the device's owner works."""
    roce_device.check(join_steps(steps), USUAL)
