"""RDMA2_OPTIONAL messages as typed objects, and the place of every fault in them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_xcharext import conn_props, req_props, resp_props, upd_props
from conformance.strategies.options import known_options
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire._generated_v2 import SCHEMA
from rpcrdma.wire.operations import ConnProp, KnownOption, ReqProp, RespProp, UpdProp, XmtCont
from rpcrdma.wire.optional import (
    Option,
    UnknownOption,
    decode_option,
    encode_option,
    opttype_of,
    values_of,
)
from rpcrdma.wire.overlays import overlaid
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    BASIC,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.subsets import subset
from rpcrdma.wire.v2 import MessageType, Rdma2Header, Rdma2Optional, decode_header, encode_header
from rpcrdma.xdr.spoil import spoil_items
from rpcrdma.xdr.tree_builder import build_tree

SIZE = ReceiveBufferSize(8192)
SIZE_WORDS = (1, 4, 8192)


def words(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def refusal(body: Rdma2Optional, known: PropertyNumbers = BASIC) -> DecodeError | None:
    """Why the body is not an option; None if it is one."""
    try:
        decode_option(body, known=known)
    except DecodeError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("option", "opttype", "octets"),
    [
        (
            ConnProp(property_values(SIZE), subset({0})),
            1,
            words(1, *SIZE_WORDS, 1, 1),
        ),
        (ReqProp(property_values(SIZE)), 2, words(1, *SIZE_WORDS)),
        (
            RespProp(subset({1}), (), property_values(SIZE)),
            3,
            words(1, 2, 0, 1, *SIZE_WORDS),
        ),
        (UpdProp(()), 4, words(0)),
        (XmtCont(1, 5, 100), 7, words(1, 5, 100)),
        (UnknownOption(77, b"abc"), 77, b"abc"),
    ],
)
def test_option_has_the_octets_of_the_document(option: Option, opttype: int, octets: bytes) -> None:
    body = encode_option(MessageType.REPLY, option)

    assert body == Rdma2Optional(MessageType.REPLY, opttype, octets)
    assert decode_option(body) == option
    assert opttype_of(option) == opttype


@given(conn_props() | req_props() | resp_props() | upd_props())
def test_option_is_refused_only_for_a_known_property(option: KnownOption) -> None:
    refused = refusal(encode_option(MessageType.CALL, option))

    if refused is not None:
        assert ".pv_data" in refused.path
        assert any(value.pv_which in {1, 2, 3} and value.pv_data for value in values_of(option))


def test_unknown_property_is_no_fault_whatever_it_holds() -> None:
    option = UpdProp((PropertyValue(9, b"abcde"), PropertyValue(2**32 - 1, b"")))

    assert decode_option(encode_option(MessageType.CALL, option)) == option


@pytest.mark.parametrize(
    ("opttype", "octets", "offset", "path", "reason"),
    [
        (1, b"", 28, "opticonnpr_start", Reason.TRUNCATED),
        (1, words(0, 0, 0), 36, "", Reason.TRAILING),
        (1, words(0, 2, 0), 32, "opticonnpr_nochg", Reason.TRUNCATED),
        (1, words(1, 1, 400, 0), 36, "opticonnpr_start[0].pv_data", Reason.TRUNCATED),
        (1, words(1, 2, 4, 2, 0), 40, "opticonnpr_start[0].pv_data.allowed", Reason.BAD_BOOLEAN),
        (2, words(2, 9, 0, 1, 8, 1, 1), 52, "optreqpr_want[1].pv_data", Reason.TRAILING),
        (2, words(2**31), 28, "optreqpr_want", Reason.TRUNCATED),
        (3, words(1, 1, 0, 1, 3, 4, 9), 52, "optrespr_other[0].pv_data.level", Reason.BAD_ENUM),
        (3, words(0, 0, 0) + b"a", 40, "", Reason.TRAILING),
        (4, words(1, 1, 3, 0), 40, "optupdpr_now[0].pv_data.octets", Reason.TRUNCATED),
        (4, words(1, 9, 3) + b"abcd", 43, "optupdpr_now[0].pv_data", Reason.BAD_PADDING),
    ],
)
def test_fault_is_told_with_its_place_in_the_message(
    opttype: int, octets: bytes, offset: int, path: str, reason: Reason
) -> None:
    body = Rdma2Optional(MessageType.CALL, opttype, octets)
    message = b"before" + encode_header(Rdma2Header(7, 2, 32, body))
    decoded = decode_header(message, 6)[0].rdma_body
    assert isinstance(decoded, Rdma2Optional)

    with pytest.raises(DecodeError) as caught:
        decode_option(decoded, 6)

    error, full = caught.value, f"rdma_body.rdma_optinfo.{path}".removesuffix(".")
    assert (error.offset, error.path, error.reason) == (6 + offset, full, reason)


@given(known_options(), st.sampled_from(MessageType))
def test_option_survives_encoding_and_decoding(option: KnownOption, way: MessageType) -> None:
    header = Rdma2Header(7, 2, 32, encode_option(way, option))

    decoded = decode_header(encode_header(header))[0].rdma_body

    assert isinstance(decoded, Rdma2Optional)
    assert (decode_option(decoded), decoded.rdma_optdir) == (option, way)


@pytest.mark.long
@pytest.mark.parametrize("known", [BASIC, ADOPTED, AS_PUBLISHED])
@given(data=st.data())
def test_item_spoilt_in_one_way_is_refused_for_that(
    known: PropertyNumbers, data: st.DataObject
) -> None:
    option = data.draw(known_options(known))
    body = encode_option(MessageType.CALL, option)
    message = encode_header(Rdma2Header(7, 2, 32, body))
    tree = overlaid(build_tree(SCHEMA, "Rdma2Header", message), known)
    ways = [way for way in spoil_items(tree) if way.path.startswith("rdma_body.rdma_optinfo.")]
    spoilt = data.draw(st.sampled_from(ways))

    decoded = decode_header(spoilt.octets)[0].rdma_body
    assert isinstance(decoded, Rdma2Optional)
    refused = refusal(decoded, known)

    assert refused is not None
    assert (refused.path, refused.reason) == (spoilt.path, spoilt.reason)


@given(st.sampled_from([1, 2, 3, 4]), st.binary(max_size=60))
def test_any_octets_are_an_option_or_refused_inside_the_message(
    opttype: int, octets: bytes
) -> None:
    body = Rdma2Optional(MessageType.CALL, opttype, octets)

    refused = refusal(body)

    if refused is None:
        assert encode_option(MessageType.CALL, decode_option(body)) == body
    else:
        assert 28 <= refused.offset <= 28 + len(octets)
        assert refused.path.startswith("rdma_body.rdma_optinfo")


def test_the_first_fault_is_the_one_that_is_told() -> None:
    values = (*property_values(RequesterRemoteInvalidation(allowed=True)), PropertyValue(3, b"a"))
    body = encode_option(MessageType.CALL, UpdProp((*values, PropertyValue(1, b"a"))))

    with pytest.raises(DecodeError, match=r"optupdpr_now\[1\]\.pv_data\.level"):
        decode_option(body)
