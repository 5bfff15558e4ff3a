"""The rules of a backward Call, each broken alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.backward.build import BackwardMessage
from conformance.oracle.backward import (
    BackwardLine,
    InFlight,
    broken_reply_rules,
    broken_rules,
)
from conformance.oracle.outcome import Answered, Called, as_called, read_outcome
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk

if TYPE_CHECKING:
    from conformance.oracle.verdict import BrokenRule

SEGMENT = RdmaSegment(1, 64, 0)
ROOM = WriteChunk((SEGMENT,))
NOBODY = InFlight({}, 1)


def called(**changes: object) -> Called:
    fields: dict[str, object] = {"xid": 7, "payload": calls.null(7), **changes}
    outcome = as_called(read_outcome(BackwardMessage(**fields).octets))  # type: ignore[arg-type]  # a table
    assert isinstance(outcome, Called)
    return outcome


def broken(message: Called, before: InFlight = NOBODY, threshold: int = 1024) -> list[str]:
    return [rule.ids[0] for rule in broken_rules(message, before, threshold)]


def test_a_good_call_breaks_nothing() -> None:
    assert broken(called()) == []
    assert broken(called(), InFlight({1: b"", 2: b""}, 3)) == []


@pytest.mark.parametrize(
    ("changes", "requirement"),
    [
        ({"version": 3}, "bidir.2.5.call-has-version-one"),
        ({"credits": 0}, "bidir.2.1.2.credit-is-never-zero"),
        (
            {"body": RdmaMsg((ReadSegment(40, SEGMENT),), (), None)},
            "bidir.2.5.call-has-empty-lists",
        ),
        ({"body": RdmaMsg((), (ROOM,), None)}, "bidir.2.5.call-has-empty-lists"),
        ({"body": RdmaMsg((), (), ROOM)}, "bidir.2.5.call-has-empty-lists"),
        ({"payload": calls.null(8)}, "bidir.2.5.call-header-follows-with-the-same-xid"),
        ({"payload": calls.null(7)[:36]}, "bidir.2.5.call-header-follows-with-the-same-xid"),
        ({"payload": calls.null(7) + bytes(1000)}, "bidir.2.4.no-larger-than-the-receives"),
    ],
)
def test_each_fault_breaks_its_own_rule(changes: dict[str, object], requirement: str) -> None:
    assert broken(called(**changes)) == [requirement]


def test_a_long_call_is_not_looked_into() -> None:
    """There is no Payload stream; its list is not empty."""
    message = called(body=RdmaNomsg((ReadSegment(0, SEGMENT),), (), None), payload=b"")
    assert broken(message) == ["bidir.2.5.call-is-rdma-msg", "bidir.2.5.call-has-empty-lists"]


def test_the_msg_type_is_that_of_a_call() -> None:
    """What is no Call is not taken for one by itself; the rule is there for whoever makes one."""
    message = called()
    odd = Called(message.header, message.body, message.payload[:7] + b"\1", message.length)
    assert "bidir.2.5.call-msg-type" in broken(odd)


@pytest.mark.parametrize(
    ("before", "requirement"),
    [
        (InFlight({7: calls.echo(7, b"another")}, 4), "bidir.2.5.call-has-a-fresh-xid"),
        (InFlight({1: b""}, 1), "bidir.2.1.2.backward-calls-within-the-grant"),
    ],
)
def test_a_call_is_judged_by_its_company(before: InFlight, requirement: str) -> None:
    assert broken(called(), before) == [requirement]


@pytest.mark.parametrize(
    ("changes", "requirement"),
    [
        ({"version": 2}, None),
        ({"version": 1}, "v2.4.2.2.backward-messages-are-version-two"),
        (
            {"version": 2, "body": RdmaMsg((), (), ROOM)},
            "v2.4.2.2.backward-messages-without-chunks",
        ),
        ({"version": 2, "payload": calls.null(8)}, "v2.1.payload-xid-equals-rdma-xid"),
        ({"version": 2, "payload": calls.null(7)[:36]}, "v2.1.payload-xid-equals-rdma-xid"),
    ],
)
def test_a_call_of_version_two_is_judged_in_its_words(
    changes: dict[str, object], requirement: str | None
) -> None:
    found = [rule.ids[0] for rule in broken_rules(called(**changes), NOBODY, 4096, 2)]

    assert found == ([] if requirement is None else [requirement])


def test_a_call_in_flight_that_comes_once_more_is_a_repetition_or_has_no_xid_of_its_own() -> None:
    assert broken(called(), InFlight({7: calls.null(7)}, 4)) == [
        "bidir.2.5.call-has-a-fresh-xid",
        "bidir.2.3.no-retransmission-without-a-connection",
    ]


@pytest.mark.parametrize(
    ("changes", "requirements"),
    [
        ({}, []),
        ({"version": 3}, ["bidir.2.6.reply-has-version-one"]),
        ({"credits": 0}, ["bidir.2.1.2.credit-is-never-zero"]),
        ({"body": RdmaMsg((), (ROOM,), None)}, ["bidir.2.6.reply-has-empty-lists"]),
        ({"body": RdmaNomsg((), (), None), "payload": b""}, ["bidir.2.6.reply-is-rdma-msg"]),
        (
            {"payload": rpc.accepted(8)},
            ["bidir.2.6.reply-header-follows-with-the-same-xid"],
        ),
        (
            {"payload": rpc.accepted(7)[:20]},
            ["bidir.2.6.reply-header-follows-with-the-same-xid"],
        ),
        ({"payload": calls.null(7)}, ["bidir.2.6.reply-msg-type"]),
        (
            {"payload": rpc.accepted(7) + bytes(1000)},
            ["bidir.2.4.no-larger-than-the-receives"],
        ),
    ],
)
def test_each_fault_of_a_reply_breaks_its_own_rule(
    changes: dict[str, object], requirements: list[str]
) -> None:
    fields: dict[str, object] = {"xid": 7, "payload": rpc.accepted(7), **changes}
    reply = read_outcome(BackwardMessage(**fields).octets)  # type: ignore[arg-type]  # a table
    assert isinstance(reply, Answered)

    assert [rule.ids[0] for rule in broken_reply_rules(reply, 1024)] == requirements


TWO = "v2.4.2.2."


@pytest.mark.parametrize(
    ("changes", "requirements"),
    [
        ({}, []),
        (
            {"version": 1},
            [TWO + "backward-messages-are-version-two", TWO + "direction-is-the-msg-type"],
        ),
        ({"credits": 0}, [TWO + "backward-credits-are-separate"]),
        ({"body": RdmaMsg((), (ROOM,), None)}, [TWO + "backward-messages-without-chunks"]),
        ({"payload": rpc.accepted(7) + bytes(4096)}, ["v2.2.3.no-send-beyond-4096-octets"]),
        ({"payload": rpc.accepted(8)}, ["v2.1.payload-xid-equals-rdma-xid"]),
    ],
)
def test_a_reply_of_version_two_is_judged_in_its_words(
    changes: dict[str, object], requirements: list[str]
) -> None:
    fields: dict[str, object] = {"xid": 7, "payload": rpc.accepted(7), "version": 2, **changes}
    reply = read_outcome(BackwardMessage(**fields).octets)  # type: ignore[arg-type]  # a table
    assert isinstance(reply, Answered)

    assert [rule.ids[0] for rule in broken_reply_rules(reply, 4096, 2)] == requirements


def answered(**changes: object) -> Answered:
    fields: dict[str, object] = {"xid": 7, "payload": rpc.accepted(7), **changes}
    reply = read_outcome(BackwardMessage(**fields).octets)  # type: ignore[arg-type]  # a table
    assert isinstance(reply, Answered)
    return reply


def names(rules: tuple[BrokenRule, ...]) -> list[str]:
    return [rule.ids[0] for rule in rules]


def test_a_line_lets_one_call_go_before_a_grant_and_as_many_as_the_largest_afterwards() -> None:
    line = BackwardLine(1024, 1024)
    calls_of = [called(xid=xid, payload=calls.null(xid)) for xid in range(7, 12)]

    assert names(line.called(calls_of[0])) == []
    assert names(line.called(calls_of[1])) == ["bidir.2.1.2.backward-calls-within-the-grant"]
    assert names(line.answered(answered(credits=3))) == []
    assert names(line.answered(answered(xid=8, payload=rpc.accepted(8), credits=1))) == []
    assert [names(line.called(one)) for one in calls_of[1:]] == [
        [],
        [],
        [],
        ["bidir.2.1.2.backward-calls-within-the-grant"],
    ]


def test_a_reply_on_a_line_is_that_of_a_call_in_flight_and_has_its_own_threshold() -> None:
    line = BackwardLine(1024, 40)
    line.called(called())

    assert names(line.answered(answered(payload=rpc.accepted(7) + bytes(8)))) == [
        "bidir.2.4.no-larger-than-the-receives"
    ]
    assert names(line.answered(answered())) == ["bidir.1.3.4.reply-xid-is-the-calls"]


def test_chunks_are_for_who_has_said_that_it_takes_them() -> None:
    long = called(body=RdmaNomsg((ReadSegment(0, SEGMENT),), (), ROOM), payload=b"")
    assert broken(long) == ["bidir.2.5.call-is-rdma-msg", "bidir.2.5.call-has-empty-lists"]
    assert broken(long, InFlight({}, 1, may_have_chunks=True)) == []
