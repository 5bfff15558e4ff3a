"""Any octets become text; a fault is shown with octet, field and reason."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header, rpc
from rpcrdma.wire.describe import indented, one_line

HEADER = encode_header(TransportHeader(0x11, 1, 32, RdmaMsg((), (), None)))
CALL = HEADER + rpc.encode_message(rpc.call(0x11, 100003, 4, 1))


def test_line_tells_header_and_call():
    assert one_line(CALL) == (
        "68 octets, xid 0x00000011, version 1, credits 32, RDMA_MSG, "
        "Call of program 100003, version 4, procedure 1"
    )


def test_line_tells_why_a_call_was_rejected():
    octets = HEADER + rpc.encode_message(rpc.rejected(0x11, rpc.RpcMismatch(2, 2)))

    assert one_line(octets).endswith("Reply RPC_MISMATCH")


def test_text_shows_where_and_why_decoding_stops():
    damaged = HEADER[:16] + b"\0\0\0\7" + HEADER[20:]

    text = indented(damaged)

    assert "    16  stops here: rdma_body.rdma_reads[0]: a boolean or optional-data" in text


@given(st.binary(max_size=200))
def test_anything_can_be_described(octets):
    assert str(len(octets)) in one_line(octets)
    assert indented(octets)


@given(transport_headers().map(encode_header), st.binary(max_size=80))
def test_anything_behind_a_header_can_be_described(header, rest):
    assert one_line(header + rest)
    assert indented(header + rest)
