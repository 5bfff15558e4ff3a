from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_v2 import rdma2_headers
from fuzz.harnesses.v2_header import V2ReferenceCodec, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import LeavesOctetsBehind
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaSegment, WriteChunk, v2
from rpcrdma.wire.optional import Option, UnknownOption

UPDATE = bytes.fromhex("00000001 00000002 00000020 00000005 00000000 00000004")


@given(st.binary(max_size=200))
def test_reference_codec_keeps_the_invariant(octets: bytes) -> None:
    check(octets, V2ReferenceCodec())
    check(UPDATE[:12] + octets, V2ReferenceCodec())
    check(UPDATE + len(octets).to_bytes(4) + octets + bytes(-len(octets) % 4), V2ReferenceCodec())


@given(rdma2_headers())
def test_every_header_keeps_the_invariant(header: v2.Rdma2Header) -> None:
    check(v2.encode_header(header), V2ReferenceCodec())


def test_segments_of_either_message_are_counted() -> None:
    chunk = WriteChunk((RdmaSegment(1, 2, 3),))
    for body in (v2.Rdma2Msg, v2.Rdma2Nomsg):
        header = v2.Rdma2Header(1, 2, 1, body(v2.MessageType.CALL, (), (chunk,), chunk))
        assert V2ReferenceCodec().segments(header) == 2


def test_octets_behind_the_end_of_an_option_are_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(UPDATE + bytes.fromhex("00000008 00000000 00000000"), LeavesOctetsBehind())
    assert caught.value.invariant == "option-round-trip"


class PointsOutside(V2ReferenceCodec):
    """Names an offset in front of the contents."""

    def option(self, body: v2.Rdma2Optional) -> Option:
        raise DecodeError(27, "rdma_body.rdma_optinfo", Reason.TRUNCATED)


class ForgetsTheType(V2ReferenceCodec):
    """Takes every operation for an unknown one of number 0."""

    def option(self, body: v2.Rdma2Optional) -> Option:
        return UnknownOption(0, body.rdma_optinfo)


@pytest.mark.parametrize(
    ("codec", "invariant"),
    [(PointsOutside(), "option-offset-outside"), (ForgetsTheType(), "option-round-trip")],
)
def test_wrong_option_is_found(codec: V2ReferenceCodec, invariant: str) -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(UPDATE + bytes(4), codec)
    assert caught.value.invariant == invariant
