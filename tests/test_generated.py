"""The generated files are what the specifications generate, and agree with the interpreter."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN002, ANN201, ANN202

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.strategies import _generated_rfc8166 as headers
from conformance.strategies import _generated_rpc as messages
from conformance.strategies import _generated_v2 as headers2
from conformance.strategies import _generated_xcharext as options
from rpcrdma.errors import DecodeError, EncodeError
from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.wire import _generated_rpc as rpc
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.xdr.compiler import generated_files, load
from rpcrdma.xdr.interpret import Interpreter
from rpcrdma.xdr.names import snake_case
from rpcrdma.xdr.tree_builder import build_tree

ROOT = Path(__file__).parents[1]


FILES = generated_files(ROOT)


def _interpreter(module: object, name: str) -> Interpreter:
    schema = load(ROOT / "rpcrdma" / "spec" / name)
    return Interpreter(schema, vars(module))


V1 = _interpreter(v1, "rfc8166.x")
RPC = _interpreter(rpc, "rpc.x")
V2 = _interpreter(v2, "v2.x")
XCHAREXT = _interpreter(xcharext, "xcharext.x")
OPTIONS = ("ConnProp", "ReqProp", "RespProp", "UpdProp")


def _outcome(decode, *arguments):
    """What a decoder does, with everything that it says about a fault."""
    try:
        return decode(*arguments)
    except DecodeError as error:
        return error.offset, error.path, error.reason, error.detail


def _damaged(strategy):
    """Octets of a valid message with one octet changed, some cut off, or some added."""

    @st.composite
    def draw_damaged(draw):
        octets = bytearray(draw(strategy))
        if octets and draw(st.booleans()):
            octets[draw(st.integers(0, len(octets) - 1))] = draw(st.integers(0, 255))
        return bytes(octets[: draw(st.integers(0, len(octets)))] + draw(st.binary(max_size=4)))

    return draw_damaged()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_regeneration_changes_nothing(path):
    assert path.read_text("utf-8") == FILES[path]


@pytest.mark.parametrize(
    "path", [one for one in FILES if one.parent.name == "wire"], ids=lambda path: path.name
)
def test_codecs_have_no_name_of_their_own_that_nothing_uses(path):
    text = FILES[path]
    own = re.findall(r"^(?:def )?(_(?!_)\w+)", text, re.MULTILINE)
    uses = Counter(re.findall(r"\w+", text))

    assert own
    assert [name for name in own if uses[name] < 2] == []


@given(headers.transport_headers())
def test_header_survives_encoding_and_decoding(header):
    octets = v1.encode_transport_header(header)

    assert octets == V1.encode("TransportHeader", header)
    assert v1.decode_transport_header(octets) == (header, len(octets))
    assert V1.decode("TransportHeader", octets) == (header, len(octets))


@given(headers2.rdma2_headers())
def test_version_two_header_survives_encoding_and_decoding(header):
    octets = v2.encode_rdma2_header(header)

    assert octets == V2.encode("Rdma2Header", header)
    assert v2.decode_rdma2_header(octets) == (header, len(octets))
    assert V2.decode("Rdma2Header", octets) == (header, len(octets))


@pytest.mark.parametrize("name", OPTIONS)
@given(st.data())
def test_option_survives_encoding_and_decoding(name, data):
    snake = snake_case(name)
    option = data.draw(getattr(options, f"{snake}s")())
    octets = getattr(xcharext, f"encode_{snake}")(option)

    assert octets == XCHAREXT.encode(name, option)
    assert getattr(xcharext, f"decode_{snake}")(octets) == (option, len(octets))


@given(messages.rpc_messages())
def test_rpc_message_survives_encoding_and_decoding(message):
    octets = rpc.encode_rpc_message(message)

    assert octets == RPC.encode("RpcMessage", message)
    assert rpc.decode_rpc_message(octets) == (message, len(octets))
    assert RPC.decode("RpcMessage", octets) == (message, len(octets))


@given(messages.auth_syses())
def test_auth_sys_survives_encoding_and_decoding(parameters):
    octets = rpc.encode_auth_sys(parameters)

    assert octets == RPC.encode("AuthSys", parameters)
    assert rpc.decode_auth_sys(octets) == (parameters, len(octets))


@settings(max_examples=300)
@given(_damaged(headers.transport_headers().map(v1.encode_transport_header)))
def test_damaged_header_gets_the_interpreters_answer(octets):
    expected = _outcome(V1.decode, "TransportHeader", octets)

    assert _outcome(v1.decode_transport_header, octets) == expected


@settings(max_examples=300)
@given(_damaged(headers2.rdma2_headers().map(v2.encode_rdma2_header)))
def test_damaged_version_two_header_gets_the_interpreters_answer(octets):
    expected = _outcome(V2.decode, "Rdma2Header", octets)

    assert _outcome(v2.decode_rdma2_header, octets) == expected


@settings(max_examples=300)
@given(_damaged(options.resp_props().map(xcharext.encode_resp_prop)))
def test_damaged_option_gets_the_interpreters_answer(octets):
    expected = _outcome(XCHAREXT.decode, "RespProp", octets)

    assert _outcome(xcharext.decode_resp_prop, octets) == expected


@settings(max_examples=300)
@given(_damaged(messages.rpc_messages().map(rpc.encode_rpc_message)))
def test_damaged_rpc_message_gets_the_interpreters_answer(octets):
    expected = _outcome(RPC.decode, "RpcMessage", octets)

    assert _outcome(rpc.decode_rpc_message, octets) == expected


@given(_damaged(headers.transport_headers().map(v1.encode_transport_header)))
def test_tree_stops_where_the_decoder_stops(octets):
    error = build_tree(v1.SCHEMA, "TransportHeader", octets).error

    shown = (error.offset, error.path, error.reason, error.detail) if error else None
    decoded = _outcome(v1.decode_transport_header, octets)
    assert shown == (decoded if len(decoded) == 4 else None)


@given(headers.invalid_transport_headers())
def test_spoilt_header_is_refused_for_the_reason_that_it_was_spoilt_for(spoilt):
    with pytest.raises(DecodeError) as caught:
        v1.decode_transport_header(spoilt.octets)

    assert (caught.value.path, caught.value.reason) == (spoilt.path, spoilt.reason)


@given(headers2.invalid_rdma2_headers())
def test_spoilt_version_two_header_is_refused_for_the_reason_that_it_was_spoilt_for(spoilt):
    with pytest.raises(DecodeError) as caught:
        v2.decode_rdma2_header(spoilt.octets)

    assert (caught.value.path, caught.value.reason) == (spoilt.path, spoilt.reason)


@given(messages.invalid_rpc_messages())
def test_spoilt_rpc_message_is_refused_for_the_reason_that_it_was_spoilt_for(spoilt):
    with pytest.raises(DecodeError) as caught:
        rpc.decode_rpc_message(spoilt.octets)

    assert (caught.value.path, caught.value.reason) == (spoilt.path, spoilt.reason)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@given(headers.transport_headers(), st.integers(0, 9))
def test_header_is_found_in_any_buffer_at_any_offset(kind, header, offset):
    octets = v1.encode_transport_header(header)

    found = v1.decode_transport_header(kind(b"x" * offset + octets + b"rest"), offset)

    assert found == (header, offset + len(octets))


@pytest.mark.parametrize(
    ("header", "path"),
    [
        (v1.TransportHeader(2**32, 1, 1, v1.RdmaDone()), "rdma_xid"),
        (v1.TransportHeader(1, 1, -1, v1.RdmaMsg((), (), None)), "rdma_credit"),
        (v1.TransportHeader(1, 1, 1, None), "rdma_body"),
        (v1.TransportHeader(1, 1, 1, v1.RdmaMsg(None, (), None)), "rdma_body.rdma_reads"),
        (
            v1.TransportHeader(
                1, 1, 1, v1.RdmaMsg((), (v1.WriteChunk((v1.RdmaSegment(1, 2, 2**64),)),), None)
            ),
            "rdma_body.rdma_writes[0].target[0].offset",
        ),
    ],
)
def test_encoder_names_the_field_that_xdr_cannot_express(header, path):
    for encode in (v1.encode_transport_header, lambda item: V1.encode("TransportHeader", item)):
        with pytest.raises(EncodeError) as caught:
            encode(header)

        assert caught.value.path == path
