"""Any octets become text; a fault is shown with octet, field and reason."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
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
from rpcrdma.wire._generated_rtrext import BadSequence, TransmissionId
from rpcrdma.wire.describe import capture_comment, indented, one_line
from rpcrdma.wire.operations import ConnProp, ReptErr, RespProp, UpdProp, XmtCont, XmtReq
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    BackwardSupport,
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    UnknownProperty,
    property_values,
)

CALL_WAY, REPLY_WAY = rpc.MessageType.CALL, rpc.MessageType.REPLY
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


def test_an_operation_that_begins_an_rpc_shows_what_follows():
    begun = version_two(encode_option(CALL_WAY, XmtReq((), (), 2, 3, 40))) + calls.null(0x11)
    continued = version_two(encode_option(CALL_WAY, XmtCont(1, 5, 40))) + calls.null(0x11)

    assert one_line(begun).endswith(
        "ROPT_XMTREQ, 2 transmissions, 3 for the response, 40 octets of payload here,"
        " Call of program 536904038, version 1, procedure 0"
    )
    assert one_line(continued).endswith(
        "ROPT_XMTCONT, transmission number 1, 40 octets of payload here"
    )
    assert indented(continued).splitlines()[-4].endswith("40 octets follow")


def version_two(body):
    return v2.encode_header(v2.Rdma2Header(0x11, 2, 32, body))


SEGMENT = RdmaSegment(1, 2, 3)
PROPERTIES = property_values(
    ReceiveBufferSize(8192), DefaultValue(3), UnknownProperty(0xFFFFFF00, b"abc")
)


@pytest.mark.parametrize(
    ("body", "gist"),
    [
        (v2.Rdma2Msg(CALL_WAY, (), (), None), "RDMA2_MSG, CALL, no payload"),
        (
            v2.Rdma2Nomsg(REPLY_WAY, (ReadSegment(0, SEGMENT),), (), WriteChunk((SEGMENT,))),
            "RDMA2_NOMSG, REPLY, 1 read segment, reply chunk of 1 segment",
        ),
        (
            v2.Rdma2Error(v2.ErrVers(1, 2)),
            "RDMA2_ERROR, rdma_err RDMA2_ERR_VERS, rdma_vers_low 1, rdma_vers_high 2",
        ),
        (
            v2.Rdma2Error(v2.ErrInvalidOption()),
            "RDMA2_ERROR, rdma_err RDMA2_ERR_INVAL_OPTION",
        ),
        (
            v2.Rdma2Optional(CALL_WAY, 99, b"abc"),
            "RDMA2_OPTIONAL, CALL, operation 99",
        ),
        (
            encode_option(
                REPLY_WAY, ReptErr(TransmissionId(7, CALL_WAY, 1), None, BadSequence(1, 2))
            ),
            "RDMA2_OPTIONAL, REPLY, ROPT_REPTERR, OPTRERR_BADSEQ",
        ),
        (
            encode_option(REPLY_WAY, UpdProp((PropertyValue(4, bytes((0, 0, 0, 7))),))),
            "RDMA2_OPTIONAL, REPLY, ROPT_UPDPROP, XPROP_RTRSUPP 7",
        ),
        (
            encode_option(CALL_WAY, ConnProp(PROPERTIES, (1, 0x80000000))),
            (
                "RDMA2_OPTIONAL, CALL, ROPT_CONNPROP, PROP_RBSIZ 8192, default of PROP_BRS, "
                "property 4294967040 3 octets 616263, opticonnpr_nochg [0x00000001 0x80000000]"
            ),
        ),
        (
            encode_option(
                REPLY_WAY,
                RespProp(
                    (1,),
                    (),
                    property_values(BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL)),
                ),
            ),
            (
                "RDMA2_OPTIONAL, REPLY, ROPT_RESPROP, optrespr_done [0x00000001], optrespr_rej [], "
                "PROP_BRS BKREQSUP_GENL"
            ),
        ),
    ],
)
def test_line_tells_what_a_version_two_message_is(body, gist):
    octets = version_two(body)

    assert (
        one_line(octets) == f"{len(octets)} octets, xid 0x00000011, version 2, credits 32, {gist}"
    )


def test_text_shows_every_field_of_an_option():
    octets = version_two(encode_option(CALL_WAY, ConnProp(PROPERTIES, (1,))))

    assert indented(octets).splitlines()[5:] == [
        "    12    rdma_body: Rdma2Optional",
        "    12      rdma_proc: RDMA2_OPTIONAL (5)",
        "    16      rdma_optdir: CALL (0)",
        "    20      rdma_opttype: ROPT_CONNPROP (1)",
        "    24      rdma_optinfo: ROPT_CONNPROP",
        "    28        opticonnpr_start",
        "    28          opticonnpr_start (count): 3",
        "    32          opticonnpr_start[0]: PropertyValue",
        "    32            pv_which: PROP_RBSIZ (1)",
        "    36            pv_data: PROP_RBSIZ",
        "    40              octets: 8192",
        "    44          opticonnpr_start[1]: PropertyValue",
        "    44            pv_which: PROP_BRS (3)",
        "    48            pv_data: default of PROP_BRS",
        "    52          opticonnpr_start[2]: PropertyValue",
        "    52            pv_which: 4294967040",
        "    56            pv_data: 3 octets 616263",
        "    64        opticonnpr_nochg",
        "    64          opticonnpr_nochg (count): 1",
        "    68          opticonnpr_nochg[0]: 0x00000001",
    ]


def test_text_shows_the_call_behind_a_version_two_header():
    octets = version_two(v2.Rdma2Msg(CALL_WAY, (), (), None)) + CALL[len(HEADER) :]

    assert one_line(octets).endswith(
        "RDMA2_MSG, CALL, Call of program 100003, version 4, procedure 1"
    )
    assert "    16      rdma_direction: CALL (0)" in indented(octets).splitlines()
    assert "    44      prog: 100003" in indented(octets).splitlines()


def test_text_shows_where_and_why_an_overlay_is_not_what_it_should_be():
    octets = version_two(encode_option(CALL_WAY, UpdProp((PropertyValue(2, b"\0\0\0\2"),))))

    lines = indented(octets).splitlines()

    assert lines[-4].endswith("pv_data: PROP_REQREMINV")
    assert lines[-3].startswith(
        "    40  stops here: rdma_body.rdma_optinfo.optupdpr_now[0].pv_data.allowed: a boolean"
    )
    assert lines[-2] == "    40  4 octets follow"


@given(rdma2_headers().map(v2.encode_header), st.binary(max_size=80), st.integers(0, 200))
def test_anything_of_version_two_can_be_described(header, rest, length):
    octets = (header[:4] + b"\0\0\0\2" + header[8:] + rest)[:length]

    assert one_line(octets)
    assert indented(octets)


def test_capture_says_more_where_wireshark_says_nothing():
    octets = version_two(v2.Rdma2Error(v2.ErrBadHeader()))

    assert capture_comment(octets) == f"{one_line(octets)}\n{indented(octets)}"
    assert capture_comment(CALL) == one_line(CALL)
    assert capture_comment(b"abc") == one_line(b"abc")
