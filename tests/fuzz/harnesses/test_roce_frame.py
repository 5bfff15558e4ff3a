from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.harnesses.roce_frame import HARNESS, RocePacketCodec, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted_roce import TrustsHeaderLengths
from fuzz.played_hosts import OWN, PEER, message_of, request
from fuzz.registry import corpus_of
from rpcrdma.roce.packet.bth import BthOpcode, Packet, Reth, encode
from rpcrdma.roce.packet.cm_messages import CmMessage, ReadyToUse
from rpcrdma.roce.packet.datagram import Datagram, seal, to_frame

REQUEST = message_of(request(7, PEER, 9), 1)
READ = encode(Packet(BthOpcode.READ_REQUEST, 16, 1, reth=Reth(4096, 7, 8)))
SHORT = encode(Packet(BthOpcode.SEND_ONLY, 16, 1, b"abc"))
FRAME = to_frame(seal(PEER, OWN, 49152, REQUEST), bytes(6), bytes(6))


@given(st.sampled_from([REQUEST, REQUEST[20:], READ, FRAME]), st.data())
def test_reference_keeps_the_invariant_for_spoilt_octets(good: bytes, data: st.DataObject) -> None:
    octets = bytearray(good[: data.draw(st.integers(0, len(good)))])
    for at in data.draw(st.lists(st.integers(0, max(0, len(octets) - 1)), max_size=4)):
        octets[at : at + 1] = bytes([data.draw(st.integers(0, 255))])

    check(bytes(octets), RocePacketCodec())


def test_a_frame_carries_its_message() -> None:
    (seed,) = HARNESS.seeds([b"message"])

    assert HARNESS.messages(seed) == [b"message"]
    assert HARNESS.messages(seed[:30]) == HARNESS.messages(FRAME) == []


def test_the_corpus_reaches_frames_packets_and_messages() -> None:
    class Counting(RocePacketCodec):
        def __init__(self) -> None:
            self.found: set[str] = set()

        def datagram(self, frame: bytes) -> Datagram | None:
            found = super().datagram(frame)
            self.found.add(type(found).__name__)
            return found

        def packet(self, octets: bytes) -> Packet:
            found = super().packet(octets)
            self.found.add(BthOpcode(found.opcode).name)
            return found

        def message(self, octets: bytes) -> tuple[CmMessage, int]:
            found = super().message(octets)
            self.found.add(type(found[0]).__name__)
            return found

    codec = Counting()
    for path in corpus_of("roce-frame").iterdir():
        check(path.read_bytes(), codec)

    assert {"Datagram", "READ_REQUEST", "WRITE_FIRST", "ACKNOWLEDGE"} <= codec.found
    assert {"ConnectRequest", "ConnectReject", "DisconnectRequest"} <= codec.found


def test_a_short_header_is_found() -> None:
    with pytest.raises(Exception, match="requires a buffer"):
        check(READ[:20], TrustsHeaderLengths())


class LosesPadding(RocePacketCodec):
    """Takes padding for payload."""

    def packet(self, octets: bytes) -> Packet:
        return super().packet(octets[:1] + bytes([octets[1] & 0xCF]) + octets[2:])


class LosesPort(RocePacketCodec):
    """Forgets from where a datagram came, now and then."""

    def datagram(self, frame: bytes) -> Datagram | None:
        found = super().datagram(frame)
        if found is None or frame[0] == 0:
            return found
        return msgspec.structs.replace(found, port=1)


class LosesIds(RocePacketCodec):
    """Takes every message for the same one, but for its transaction."""

    def message(self, octets: bytes) -> tuple[CmMessage, int]:
        _, transaction = super().message(octets)
        return ReadyToUse(local_id=transaction & 7, remote_id=2), transaction + 1


@pytest.mark.parametrize(
    ("codec", "octets", "invariant"),
    [
        (LosesPort(), FRAME, "frame-round-trip"),
        (LosesPadding(), SHORT, "packet-octets-round-trip"),
        (LosesIds(), REQUEST[20:], "message-round-trip"),
    ],
)
def test_each_broken_decoder_is_found(
    codec: RocePacketCodec, octets: bytes, invariant: str
) -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(octets, codec)
    assert caught.value.invariant == invariant
