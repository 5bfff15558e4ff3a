"""The oracle about messages in Version Two, fault class by fault class."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.catalogue.entries import load_catalogue
from conformance.oracle.header import encode_header
from conformance.oracle.outcome import read_outcome
from conformance.oracle.responder.expectation import Expectation, ResponderState
from conformance.oracle.responder.expected import expected
from reports.record import Verdict
from rpcrdma.ulp.rpc import RpcOutcome, RpcReply, encode_reply
from rpcrdma.wire import RdmaMsg, TransportHeader, v2
from rpcrdma.wire.operations import (
    ROPT_CONNPROP,
    ROPT_REQPROP,
    ROPT_UPDPROP,
    ConnProp,
    ReqProp,
    RespProp,
    UpdProp,
)
from rpcrdma.wire.optional import Option, UnknownOption, encode_option
from rpcrdma.wire.properties import ADOPTED, AS_PUBLISHED, BASIC, PropertyNumbers, PropertyValue
from rpcrdma.wire.rpc import MessageType
from tests.conformance.oracle.oracle_fakes import FETCH, NULL, XID, TinyProgram, rpc_call

BOTH = ResponderState(frozenset({1, 2}), TinyProgram())
CALL, REPLY = MessageType.CALL, MessageType.REPLY


def two(body: v2.Rdma2Body, payload: bytes = b"") -> bytes:
    return v2.encode_header(v2.Rdma2Header(XID, 2, 4, body)) + payload


def msg(payload: bytes | None = None, direction: MessageType = CALL) -> bytes:
    given_payload = rpc_call(NULL) if payload is None else payload
    return two(v2.Rdma2Msg(direction, (), (), None), given_payload)


def option(what: Option, direction: MessageType = CALL) -> bytes:
    return two(encode_option(direction, what))


def with_word(message: bytes, place: int, value: int) -> bytes:
    return message[:place] + value.to_bytes(4) + message[place + 4 :]


def answers(expectation: Expectation) -> list[str]:
    return [str(item) for item in expectation.allowed]


UNDECODABLE = ConnProp((PropertyValue(1, b"\x00"),), ())


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (msg(), ["a Reply"]),
        (msg()[:27], ["silence"]),
        (msg()[:28], ["ERR_CHUNK", "silence (warning)"]),
        (msg(direction=REPLY), ["silence", "ERR_CHUNK"]),
        (with_word(msg(), 16, 2), ["ERR_CHUNK"]),
        (with_word(msg(), 12, 2), ["ERR_CHUNK", "silence (warning)"]),
        (with_word(msg(), 12, 3), ["ERR_CHUNK", "silence"]),
        (with_word(msg(), 12, 6), ["ERR_CHUNK"]),
        (two(v2.Rdma2Nomsg(CALL, (), (), None)), ["ERR_CHUNK"]),
        (two(v2.Rdma2Error(v2.ErrBadHeader())) + bytes(8), ["silence"]),
        (option(UnknownOption(77, b"")), ["INVAL_OPTION"]),
        (option(UnknownOption(77, b""), REPLY), ["silence", "INVAL_OPTION", "ERR_CHUNK (warning)"]),
        (option(ReqProp(())), ["an optional message", "INVAL_OPTION"]),
        (option(ReqProp(()), REPLY), ["silence", "INVAL_OPTION", "ERR_CHUNK (warning)"]),
        (option(ConnProp((), ())), ["silence", "INVAL_OPTION"]),
        (option(UNDECODABLE), ["ERR_CHUNK", "INVAL_OPTION (warning)"]),
    ],
)
def test_each_kind_of_message_gets_what_the_documents_allow(
    message: bytes, wanted: list[str]
) -> None:
    result = expected(message, BOTH)

    assert answers(result) == wanted
    assert (result.xid, result.version) == (XID, 2)


def test_what_is_too_short_is_dropped_by_the_statement_of_its_version() -> None:
    assert expected(msg()[:8], BOTH).ids == ("v2.4.2.3.short-message-is-dropped",)
    assert expected(msg()[:7], BOTH).ids == ("rfc8166.4.5.short-message-discarded",)


def test_a_short_error_is_dropped_as_an_error() -> None:
    short = with_word(msg(), 12, 4)[:24]

    assert expected(short, BOTH).ids == ("v2.4.2.3.errors-are-not-answered",)


def test_a_presence_word_of_two_is_borne_with_a_warning() -> None:
    result = expected(with_word(msg(), 20, 2) + bytes(40), BOTH)

    assert answers(result)[0] == "ERR_CHUNK"
    assert all(item.warning for item in result.allowed[1:])


def test_a_device_with_the_backward_direction_may_drop_a_header_that_is_cut() -> None:
    state = ResponderState(frozenset({1, 2}), TinyProgram(), backward=True)
    cut = with_word(msg(), 20, 1)[:32]

    assert answers(expected(cut, state)) == ["ERR_CHUNK", "silence"]
    assert answers(expected(with_word(msg(), 16, 2), state)) == ["ERR_CHUNK"]


def test_the_reading_of_bad_optinfo_is_the_profiles() -> None:
    state = ResponderState(frozenset({2}), chosen={"D-59": "either"})

    assert answers(expected(option(UNDECODABLE), state)) == ["ERR_CHUNK", "INVAL_OPTION"]


CLAIMING = replace(BOTH, operations=frozenset({"connprop", "reqprop", "resprop"}))


@pytest.mark.parametrize(
    ("what", "direction", "wanted"),
    [
        (ReqProp(()), CALL, ["an optional message"]),
        (ConnProp((), ()), CALL, ["silence"]),
        (UpdProp(()), CALL, ["INVAL_OPTION"]),
        (UnknownOption(77, b""), CALL, ["INVAL_OPTION"]),
        (RespProp((), (), ()), REPLY, ["silence", "INVAL_OPTION (warning)", "ERR_CHUNK (warning)"]),
        (ReqProp(()), REPLY, ["silence", "INVAL_OPTION", "ERR_CHUNK (warning)"]),
        (UpdProp(()), REPLY, ["silence", "INVAL_OPTION", "ERR_CHUNK (warning)"]),
    ],
)
def test_what_is_claimed_is_taken_and_all_else_is_refused(
    what: Option, direction: MessageType, wanted: list[str]
) -> None:
    """D-63, D-146."""
    assert answers(expected(option(what, direction), CLAIMING)) == wanted


@pytest.mark.parametrize(
    ("reading", "refusal"), [("bad-header", "INVAL_OPTION (warning)"), ("either", "INVAL_OPTION")]
)
def test_octets_behind_what_is_claimed_may_be_reported_in_either_word(
    reading: str, refusal: str
) -> None:
    """D-59, D-60."""
    state = replace(CLAIMING, chosen={"D-59": reading})
    result = expected(option(ConnProp((), ())) + bytes(8), state)
    assert answers(result) == ["silence", "ERR_CHUNK", refusal]


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        (BASIC, ["silence"]),
        (ADOPTED, ["silence"]),
        (AS_PUBLISHED, ["ERR_CHUNK", "INVAL_OPTION (warning)"]),
    ],
)
def test_a_value_is_bad_where_its_property_has_that_code(
    known: PropertyNumbers, wanted: list[str]
) -> None:
    """D-91: a level is no buffer structure, and property 4 is one only as published."""
    values = (PropertyValue(4, bytes(4)),)

    result = expected(option(ConnProp(values, ())), replace(CLAIMING, properties=known))

    assert answers(result) == wanted


def with_optinfo(opttype: int, optinfo: bytes) -> bytes:
    return two(v2.Rdma2Optional(CALL, opttype, optinfo))


LEFT_OVER = bytes(12)
"""The contents of an empty UPDPROP or REQPROP with two words too many; of a CONNPROP one."""

IN_A_VALUE = UpdProp((PropertyValue(1, bytes(8)),))


@pytest.mark.parametrize(
    ("message", "passed_over"),
    [
        (with_optinfo(ROPT_CONNPROP, LEFT_OVER), "silence"),
        (with_optinfo(ROPT_UPDPROP, LEFT_OVER), "silence"),
        (with_optinfo(ROPT_REQPROP, LEFT_OVER), "an optional message"),
        (option(IN_A_VALUE), "silence"),
    ],
)
def test_octets_left_over_may_be_reported_or_passed_over(message: bytes, passed_over: str) -> None:
    """D-59, D-60, D-76."""
    wanted = ["ERR_CHUNK", "INVAL_OPTION (warning)", passed_over]

    assert answers(expected(message, BOTH)) == wanted


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (option(ConnProp((), ())), ["silence", "INVAL_OPTION", "ERR_CHUNK"]),
        (option(ReqProp(())), ["an optional message", "INVAL_OPTION", "ERR_CHUNK"]),
        (option(UNDECODABLE), ["ERR_CHUNK", "INVAL_OPTION (warning)"]),
        (option(UnknownOption(77, b"")), ["INVAL_OPTION"]),
    ],
)
def test_octets_behind_an_operation_may_be_reported_as_well(
    message: bytes, wanted: list[str]
) -> None:
    """D-32, D-60: but nobody knows what belongs after an operation that nobody knows."""
    assert answers(expected(message + bytes(40), BOTH)) == wanted


@given(st.binary(max_size=80))
def test_everything_is_judged_by_the_ids_of_version_two(tail: bytes) -> None:
    catalogue = load_catalogue()
    message = with_word(msg()[:16] + tail, 4, 2)

    result = expected(message, BOTH)

    assert result.allowed
    assert all(catalogue[one] for one in result.ids)
    if len(message) >= 28:
        assert {one.partition(".")[0] for one in result.ids} <= {"v2", "xcharext"}


def reply(xid: int = XID, version: int = 2, direction: MessageType = REPLY) -> bytes:
    header = TransportHeader(xid, version, 4, RdmaMsg((), (), None))
    return encode_header(header, direction) + encode_reply(RpcReply(XID, RpcOutcome.SUCCESS))


@pytest.mark.parametrize(
    ("answer", "violated"),
    [
        (reply(), ()),
        (reply(version=1), ("v2.5.3.reply-has-the-version-of-its-call",)),
        (reply(direction=CALL), ("v2.4.2.2.direction-is-the-msg-type",)),
        (two(v2.Rdma2Error(v2.ErrInvalidOption())), ("v2.5.1.answer-has-the-same-xid",)),
    ],
)
def test_a_reply_is_judged_by_the_rules_of_version_two(
    answer: bytes, violated: tuple[str, ...]
) -> None:
    judgement = expected(msg(), BOTH).judge(read_outcome(answer))

    assert judgement.verdict is (Verdict.FAIL if violated else Verdict.PASS)
    assert judgement.violated == violated


def test_an_answer_to_another_request_breaks_the_rule_about_xids() -> None:
    answer = v2.Rdma2Header(XID + 1, 2, 4, v2.Rdma2Optional(REPLY, 3, bytes(12)))

    judgement = expected(option(ReqProp(())), BOTH).judge(read_outcome(v2.encode_header(answer)))

    assert judgement.violated == ("xcharext.4.3.answer-has-the-requests-xid",)


@pytest.mark.parametrize(("length", "fits"), [(4096 - 60, True), (4096 - 56, False)])
def test_replies_of_4096_octets_go_inline(length: int, *, fits: bool) -> None:
    call = msg(rpc_call(FETCH, length.to_bytes(4)))

    # A Reply has 28 octets beside its data, and a header of 32.
    refusals = [] if fits else ["ERR_CHUNK", "loss of the connection"]
    assert answers(expected(call, BOTH)) == ["a Reply", *refusals]
