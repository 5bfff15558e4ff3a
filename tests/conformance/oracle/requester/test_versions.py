"""Which versions and lengths a Requester may use, after what the tester has sent."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.tracker import RequesterTracker
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import ErrVers, RdmaError, RdmaMsg, TransportHeader, encode_header, rpc, v2
from rpcrdma.wire.operations import ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import Option, encode_option
from rpcrdma.wire.properties import (
    ADOPTED,
    BASIC,
    DefaultValue,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType

CALL, REPLY = MessageType.CALL, MessageType.REPLY
LARGE = property_values(ReceiveBufferSize(8192))


def two(xid: int, body: v2.Rdma2Body, payload: bytes = b"") -> bytes:
    return v2.encode_header(v2.Rdma2Header(xid, 2, 32, body)) + payload


def one(xid: int, body: RdmaMsg | RdmaError, payload: bytes = b"") -> bytes:
    return encode_header(TransportHeader(xid, 1, 32, body)) + payload


def reply_two(xid: int) -> bytes:
    payload = rpc.encode_message(rpc.accepted(xid))
    return two(xid, v2.Rdma2Msg(REPLY, (), (), None), payload)


def refusal(xid: int, low: int, high: int) -> bytes:
    return two(xid, v2.Rdma2Error(ErrVers(low, high)))


def option(xid: int, what: Option, direction: MessageType = CALL) -> bytes:
    return two(xid, encode_option(direction, what))


class Line:
    """A connection whose tester speaks both versions."""

    def __init__(self) -> None:
        self.tracker = RequesterTracker(upper_layer=TestProgram(), serves_two=True)

    @property
    def versions(self) -> set[int]:
        return set(self.tracker.state.versions)

    @property
    def lengths(self) -> tuple[int, ...]:
        return self.tracker.state.lengths

    def call(self, xid: int, version: int = 2) -> list[str]:
        payload = testprog_calls.null(xid)
        message = two(xid, v2.Rdma2Msg(CALL, (), (), None), payload)
        if version == 1:
            message = one(xid, RdmaMsg((), (), None), payload)
        return [item.ids[0] for item in self.tracker.judge(message, payload)]

    def send(self, octets: bytes) -> None:
        self.tracker.answered(octets)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def settled() -> Line:
    line = Line()
    line.call(1)
    line.send(reply_two(1))
    return line


def test_both_versions_may_be_first(line: Line) -> None:
    assert line.versions == {1, 2}
    assert line.call(1) == []


def test_an_answer_settles_its_version(settled: Line) -> None:
    assert settled.versions == {2}
    assert settled.call(2, version=1)[0] == "v2.5.2.picked-version-is-used-from-then-on"


def test_an_answer_in_version_one_settles_that(line: Line) -> None:
    line.call(1, version=1)
    line.send(one(1, RdmaMsg((), (), None), rpc.encode_message(rpc.accepted(1))))

    assert line.call(2) == ["v2.5.2.picked-version-is-used-from-then-on"]


@pytest.mark.parametrize(
    ("low", "high", "left"), [(1, 1, {1}), (1, 7, {1, 2}), (2, 7, {2}), (3, 5, {1, 2})]
)
def test_a_range_leaves_what_is_in_it(line: Line, low: int, high: int, left: set[int]) -> None:
    line.call(1)

    line.send(refusal(1, low, high))

    assert line.versions == left
    assert line.tracker.state.call(1) is None


def test_a_call_that_was_sent_back_is_made_again(line: Line) -> None:
    line.call(1)
    line.send(refusal(1, 1, 1))

    assert line.call(1, version=1) == []


def test_a_range_in_mid_connection_leaves_both(settled: Line) -> None:
    settled.call(2)

    settled.send(refusal(2, 1, 1))

    assert settled.versions == {1, 2}


def test_a_stray_answer_settles_nothing(line: Line) -> None:
    line.call(1)

    line.send(reply_two(9))

    assert line.versions == {1, 2}


def test_an_error_of_version_two_settles_the_version_alone(line: Line) -> None:
    line.call(1)

    line.send(two(1, v2.Rdma2Error(v2.ErrBadHeader())))

    assert (line.versions, line.lengths) == ({2}, (1024,))
    assert line.call(2) == []
    assert line.call(3) == ["v2.5.one-message-until-the-first-answer"]


def test_the_first_answer_allows_longer_messages(settled: Line) -> None:
    assert settled.lengths == (1024, 4096)
    settled.tracker.settled()
    assert settled.lengths == (4096,)


@pytest.mark.parametrize(
    ("what", "length"),
    [
        (ConnProp(LARGE, ()), 8192),
        (UpdProp(LARGE), 8192),
        (RespProp((), (), LARGE), 8192),
        (UpdProp(property_values(DefaultValue(1))), 4096),
        (ConnProp((), ()), 4096),
    ],
)
def test_what_the_tester_tells_of_its_receives_counts(
    settled: Line, what: Option, length: int
) -> None:
    settled.send(option(7, what))

    assert settled.lengths[-1] == length


@pytest.mark.parametrize(
    "what",
    [ReqProp(LARGE), UpdProp(property_values(RequesterRemoteInvalidation(allowed=True)))],
)
def test_what_says_nothing_of_its_receives_changes_nothing(settled: Line, what: Option) -> None:
    settled.send(option(7, what))

    assert settled.lengths == (1024, 4096)


def test_what_the_requester_tells_of_its_own_is_kept(settled: Line) -> None:
    assert settled.tracker.judge_option(option(7, ConnProp(LARGE, ()))) == ()

    assert settled.tracker.state.told.octets == 8192


@pytest.mark.parametrize(("known", "told"), [(BASIC, 8192), (ADOPTED, 4096)])
def test_what_has_a_bad_value_by_the_codes_of_the_requester_says_nothing(
    known: PropertyNumbers, told: int
) -> None:
    """D-91; D-76: nothing of it holds."""
    tracker = RequesterTracker(properties=known, serves_two=True)
    odd = ConnProp((*LARGE, PropertyValue(5, bytes(4))), ())

    tracker.judge_option(option(7, odd))
    tracker.answered(option(8, odd))

    assert tracker.state.told.layout.length == told
    assert tracker.state.lengths[-1] == told


def test_a_refused_option_settles_the_version(line: Line) -> None:
    line.tracker.judge_option(option(7, ConnProp(LARGE, ())))

    line.send(two(7, v2.Rdma2Error(v2.ErrInvalidOption())))

    assert line.versions == {2}


def test_a_range_in_mid_connection_leaves_both_however_often_it_comes(settled: Line) -> None:
    for xid in (2, 3):
        settled.call(xid)
        settled.send(refusal(xid, 1, 1))

    assert settled.versions == {1, 2}


def test_an_operation_of_the_server_tells_who_has_offered_that_version_two_is_spoken(
    line: Line,
) -> None:
    line.call(1)

    line.send(option(7, ReqProp(())))

    assert line.versions == {2}


def test_an_operation_tells_nobody_else_anything(line: Line) -> None:
    line.call(1, version=1)

    line.send(option(7, ReqProp(())))

    assert line.versions == {1, 2}
