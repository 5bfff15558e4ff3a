"""Backward messages, good ones and each with one fault."""

from __future__ import annotations

import pytest

from conformance.backward import build as build_backward
from conformance.oracle.outcome import Called, as_called, read_outcome
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, decode_header, v2
from rpcrdma.wire.rpc import MessageType

SEGMENT = RdmaSegment(1, 64, 0)
NO_CHUNKS = RdmaMsg((), (), None)


def test_a_reply_goes_under_the_xid_of_its_call() -> None:
    called = as_called(read_outcome(build_backward.call(7, calls.null(7), credits=3).octets))
    assert isinstance(called, Called)

    header, end = decode_header(build_backward.reply(called, rpc.accepted(7), credits=2).octets)

    assert (header, end) == (TransportHeader(7, 1, 2, NO_CHUNKS), 28)
    assert called.header.rdma_credit == 3
    assert "credits 3" in str(called)
    assert called.rpc is not None


def test_a_foreign_message_has_another_xid_in_both_headers() -> None:
    message = build_backward.foreign(build_backward.call(7, calls.null(7)))

    assert message.xid != 7
    assert message.payload == calls.null(message.xid)


def test_a_cut_message_keeps_its_transport_header() -> None:
    octets = build_backward.cut(build_backward.call(7, calls.null(7)), 5, credits=50)

    header, end = decode_header(octets)
    assert (header.rdma_credit, octets[end:]) == (50, calls.null(7)[:5])


@pytest.mark.parametrize("payload", [calls.null(7), rpc.accepted(7)], ids=["call", "reply"])
@pytest.mark.parametrize("fault", build_backward.CHUNK_FAULTS)
def test_a_message_with_chunks_has_one_list_or_is_long(payload: bytes, fault: str) -> None:
    good = build_backward.call(7, payload)
    message = build_backward.with_chunks(good, SEGMENT, fault)

    header, end = decode_header(message.octets)
    assert (header.rdma_vers, header.rdma_credit) == (1, build_backward.CREDITS)
    assert header.rdma_body != NO_CHUNKS
    assert message.octets[end:] == (b"" if fault == "nomsg" else payload)


def test_a_long_message_is_told_by_its_lists() -> None:
    """A Call has a Position-Zero Read chunk, a Reply has none."""
    for payload, is_call in ((calls.null(7), True), (rpc.accepted(7), False)):
        message = build_backward.with_chunks(build_backward.call(7, payload), SEGMENT, "nomsg")
        assert isinstance(as_called(read_outcome(message.octets)), Called) is is_call


@pytest.mark.parametrize("fault", build_backward.WORD_FAULTS)
def test_other_words_leave_the_lists_empty(fault: str) -> None:
    good = build_backward.call(7, calls.null(7))
    header, end = decode_header(build_backward.with_other_words(good, fault).octets)

    assert header.rdma_body == NO_CHUNKS
    rest = build_backward.with_other_words(good, fault).octets[end:]
    assert (header.rdma_vers != 1) is (fault == "version-three")
    assert rest[:4] == good.payload[:4]
    assert (rest[4:8] != good.payload[4:8]) is (fault == "msg-type")


def test_another_xid_is_in_the_rpc_header_alone() -> None:
    good = build_backward.call(7, calls.null(7))
    odd = build_backward.with_another_xid(good)

    assert odd.octets[:4] == good.octets[:4]
    assert odd.payload[:4] != good.payload[:4]
    assert odd.payload[4:] == good.payload[4:]


@pytest.mark.parametrize(
    ("payload", "direction"),
    [(calls.null(7), MessageType.CALL), (rpc.accepted(7), MessageType.REPLY)],
)
def test_a_message_of_version_two_says_its_direction(
    payload: bytes, direction: MessageType
) -> None:
    message = build_backward.BackwardMessage(7, payload, version=2)

    header, end = v2.decode_header(message.octets)

    assert v2.direction_of(header.rdma_body) is direction
    assert message.octets[end:] == payload
    assert build_backward.call(7, payload, version=2) == message
