"""Which half takes which message, at either end."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.backward.direction import DirectionRules, Half, is_whole
from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.endpoint.properties.values import PROPERTY_OPERATIONS
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import (
    ErrChunk,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    v2,
)
from rpcrdma.wire._generated_rtrext import BadContinuation, ReptErr, TransmissionId
from rpcrdma.wire.operations import ROPT_CONNPROP, ROPT_REPTERR, ROPT_XMTREQ, ROPT_XMTRESP
from rpcrdma.wire.rpc import MessageType

SERVER = DirectionRules(MessageType.REPLY)
CLIENT = DirectionRules(MessageType.CALL)
NO_CHUNKS = RdmaMsg((), (), None)
SEGMENT = RdmaSegment(1, 8, 0)
ROOM = WriteChunk((SEGMENT,))
CALL, REPLY = calls.null(7), rpc.accepted(7)
FORWARD, BACKWARD, NOBODY = Half.FORWARD, Half.BACKWARD, Half.NOBODY


def message(body: object, payload: bytes = b"", version: int = 1) -> bytes:
    return encode_header(TransportHeader(7, version, 1, body)) + payload


@pytest.mark.parametrize(
    ("octets", "at_server", "at_client"),
    [
        (message(NO_CHUNKS, CALL), FORWARD, BACKWARD),
        (message(NO_CHUNKS, REPLY), BACKWARD, FORWARD),
        (message(RdmaMsg((), (ROOM,), None), REPLY), BACKWARD, FORWARD),
        (message(RdmaMsg((ReadSegment(40, SEGMENT),), (), None), CALL), FORWARD, BACKWARD),
        (message(RdmaNomsg((ReadSegment(0, SEGMENT),), (), None)), FORWARD, BACKWARD),
        (message(RdmaNomsg((), (), ROOM)), FORWARD, FORWARD),
        (message(RdmaError(ErrChunk())), BACKWARD, FORWARD),
        (message(RdmaError(ErrChunk()), version=9), BACKWARD, FORWARD),
        (message(RdmaDone()), FORWARD, FORWARD),
        (message(NO_CHUNKS, CALL, version=2), FORWARD, FORWARD),
        (message(NO_CHUNKS)[:27], FORWARD, FORWARD),
        (message(RdmaMsg((), (ROOM,), None))[:40], FORWARD, FORWARD),
        (b"short", NOBODY, NOBODY),
        (message(NO_CHUNKS), NOBODY, NOBODY),
        (message(NO_CHUNKS, CALL[:7]), NOBODY, NOBODY),
        (message(NO_CHUNKS, CALL[:39]), NOBODY, NOBODY),
        (message(NO_CHUNKS, REPLY[:23]), NOBODY, NOBODY),
        (message(NO_CHUNKS, CALL[:4] + bytes((0, 0, 0, 2)) + CALL[8:]), NOBODY, NOBODY),
    ],
)
def test_a_message_is_sorted_by_its_msg_type_alone(
    octets: bytes, at_server: Half, at_client: Half
) -> None:
    """The XID is the same in all of them; what is too small is nobody's."""
    assert (SERVER.sort(octets), CLIENT.sort(octets)) == (at_server, at_client)


def test_whole_means_the_whole_header_of_that_type() -> None:
    """Arguments and results do not matter."""
    assert is_whole(CALL, MessageType.CALL)
    assert not is_whole(CALL, MessageType.REPLY)
    assert not is_whole(CALL[:-1], MessageType.CALL)


BOTH_SERVER = DirectionRules(MessageType.REPLY, PROPERTY_OPERATIONS)
BOTH_CLIENT = DirectionRules(MessageType.CALL, PROPERTY_OPERATIONS)


def in_two(body: v2.Rdma2Body, payload: bytes = b"") -> bytes:
    return v2.encode_header(v2.Rdma2Header(7, 2, 1, body)) + payload


def msg(direction: MessageType, payload: bytes = b"") -> bytes:
    return in_two(v2.Rdma2Msg(direction, (), (), None), payload)


@pytest.mark.parametrize(
    ("octets", "at_server", "at_client"),
    [
        (msg(MessageType.CALL, CALL), FORWARD, BACKWARD),
        (msg(MessageType.REPLY, REPLY), BACKWARD, FORWARD),
        (msg(MessageType.CALL, REPLY), FORWARD, BACKWARD),  # the header tells
        (in_two(v2.Rdma2Nomsg(MessageType.CALL, (), (), ROOM)), FORWARD, BACKWARD),
        (in_two(v2.Rdma2Nomsg(MessageType.REPLY, (), (), ROOM)), BACKWARD, FORWARD),
        (in_two(v2.Rdma2Error(v2.ErrBadHeader())), BACKWARD, FORWARD),
        (in_two(v2.Rdma2Error(v2.ErrVers(1, 2))), BACKWARD, FORWARD),
        (in_two(v2.Rdma2Error(v2.ErrInvalidOption())), Half.OPTIONAL, Half.OPTIONAL),
        (in_two(v2.Rdma2Optional(MessageType.CALL, 9, b"")), Half.OPTIONAL, Half.OPTIONAL),
        (msg(MessageType.CALL)[:24], FORWARD, BACKWARD),  # whoever serves it answers
        (msg(MessageType.REPLY)[:24], BACKWARD, FORWARD),
        (msg(MessageType.CALL)[:18], FORWARD, FORWARD),
    ],
)
def test_the_header_tells_the_direction_in_version_two(
    octets: bytes, at_server: Half, at_client: Half
) -> None:
    """v2 4.2.2."""
    assert (BOTH_SERVER.sort(octets), BOTH_CLIENT.sort(octets)) == (at_server, at_client)


def test_who_does_not_speak_version_two_leaves_it_to_the_forward_half() -> None:
    """rfc8166 4.5.1: which answers it by ERR_VERS."""
    octets = msg(MessageType.REPLY, REPLY)

    assert (SERVER.sort(octets), CLIENT.sort(octets)) == (FORWARD, FORWARD)


@pytest.mark.parametrize("way", MessageType)
def test_operation_that_carries_an_rpc_message_is_for_the_half_of_its_direction(
    way: MessageType,
) -> None:
    """If this end supports it, and it carries one; all others are no half's."""
    client = DirectionRules(MessageType.CALL, PROPERTY_OPERATIONS | {ROPT_XMTREQ, ROPT_REPTERR})

    def sorted_as(code: int) -> Half:
        body = v2.Rdma2Optional(way, code, b"")
        return client.sort(v2.encode_header(v2.Rdma2Header(7, 2, 1, body)))

    assert sorted_as(ROPT_XMTREQ) is (BACKWARD if way is MessageType.CALL else FORWARD)
    assert sorted_as(ROPT_XMTRESP) is Half.OPTIONAL
    assert sorted_as(ROPT_REPTERR) is Half.OPTIONAL
    assert sorted_as(ROPT_CONNPROP) is Half.OPTIONAL
    assert sorted_as(77) is Half.OPTIONAL


@pytest.mark.parametrize("is_server", [False, True])
def test_report_is_for_the_half_whose_message_it_is_about(*, is_server: bool) -> None:
    """rtrext 9.5: requests are of the half that makes Calls, responses of the other."""
    way = MessageType.REPLY if is_server else MessageType.CALL
    rules = DirectionRules(way, PROPERTY_OPERATIONS | {ROPT_XMTREQ, ROPT_REPTERR})

    def sorted_as(about: MessageType) -> Half:
        report = ReptErr(TransmissionId(7, about, 0), None, BadContinuation())
        return rules.sort(option_message(7, 1, MessageType.REPLY, report))

    makes_calls, serves = (BACKWARD, FORWARD) if is_server else (FORWARD, BACKWARD)
    assert sorted_as(MessageType.CALL) is makes_calls
    assert sorted_as(MessageType.REPLY) is serves


def test_report_is_no_halfs_where_it_is_not_supported() -> None:
    """v2 3.1: it is refused, as any unknown operation is."""
    report = ReptErr(TransmissionId(7, MessageType.CALL, 0), None, BadContinuation())
    message = option_message(7, 1, MessageType.REPLY, report)

    assert DirectionRules(MessageType.CALL, PROPERTY_OPERATIONS).sort(message) is Half.OPTIONAL
