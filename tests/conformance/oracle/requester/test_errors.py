"""What a Requester may do about errors of either version, about Calls of either version."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.reaction import expected_reaction
from conformance.oracle.requester.state import OutstandingCall, RequesterState
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import ErrVers, RdmaMsg, TransportHeader, v2
from rpcrdma.wire._generated_rtrext import BadContinuation, TransmissionId
from rpcrdma.wire.operations import ReptErr
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from tests.conformance.oracle.requester.group_fakes import XID, outstanding, request

COMPLETED, FAILED, WAITING, CLOSED = Reaction


def state(version: int, asked: tuple[int, ...] = ()) -> RequesterState:
    header = TransportHeader(1, version, 4, RdmaMsg((), (), None))
    return RequesterState(
        outstanding=(OutstandingCall(1, header, b""),),
        serves_two=True,
        versions=frozenset({1, 2}),
        asked_xids=frozenset(asked),
    )


def two(body: v2.Rdma2Body, xid: int = 1) -> bytes:
    return v2.encode_header(v2.Rdma2Header(xid, 2, 32, body))


def error(what: v2.Rdma2ErrorBody, xid: int = 1) -> bytes:
    return two(v2.Rdma2Error(what), xid)


BAD_HEADER = error(v2.ErrBadHeader())
INVALID = error(v2.ErrInvalidOption())
EMPTY_REPLY = two(v2.Rdma2Msg(MessageType.REPLY, (), (), None))
ONE_ALONE = error(ErrVers(1, 1))


@pytest.mark.parametrize(
    ("message", "allowed"),
    [
        (BAD_HEADER, {FAILED}),
        (INVALID, {FAILED}),
        (ONE_ALONE, {COMPLETED, FAILED, CLOSED}),
        (error(ErrVers(3, 5)), {FAILED, CLOSED}),
        (error(ErrVers(5, 1)), {FAILED, CLOSED}),
        (BAD_HEADER + b"abcd", {FAILED, WAITING}),
        (BAD_HEADER[:-1], {WAITING, FAILED}),
        (BAD_HEADER[:-1] + b"\x09", {WAITING, FAILED}),
    ],
)
def test_an_error_in_version_two_is_about_its_call(message: bytes, allowed: set[Reaction]) -> None:
    assert expected_reaction(message, state(2)).reactions == allowed


def test_what_sends_a_call_back_is_not_permanent_and_grants_nothing() -> None:
    found = expected_reaction(ONE_ALONE, state(2))

    assert (found.is_error, found.grant, found.must_end) == (False, None, True)
    assert found.allowed[0].ids == ("v2.5.2.version-is-picked-from-the-range",)


def test_an_error_about_an_optional_message_is_about_no_call() -> None:
    found = expected_reaction(INVALID, state(2, asked=(1,)))

    assert (found.reactions, found.xid) == ({WAITING}, None)


def test_rules_are_told_in_the_words_of_version_two() -> None:
    found = expected_reaction(BAD_HEADER, state(2))

    assert found.allowed[0].ids[0] == "v2.4.2.3.error-ends-the-rpc"


def test_an_error_of_version_two_may_be_passed_over_by_a_call_of_version_one() -> None:
    assert expected_reaction(BAD_HEADER, state(1)).reactions == {FAILED, WAITING}


@pytest.mark.parametrize(
    ("message", "allowed", "rule"),
    [
        (
            two(v2.Rdma2Msg(MessageType.CALL, (), (), None)) + bytes(24),
            {WAITING, FAILED, CLOSED},
            "v2.4.2.3.wrong-direction-is-not-served",
        ),
        (
            two(v2.Rdma2Optional(MessageType.CALL, 9, b"")),
            {WAITING},
            "v2.3.2.xids-belong-to-a-direction",
        ),
        (EMPTY_REPLY[:27], {WAITING}, "v2.4.2.3.short-message-is-dropped"),
        (
            EMPTY_REPLY[:31],
            {WAITING, FAILED, CLOSED},
            "v2.4.2.3.bad-reply-completes-nothing",
        ),
    ],
)
def test_other_messages_of_version_two(message: bytes, allowed: set[Reaction], rule: str) -> None:
    found = expected_reaction(message, state(2))

    assert found.reactions == allowed
    assert rule in found.ids


def test_an_answer_to_an_optional_message_may_grant() -> None:
    reply = two(v2.Rdma2Optional(MessageType.REPLY, 3, b""))

    assert expected_reaction(reply, state(2)).grant is None
    assert expected_reaction(reply, state(2, asked=(1,))).grant == 32


def test_a_reply_of_version_two_to_a_call_of_version_one_is_no_good_one() -> None:
    reply = EMPTY_REPLY + bytes(24)

    assert COMPLETED not in expected_reaction(reply, state(1)).reactions


# -- about a transmission group, whose Call may be made again without one (rtrext 5.4)

NULL = calls.null(XID)
AS_GROUP = outstanding(NULL, request(NULL))
REPORT = ReptErr(TransmissionId(XID, MessageType.CALL, 0), None, BadContinuation())
REPTERR = two(encode_option(MessageType.REPLY, REPORT), XID)


@pytest.mark.parametrize(
    "message", [error(v2.ErrInvalidOption(), XID), error(v2.ErrBadHeader(), XID), REPTERR]
)
def test_the_call_of_a_group_may_be_made_otherwise(message: bytes) -> None:
    found = expected_reaction(message, AS_GROUP)

    assert found.reactions == {COMPLETED, FAILED}
    assert not found.is_error


def test_a_report_about_no_group_changes_nothing() -> None:
    assert expected_reaction(REPTERR, outstanding(NULL, None)).reactions == {WAITING}
    assert expected_reaction(REPTERR, state(2)).reactions == {WAITING}
