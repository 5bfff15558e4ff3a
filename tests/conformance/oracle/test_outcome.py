"""Every way in which a device can answer, told apart."""

from __future__ import annotations

import pytest

from conformance.oracle.outcome import (
    Answered,
    Called,
    ErrChunk,
    ErrVers,
    InvalidOption,
    OptionReceived,
    Outcome,
    Undecodable,
    Unexpected,
    as_called,
    read_outcome,
)
from rpcrdma import wire
from rpcrdma.ulp import rpc
from rpcrdma.wire import v2
from rpcrdma.wire.operations import UpdProp
from rpcrdma.wire.optional import UnknownOption, encode_option
from rpcrdma.wire.properties import ADOPTED, PropertyValue
from rpcrdma.wire.rpc import MessageType


def message(body: wire.Body, payload: bytes = b"") -> bytes:
    return wire.encode_header(wire.TransportHeader(5, 1, 3, body)) + payload


REPLY = rpc.encode_reply(rpc.RpcReply(5, rpc.RpcOutcome.SUCCESS))
CHUNK = wire.WriteChunk((wire.RdmaSegment(1, 2, 3),))


@pytest.mark.parametrize(
    ("octets", "kind", "told"),
    [
        (message(wire.RdmaMsg((), (), None), REPLY), Answered, "RDMA_MSG xid 0x00000005 credits 3"),
        (message(wire.RdmaNomsg((), (), CHUNK)), Answered, "RDMA_NOMSG xid 0x00000005"),
        (message(wire.RdmaError(wire.ErrVers(1, 2))), ErrVers, "credits 3, range 1..2"),
        (message(wire.RdmaError(wire.ErrChunk())), ErrChunk, "ERR_CHUNK xid 0x00000005 version 1"),
        (message(wire.RdmaDone()), Unexpected, "RDMA_DONE xid 0x00000005: a procedure that no"),
        (message(wire.RdmaMsgp(8, 8, (), (), None)), Unexpected, "RDMA_MSGP xid 0x00000005"),
        (b"\xff" * 40, Undecodable, "40 octets that are no transport header"),
        (b"", Undecodable, "0 octets that are no transport header"),
    ],
)
def test_a_message_is_told_for_what_it_is(octets: bytes, kind: type[Outcome], told: str) -> None:
    outcome = read_outcome(octets)

    assert type(outcome) is kind
    assert told in str(outcome)


def test_an_answer_knows_its_rpc_header_if_it_has_one() -> None:
    whole = read_outcome(message(wire.RdmaMsg((), (), None), REPLY))
    cut = read_outcome(message(wire.RdmaMsg((), (), None), REPLY[:10]))

    assert isinstance(whole, Answered)
    assert isinstance(cut, Answered)
    assert whole.rpc == rpc.RpcReply(5, rpc.RpcOutcome.SUCCESS)
    assert cut.rpc is None


def two(body: v2.Rdma2Body, payload: bytes = b"") -> bytes:
    return v2.encode_header(v2.Rdma2Header(5, 2, 3, body)) + payload


@pytest.mark.parametrize(
    ("octets", "kind", "told"),
    [
        (
            two(v2.Rdma2Msg(MessageType.REPLY, (), (), None), REPLY),
            Answered,
            "RDMA2_MSG REPLY xid 0x00000005 credits 3",
        ),
        (two(v2.Rdma2Nomsg(MessageType.CALL, (), (), CHUNK)), Answered, "RDMA2_NOMSG CALL xid"),
        (two(v2.Rdma2Error(wire.ErrVers(1, 2))), ErrVers, "version 2 credits 3, range 1..2"),
        (two(v2.Rdma2Error(v2.ErrBadHeader())), ErrChunk, "BAD_HEADER xid 0x00000005 version 2"),
        (two(v2.Rdma2Error(v2.ErrInvalidOption())), InvalidOption, "INVAL_OPTION xid 0x00000005"),
        (
            two(v2.Rdma2Optional(MessageType.REPLY, 77, b"")),
            OptionReceived,
            "credits 3, operation 77: opttype 77, octets 0 octets",
        ),
        (
            two(v2.Rdma2Optional(MessageType.CALL, 1, b"\xff")),
            OptionReceived,
            "operation 1: optinfo that is none",
        ),
        (two(v2.Rdma2Error(v2.ErrBadHeader()))[:16], Undecodable, "16 octets that are no"),
    ],
)
def test_a_message_of_version_two_is_told_for_what_it_is(
    octets: bytes, kind: type[Outcome], told: str
) -> None:
    outcome = read_outcome(octets)

    assert type(outcome) is kind
    assert told in str(outcome)


def test_an_optional_message_keeps_what_stands_behind_it() -> None:
    body = v2.Rdma2Optional(MessageType.CALL, 77, b"four")

    outcome = read_outcome(two(body, b"behind"))

    assert isinstance(outcome, OptionReceived)
    assert (outcome.option, outcome.error) == (UnknownOption(77, b"four"), None)
    assert (outcome.payload, outcome.direction) == (b"behind", MessageType.CALL)


def test_a_value_is_read_where_its_property_is_known() -> None:
    """D-91."""
    option = UpdProp((PropertyValue(5, bytes(4)),))
    octets = two(encode_option(MessageType.CALL, option))

    unknown, known = read_outcome(octets), read_outcome(octets, ADOPTED)

    assert isinstance(unknown, OptionReceived)
    assert isinstance(known, OptionReceived)
    assert (unknown.option, unknown.error) == (option, None)
    assert known.option is None
    assert known.error is not None
    assert known.error.path.endswith("pv_data.buffer.xmrbuf_groups")


@pytest.mark.parametrize(("direction", "kind"), [("CALL", Called), ("REPLY", Answered)])
def test_the_header_of_version_two_tells_the_direction(direction: str, kind: type[Outcome]) -> None:
    # The payload says that it is a Reply: who takes backward Calls goes by the header all the same.
    outcome = read_outcome(two(v2.Rdma2Msg(MessageType[direction], (), (), None), REPLY))

    seen = as_called(outcome)

    assert type(seen) is kind
    assert isinstance(seen, Answered | Called)
    assert seen.direction is MessageType[direction]


def test_no_header_of_version_one_tells_a_direction() -> None:
    outcome = read_outcome(message(wire.RdmaMsg((), (), None), REPLY))

    assert isinstance(outcome, Answered)
    assert outcome.direction is None
