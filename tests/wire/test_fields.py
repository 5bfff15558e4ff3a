"""The fields of a message cover its octets once, and say in words what is in them."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
from conformance.strategies._generated_rtrext import xmt_reqs, xmt_resps
from conformance.strategies._generated_v2 import rdma2_headers
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    rpc,
    v2,
)
from rpcrdma.wire.fields import PlacedField, fields_of
from rpcrdma.wire.operations import ConnProp, UpdProp, XmtReq, XmtResp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import (
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.words import octets_in_words

CALL_WAY = rpc.MessageType.CALL
SEGMENT = RdmaSegment(0x10, 8, 0x1000)
LISTS = RdmaMsg((ReadSegment(40, SEGMENT),), (WriteChunk((SEGMENT, SEGMENT)),), None)
HEADER = encode_header(TransportHeader(0x11, 1, 32, LISTS))
EMPTY = encode_header(TransportHeader(0x11, 1, 32, RdmaMsg((), (), None)))
PROPERTIES = property_values(
    ReceiveBufferSize(8192), DefaultValue(3), UnknownProperty(0xFFFFFF00, b"abc")
)


def version_two(body: v2.Rdma2Body) -> bytes:
    return v2.encode_header(v2.Rdma2Header(0x11, 2, 32, body))


def assert_tiled(octets: bytes) -> tuple[PlacedField, ...]:
    """No octet is in two fields or in none; headings stand where their parts begin."""
    found = fields_of(octets)
    assert all(first.end == second.offset for first, second in pairwise(found))
    assert found[0].offset == 0
    assert found[-1].end == len(octets)
    return found


def assert_words(octets: bytes, found: tuple[PlacedField, ...]) -> None:
    """What a field says is in its octets: a number, or the first of an opaque field's."""
    for field in found:
        held = octets[field.offset : field.end]
        if "not decoded" in field.value or not field.length or "default of" in field.value:
            continue
        if opaque := re.fullmatch(r"(\d+) octets ?([0-9a-f]*)( \.\.\.)?", field.value):
            shown = bytes.fromhex(opaque[2])
            assert shown in (held[: len(shown)], held[4 : 4 + len(shown)])
            continue
        number = re.search(r"\((-?\d+)\)$", field.value) or re.fullmatch(r"(.*)", field.value)
        assert number is not None
        value = int(number[1], 0)
        assert value.to_bytes(field.length, signed=value < 0) == held, field


@given(transport_headers().map(encode_header), st.binary(max_size=80))
def test_fields_cover_a_message_of_version_one_and_say_what_it_holds(
    header: bytes, rest: bytes
) -> None:
    assert_words(header + rest, assert_tiled(header + rest))


@given(rdma2_headers().map(v2.encode_header), st.binary(max_size=80), st.integers(0, 200))
def test_fields_cover_any_octets_of_version_two(header: bytes, rest: bytes, length: int) -> None:
    octets = (header[:4] + b"\0\0\0\2" + header[8:] + rest)[:length]

    assert_words(octets, assert_tiled(octets))


@given(st.one_of(xmt_reqs(), xmt_resps()), st.integers(0, 400), st.integers(0, 255))
def test_fields_cover_an_operation_that_is_damaged_anywhere(
    option: XmtReq | XmtResp, place: int, octet: int
) -> None:
    octets = bytearray(version_two(encode_option(CALL_WAY, option)))
    octets[place % len(octets)] = octet

    assert_tiled(bytes(octets))


@given(st.binary(max_size=200))
def test_fields_cover_anything(octets: bytes) -> None:
    assert_tiled(octets)


def lines_of(octets: bytes) -> list[str]:
    return [
        f"{field.offset} {field.length} {'  ' * field.depth}{field.name}: {field.value}"
        for field in assert_tiled(octets)
    ]


def test_fields_of_a_call_have_the_names_and_words_of_the_documents() -> None:
    assert lines_of(HEADER + calls.null(0x11) + b"rest") == [
        "0 0 transport header: ",
        "0 4   rdma_xid: 0x00000011",
        "4 4   rdma_vers: 1",
        "8 4   rdma_credit: 32",
        "12 0   rdma_body: ",
        "12 4     proc: RDMA_MSG (0)",
        "16 0     rdma_reads: 1 entry",
        "16 0       rdma_reads[0]: ",
        "16 4         rdma_reads[0] (discriminator): an entry follows (1)",
        "20 4         position: 40",
        "24 0         target: ",
        "24 4           handle: 0x00000010",
        "28 4           length: 8",
        "32 8           offset: 0x0000000000001000",
        "40 4       rdma_reads[1] (discriminator): the list ends (0)",
        "44 0     rdma_writes: 1 entry",
        "44 0       rdma_writes[0]: ",
        "44 4         rdma_writes[0] (discriminator): an entry follows (1)",
        "48 0         target: 2 entries",
        "48 4           target (count): 2",
        "52 0           target[0]: ",
        "52 4             handle: 0x00000010",
        "56 4             length: 8",
        "60 8             offset: 0x0000000000001000",
        "68 0           target[1]: ",
        "68 4             handle: 0x00000010",
        "72 4             length: 8",
        "76 8             offset: 0x0000000000001000",
        "84 4       rdma_writes[1] (discriminator): the list ends (0)",
        "88 0     rdma_reply: absent",
        "88 4       rdma_reply (discriminator): absent (0)",
        "92 0 RPC message: ",
        "92 4   xid: 0x00000011",
        "96 0   body: ",
        "96 4     mtype: CALL (0)",
        "100 4     rpcvers: 2",
        "104 4     prog: 536904038",
        "108 4     vers: 1",
        "112 4     proc: 0",
        "116 0     cred: ",
        "116 4       flavor: AUTH_NONE (0)",
        "120 4       body: 0 octets",
        "124 0     verf: ",
        "124 4       flavor: AUTH_NONE (0)",
        "128 4       body: 0 octets",
        "132 4 arguments: 4 octets 72657374",
    ]


def test_fields_open_what_another_field_names_the_type_of() -> None:
    body = encode_option(CALL_WAY, ConnProp(PROPERTIES, (1,)))

    assert lines_of(version_two(body))[5:] == [
        "12 4     rdma_proc: RDMA2_OPTIONAL (5)",
        "16 4     rdma_optdir: CALL (0)",
        "20 4     rdma_opttype: ROPT_CONNPROP (1)",
        "24 0     rdma_optinfo: ROPT_CONNPROP",
        "24 4       rdma_optinfo (count): 44",
        "28 0       opticonnpr_start: 3 entries",
        "28 4         opticonnpr_start (count): 3",
        "32 0         opticonnpr_start[0]: ",
        "32 4           pv_which: PROP_RBSIZ (1)",
        "36 0           pv_data: PROP_RBSIZ",
        "36 4             pv_data (count): 4",
        "40 4             octets: 8192",
        "44 0         opticonnpr_start[1]: ",
        "44 4           pv_which: PROP_BRS (3)",
        "48 4           pv_data: default of PROP_BRS",
        "52 0         opticonnpr_start[2]: ",
        "52 4           pv_which: 4294967040",
        "56 8           pv_data: 3 octets 616263",
        "64 0       opticonnpr_nochg: 1 entry",
        "64 4         opticonnpr_nochg (count): 1",
        "68 4         opticonnpr_nochg[0]: 0x00000001",
    ]


def test_octets_that_are_no_discriminator_are_a_field_that_says_so() -> None:
    *_, fault, rest = assert_tiled(EMPTY[:16] + b"\0\0\0\7" + EMPTY[20:])

    assert (fault.path, fault.offset, fault.length) == ("rdma_body.rdma_reads[0]", 16, 4)
    assert fault.value == (
        "4 octets 00000007, not decoded: a boolean or optional-data discriminator is neither 0"
        " nor 1 (7)"
    )
    assert (rest.name, rest.value) == ("after what cannot be decoded", octets_in_words(bytes(8)))


def test_a_message_that_ends_too_soon_shows_the_field_that_it_ends_in() -> None:
    last = assert_tiled(HEADER[:30])[-1]

    assert (last.name, last.offset, last.length) == ("length", 28, 2)
    assert last.value.endswith("the buffer ends inside the item (4 octets needed, 2 left)")


def test_octets_before_the_fault_of_an_item_are_a_field_of_their_own() -> None:
    """What is padded is good, and stands before the padding that is not."""
    octets = EMPTY + rpc.encode_message(rpc.call(1, 2, 3, 4))[:24] + bytes.fromhex("00000006")
    octets += bytes.fromhex("00000003 616263ff")

    *_, before, padding = assert_tiled(octets)

    assert (before.value, padding.offset, padding.length) == ("7 octets 00000003616263", 63, 1)
    assert padding.value == "1 octets ff, not decoded: roundup padding is not zero (0xff)"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\0\0\0\2", "a boolean or optional-data discriminator is neither 0 nor 1 (2)"),
        (b"\0\0\0\1rest", "octets are left after the item (4 octets)"),
    ],
)
def test_an_opened_field_that_is_not_what_it_should_be_says_why(data: bytes, told: str) -> None:
    octets = version_two(encode_option(CALL_WAY, UpdProp((PropertyValue(2, data),))))

    last = assert_tiled(octets)[-1]

    assert last.path.startswith("rdma_body.rdma_optinfo.optupdpr_now[0].pv_data")
    assert last.value.endswith(told)


def test_what_follows_the_headers_is_arguments_results_or_payload() -> None:
    reply = rpc.encode_message(rpc.accepted(0x11, rpc.Success()))
    done = encode_header(TransportHeader(0x11, 1, 32, LISTS))[:12] + bytes.fromhex("00000003")

    assert assert_tiled(EMPTY + reply + b"four")[-1].name == "results"
    assert assert_tiled(EMPTY + calls.null(1) + b"four")[-1].name == "arguments"
    assert assert_tiled(done + b"four")[-1].name == "payload"
