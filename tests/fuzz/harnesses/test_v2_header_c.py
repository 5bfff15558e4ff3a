from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_v2 import rdma2_headers
from fuzz.differential.compiled import V2
from fuzz.harnesses.v2_header import V2ReferenceCodec
from fuzz.harnesses.v2_header_c import HARNESS, check
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


def test_it_has_a_library_of_its_own() -> None:
    if real_decoder(V2):
        assert HARNESS.counters
        counters = HARNESS.counters()
        counters[:] = bytes(len(counters))
        check(OPTION, V2ReferenceCodec())
        assert any(counters)
