from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.harnesses.v1_header import V1ReferenceCodec, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import BelievesLengths, BelievesTruth, TrustsCounts
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaMsg as Msg
from rpcrdma.wire import RdmaSegment, TransportHeader, WriteChunk, encode_header

PLAIN = bytes.fromhex("00000001 00000001 00000020 00000000 00000000 00000000 00000000")
REPLY_CHUNK = encode_header(
    TransportHeader(1, 1, 32, Msg((), (), WriteChunk((RdmaSegment(1, 2, 3),))))
)


@given(st.binary(max_size=200))
def test_reference_codec_keeps_the_invariant(octets: bytes) -> None:
    check(octets, V1ReferenceCodec())
    check(PLAIN[:16] + octets, V1ReferenceCodec())


def test_missing_length_check_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(PLAIN[:20], BelievesLengths())
    assert caught.value.invariant == "end-outside"


def test_missing_boolean_check_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(PLAIN[:-1] + b"\x47" + REPLY_CHUNK[28:], BelievesTruth())
    assert caught.value.invariant == "round-trip"


def test_unbounded_count_asks_for_what_the_input_names(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("fuzz.planted.bytearray", asked.append, raising=False)
    check(REPLY_CHUNK[:28] + b"\x70\0\0\0" + REPLY_CHUNK[32:], TrustsCounts())
    assert asked == [0x70000000 * 16]


class PointsOutside(V1ReferenceCodec):
    """Names an offset after the buffer."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        raise DecodeError(len(octets) + 1, "rdma_xid", Reason.TRUNCATED)


def test_offset_outside_the_buffer_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(PLAIN, PointsOutside())
    assert caught.value.invariant == "offset-outside"


class Invents(V1ReferenceCodec):
    """Returns more segments than the octets have room for, and denies it when encoding."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        segments = (RdmaSegment(0, 0, 0),) * 100
        return TransportHeader(1, 1, 1, Msg((), (WriteChunk(segments),), None)), len(octets)

    def encode(self, header: TransportHeader) -> bytes:
        return PLAIN


def test_segments_out_of_nowhere_are_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(PLAIN, Invents())
    assert caught.value.invariant == "unbounded"


class Lenient(V1ReferenceCodec):
    """Accepts a header that lacks its last octet."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        if len(octets) == len(PLAIN) - 1:
            return super().decode(PLAIN)[0], len(octets)
        return super().decode(octets)


def test_header_that_is_cut_short_and_accepted_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(PLAIN, Lenient())
    assert caught.value.invariant == "cut-short"
