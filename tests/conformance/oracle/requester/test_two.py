"""What a Requester's messages in Version Two are judged by."""

from __future__ import annotations

import pytest

from conformance.oracle.announced import Announced
from conformance.oracle.requester.calls import judge_call
from conformance.oracle.requester.state import CreditView, RequesterState
from conformance.oracle.requester.two import judge_option
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment, ReadSegment, WriteChunk, v2
from rpcrdma.wire.operations import ReqProp
from rpcrdma.wire.optional import UnknownOption, encode_option
from rpcrdma.wire.rpc import MessageType

CALL, REPLY = MessageType.CALL, MessageType.REPLY
FRESH = RequesterState(upper_layer=TestProgram(), serves_two=True, versions=frozenset({1, 2}))
SETTLED = RequesterState(
    upper_layer=TestProgram(),
    serves_two=True,
    versions=frozenset({2}),
    lengths=(4096,),
    views=(CreditView(0, 32),),
    option_xids=frozenset({50}),
)


def message(body: v2.Rdma2Body, payload: bytes = b"", xid: int = 1) -> bytes:
    return v2.encode_header(v2.Rdma2Header(xid, 2, 32, body)) + payload


def call(payload: bytes, direction: MessageType = CALL) -> bytes:
    return message(v2.Rdma2Msg(direction, (), (), None), payload)


def first(octets: bytes, unreduced: bytes | None, state: RequesterState = SETTLED) -> list[str]:
    return [found.ids[0] for found in judge_call(octets, unreduced, state)]


def test_a_good_call_breaks_nothing() -> None:
    payload = testprog_calls.long_call(1, bytes(2000))

    assert first(call(payload), payload) == []


@pytest.mark.parametrize(
    ("length", "state", "broken"),
    [
        (1024, FRESH, []),
        (1028, FRESH, ["v2.5.first-message-fits-1024-octets"]),
        (4096, SETTLED, []),
        (4100, SETTLED, ["v2.2.3.no-send-beyond-4096-octets"]),
    ],
)
def test_a_length_is_judged_by_what_is_agreed(
    length: int, state: RequesterState, broken: list[str]
) -> None:
    around = len(call(testprog_calls.long_call(1, b"")))
    payload = testprog_calls.long_call(1, bytes(length - around))

    octets = call(payload)

    assert len(octets) == length
    assert first(octets, None, state) == broken


def test_a_size_that_was_told_has_a_rule_of_its_own() -> None:
    octets = call(testprog_calls.long_call(1, bytes(2000)))

    found = first(octets, None, RequesterState(serves_two=True, versions=frozenset({2})))
    told = RequesterState(
        serves_two=True,
        versions=frozenset({2}),
        lengths=(1500,),
        announced=(Announced(octets=1500),),
    )

    assert found == ["v2.5.first-message-fits-1024-octets"]
    assert first(octets, None, told) == []  # D-142
    longer = call(testprog_calls.long_call(1, bytes(5000)))
    assert first(longer, None, told) == ["xcharext.3.1.no-send-beyond-the-announced-size"]


def test_a_call_that_says_reply_is_wrong() -> None:
    payload = testprog_calls.null(1)
    backward = RequesterState(serves_two=True, versions=frozenset({2}))

    assert first(call(payload, REPLY), payload, backward) == ["v2.4.2.2.direction-is-the-msg-type"]


def test_rules_of_version_one_are_told_in_the_words_of_version_two() -> None:
    payload = testprog_calls.echo(1, bytes(4))
    reads = (ReadSegment(len(payload) - 4, RdmaSegment(1, 4, 0)),)
    octets = message(v2.Rdma2Msg(CALL, reads, (), None), payload[:-4])

    (found,) = judge_call(octets, payload, SETTLED)

    assert found.ids[0] == "v2.1.only-eligible-items-are-reduced"
    assert "rfc8166.6.1.ineligible-items-are-not-reduced" not in found.ids
    assert "D-61" in found.readings


def test_a_missing_reply_chunk_is_judged_by_the_length_that_the_requester_told() -> None:
    payload, longer = (testprog_calls.long_reply(1, octets) for octets in (3000, 6000))
    small, large = (
        RequesterState(
            upper_layer=TestProgram(),
            serves_two=True,
            versions=frozenset({2}),
            told=Announced(octets=octets),
        )
        for octets in (1024, 8192)
    )
    chunk = WriteChunk((RdmaSegment(1, 100_000, 0),))
    offering = message(v2.Rdma2Msg(CALL, (), (), chunk), payload)

    assert first(call(payload), payload) == []
    assert first(call(payload), payload, small) == []  # D-142
    assert first(call(longer), longer, small) == ["v2.2.1.chunk-offered-for-a-large-reply"]
    assert first(call(longer), longer, large) == []
    assert first(offering, payload, small) == []


@pytest.mark.parametrize(
    ("procedure", "rule"), [(2, "procedure-numbers"), (9, "procedure-numbers")]
)
def test_a_procedure_of_no_call_is_wrong(procedure: int, rule: str) -> None:
    octets = bytearray(call(testprog_calls.null(1)))
    octets[15] = procedure

    found = first(bytes(octets), None)

    assert found[0] == f"v2.4.2.{rule}"


def test_what_is_short_is_no_header() -> None:
    assert first(call(b"")[:27], None) == ["v2.4.2.header-layout"]


def option_rules(octets: bytes, state: RequesterState = SETTLED) -> list[str]:
    return [found.ids[0] for found in judge_option(octets, state)]


ASKED = message(encode_option(CALL, ReqProp(())))
REFUSED = v2.Rdma2Error(v2.ErrInvalidOption())


def test_an_optional_message_and_an_error_about_one_break_nothing() -> None:
    assert option_rules(ASKED) == []
    assert option_rules(message(REFUSED, xid=50)) == []


@pytest.mark.parametrize(
    ("octets", "rule"),
    [
        (message(REFUSED, xid=51), "v2.4.2.3.requester-sends-no-other-error"),
        (message(REFUSED, b"abcd", xid=50), "v2.4.2.1.error-has-no-payload"),
        (message(REFUSED, xid=50)[:16] + bytes(4), "v2.3.2.errors-keep-the-fixed-layout"),
        (ASKED + b"abcd", "xcharext.4.no-payload-follows"),
        (ASKED[:16] + b"\0\0\0\7" + ASKED[20:], "v2.4.2.2.optional-direction-without-payload"),
        (ASKED[:-2], "v2.4.2.header-layout"),
    ],
)
def test_what_such_a_message_breaks_is_told(octets: bytes, rule: str) -> None:
    assert option_rules(octets)[0] == rule


def test_an_optional_message_beside_the_first_call_is_one_too_many() -> None:
    state = RequesterState(serves_two=True, versions=frozenset({1, 2}), views=(CreditView(1),))

    assert option_rules(message(encode_option(CALL, UnknownOption(77, b""))), state) == [
        "v2.5.one-message-until-the-first-answer"
    ]


def test_who_speaks_version_one_alone_is_sent_no_version_two() -> None:
    payload = testprog_calls.null(1)

    assert first(call(payload), payload, RequesterState())[0] == "rfc8166.4.2.2.version-is-one"
