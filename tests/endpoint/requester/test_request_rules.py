"""What goes into a call, rule by rule."""

from __future__ import annotations

from rpcrdma.endpoint.requester.outgoing import OutgoingCall
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
)

RULES = RequestRules()
SEGMENT = RdmaSegment(7, 64, 4096)


def test_the_version_is_one_and_what_is_wanted_is_requested() -> None:
    assert RULES.version() == 1
    assert RULES.requested(17) == 17


def test_the_xid_is_that_of_the_payload() -> None:
    call = OutgoingCall(1, 0xABCD, TestProgram(), b"")

    assert RULES.xid(call) == 0xABCD
    assert RULES.plain_message(b"\0\0\xab\xcdrest", b"|") == b"\0\0\xab\xcd|\0\0\xab\xcdrest"


def test_all_segments_of_a_read_chunk_have_its_position() -> None:
    assert RULES.position(44) == 44
    assert RULES.read_segments(44, (SEGMENT, SEGMENT)) == (ReadSegment(44, SEGMENT),) * 2


def test_what_is_offered_goes_into_the_lists() -> None:
    chunk = WriteChunk((SEGMENT,))

    assert RULES.write_list((chunk,)) == (chunk,)
    assert RULES.reply_chunk(chunk) is chunk
    assert RULES.reply_chunk(None) is None


def test_only_a_long_call_is_an_rdma_nomsg() -> None:
    assert isinstance(RULES.body((), (), None, is_long=True), RdmaNomsg)
    assert isinstance(RULES.body((), (), None, is_long=False), RdmaMsg)


def test_the_payload_follows_the_header() -> None:
    header = TransportHeader(1, 1, 8, RdmaMsg((), (), None))

    message = RULES.encode(header, b"payload!")

    assert decode_header(message) == (header, len(message) - 8)
    assert message.endswith(b"payload!")
