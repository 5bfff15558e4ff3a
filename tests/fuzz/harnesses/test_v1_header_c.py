from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.differential.compiled import V1
from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.harnesses.v1_header_c import HARNESS, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import BelievesLengths
from rpcrdma.wire import RdmaMsg, TransportHeader, WriteChunk, encode_header
from tests.fuzz.differential.real import real_decoder

DONE = bytes.fromhex("00000007 00000001 00000020 00000003")
EMPTY = encode_header(TransportHeader(7, 1, 32, RdmaMsg((), (), WriteChunk(()))))


@given(st.binary(max_size=200))
def test_both_make_the_same_of_any_octets(octets: bytes) -> None:
    if real_decoder(V1):
        for header in (octets, DONE[:12] + octets, EMPTY[:16] + octets):
            check(header, V1ReferenceCodec())


def test_a_decoder_that_believes_lengths_is_found() -> None:
    if real_decoder(V1):
        with pytest.raises(BrokenInvariant, match="only-we-accept"):
            check(EMPTY[:-4] + bytes.fromhex("00000002"), BelievesLengths())


def test_blocks_of_the_decoder_are_counted_for_the_fuzzer() -> None:
    if real_decoder(V1):
        assert HARNESS.counters
        counters = HARNESS.counters()
        counters[:] = bytes(len(counters))
        check(EMPTY, V1ReferenceCodec())
        assert any(counters)
