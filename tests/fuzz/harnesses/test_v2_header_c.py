from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from conformance.strategies._generated_v2 import rdma2_headers
from fuzz.differential.compiled import V2
from fuzz.harnesses.v2_header import V2ReferenceCodec
from fuzz.harnesses.v2_header_c import HARNESS, check
from fuzz.invariant import BrokenInvariant
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import v2
from tests.fuzz.differential.real import real_decoder

OPTION = v2.encode_header(
    v2.Rdma2Header(7, 2, 32, v2.Rdma2Optional(v2.MessageType.CALL, 99, bytes(8)))
)


@given(st.binary(max_size=200))
def test_both_make_the_same_of_any_octets(octets: bytes) -> None:
    if real_decoder(V2):
        for header in (octets, OPTION[:12] + octets, OPTION[:20] + octets):
            check(header, V2ReferenceCodec())


@given(rdma2_headers())
def test_both_make_the_same_of_every_header(header: v2.Rdma2Header) -> None:
    if real_decoder(V2):
        check(v2.encode_header(header), V2ReferenceCodec())


class RefusesUnknownOptions(V2ReferenceCodec):
    """Takes an operation that it does not know for an error of the header."""

    @override
    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        header, end = super().decode(octets)
        if isinstance(header.rdma_body, v2.Rdma2Optional):
            raise DecodeError(20, "rdma_body.rdma_opttype", Reason.BAD_ENUM)
        return header, end


def test_a_decoder_that_refuses_what_the_xdr_allows_is_found() -> None:
    if real_decoder(V2):
        with pytest.raises(BrokenInvariant, match="only-c-accepts"):
            check(OPTION, RefusesUnknownOptions())


def test_it_has_a_library_of_its_own() -> None:
    if real_decoder(V2):
        assert HARNESS.counters
        counters = HARNESS.counters()
        counters[:] = bytes(len(counters))
        check(OPTION, V2ReferenceCodec())
        assert any(counters)
