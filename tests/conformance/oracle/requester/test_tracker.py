"""Credits and XIDs as calls arrive and replies go out, in whatever order the two cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.tracker import RequesterTracker
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    ErrChunk,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    TransportHeader,
    encode_header,
    rpc,
)
from tests.conformance.oracle.requester.group_fakes import (
    OPERATIONS,
    ROOMY,
    XID,
    request,
    response,
)
from tests.conformance.oracle.requester.test_calls import ids

if TYPE_CHECKING:
    from conformance.groups.draft import GroupDraft


def plain(xid: int, credits: int, payload: bytes) -> bytes:  # noqa: A002
    return encode_header(TransportHeader(xid, 1, credits, RdmaMsg((), (), None))) + payload


def reply(xid: int, granted: int) -> bytes:
    return plain(xid, granted, rpc.encode_message(rpc.accepted(xid)))


def error(xid: int, granted: int = 1) -> bytes:
    return encode_header(TransportHeader(xid, 1, granted, RdmaError(ErrChunk())))


class Line:
    """A connection; calls and replies by XID."""

    def __init__(self) -> None:
        self.tracker = RequesterTracker(upper_layer=TestProgram())

    def call(self, xid: int, requested: int = 32) -> list[str]:
        payload = calls.null(xid)
        return ids(self.tracker.judge(plain(xid, requested, payload), payload))

    def reply(self, xid: int, granted: int) -> Reaction:
        return self.tracker.answered(reply(xid, granted)).allowed[0].kind


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def busy() -> Line:
    """Eight credits, eight calls in flight (XIDs 1 to 8)."""
    line = Line()
    line.call(100)
    line.reply(100, 8)
    assert [line.call(xid) for xid in range(1, 9)] == [[]] * 8
    return line


OVERRUN = ["3.3.1.no-call-beyond-the-grant"]


def test_one_call_before_the_first_reply(line: Line) -> None:
    assert line.call(1) == []
    assert line.call(2) == ["3.3.3.first-reply-before-second-call"]


def test_error_is_no_first_reply(line: Line) -> None:
    line.call(1)
    line.tracker.answered(error(1, 16))

    assert line.call(2) == []
    assert line.call(3) == ["3.3.3.first-reply-before-second-call"]


def test_calls_within_the_grant(busy: Line) -> None:
    assert busy.call(9) == OVERRUN


def test_reply_gives_its_credit_back(busy: Line) -> None:
    busy.reply(3, 8)

    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_reply_that_nobody_awaits_gives_nothing_back(busy: Line) -> None:
    assert busy.reply(99, 8) is Reaction.WAITING
    assert busy.call(9) == OVERRUN


def test_second_reply_gives_nothing_back(busy: Line) -> None:
    busy.reply(3, 8)
    busy.reply(3, 8)

    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_larger_grant_counts_at_once(busy: Line) -> None:
    busy.reply(3, 10)

    assert [busy.call(xid) for xid in (9, 10, 11)] == [[]] * 3
    assert busy.call(12) == OVERRUN


def test_call_that_crosses_a_smaller_grant_is_good(busy: Line) -> None:
    busy.reply(1, 8)
    busy.reply(2, 2)

    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_smaller_grant_holds_once_it_has_been_seen(busy: Line) -> None:
    busy.reply(1, 8)
    busy.reply(2, 2)
    busy.tracker.settled()

    assert busy.call(9) == OVERRUN


def test_smaller_grant_leaves_room_when_calls_are_answered(busy: Line) -> None:
    for xid in range(1, 8):
        busy.reply(xid, 2)
    busy.tracker.settled()

    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_grant_of_zero_leaves_the_former_limit(busy: Line) -> None:
    busy.reply(1, 0)

    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_value_requested_is_a_limit_too(line: Line) -> None:
    line.call(100, 2)
    line.reply(100, 8)

    assert [line.call(xid, 2) for xid in (1, 2)] == [[]] * 2
    assert line.call(3, 2) == ["3.3.1.new-calls-within-lower-value"]


def test_message_that_may_end_a_call_makes_it_doubtful(busy: Line) -> None:
    """An undecodable RDMA_ERROR: the Requester may wait on, or not (D-132)."""
    broken = error(3)[:16] + (7).to_bytes(4)
    busy.tracker.answered(broken)

    assert busy.call(3) == []  # may have been ended, and its XID be free again
    assert busy.call(9) == OVERRUN


def test_call_that_is_sent_again_after_an_error(line: Line) -> None:
    line.call(1)
    line.tracker.answered(error(1))

    assert line.call(1) == ["4.5.error-is-permanent"]


def test_messages_that_nobody_answers_take_no_credit(line: Line) -> None:
    done = encode_header(TransportHeader(1, 1, 1, RdmaDone())) + bytes(12)
    line.tracker.judge(done, None)

    assert line.tracker.state.outstanding == ()
    assert line.call(1) == []


def test_reply_that_may_be_dropped_leaves_either_grant(busy: Line) -> None:
    """Two XIDs that differ (D-12): who drops it goes on with what was granted before."""
    other = rpc.encode_message(rpc.accepted(99))
    busy.tracker.answered(plain(1, 2, other))
    busy.tracker.settled()

    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_reply_settles_a_call_that_may_have_been_over(busy: Line) -> None:
    """Then a second Reply to it is about nothing, and its grant binds nobody."""
    busy.tracker.answered(error(3)[:16] + (7).to_bytes(4))
    busy.reply(3, 8)

    assert busy.tracker.state.call(3) is None
    assert busy.reply(3, 1) is Reaction.WAITING
    assert busy.call(9) == []
    assert busy.call(10) == OVERRUN


def test_each_send_of_a_call_takes_a_credit(line: Line) -> None:
    """Three Sends and two go into a grant of five, one more does not; a reply gives all back."""
    line.call(100)
    line.reply(100, 5)
    line.tracker.settled()
    for xid, sends in ((1, 3), (2, 2)):
        payload = calls.null(xid)
        assert line.tracker.judge(plain(xid, 32, payload), payload, sends) == ()
    assert line.tracker.state.views[-1].headroom == 0
    assert line.call(3) == ["3.3.1.no-call-beyond-the-grant"]

    line.reply(1, 5)
    line.tracker.settled()
    assert line.tracker.state.views[-1].headroom == 2


# -- transmission groups

LONG = calls.long_reply(XID, 9000)
PARTS = response(calls.expected_reply(LONG))


def awaiting() -> RequesterTracker:
    """A Requester that has made a request in a group, whose response has three transmissions."""
    tracker = RequesterTracker(upper_layer=TestProgram(), operations=OPERATIONS)
    tracker.state = ROOMY
    assert tracker.judge_group(request(LONG, rsbuf=3), LONG) == ()
    return tracker


def answered(tracker: RequesterTracker, group: GroupDraft) -> list[set[Reaction]]:
    return [set(tracker.answered(message.octets).reactions) for message in group.messages]


def test_a_group_takes_a_credit_for_each_send() -> None:
    long_call = calls.long_call(XID, bytes(9000))
    tracker = RequesterTracker(upper_layer=TestProgram(), operations=OPERATIONS)
    tracker.state = ROOMY

    tracker.judge_group(request(long_call), long_call)

    assert tracker.state.views[-1].in_flight == 3


def test_the_last_transmission_of_a_response_ends_its_call() -> None:
    tracker = awaiting()

    reactions = answered(tracker, PARTS)

    assert reactions == [{Reaction.WAITING}, {Reaction.WAITING}, {Reaction.COMPLETED}]
    assert (tracker.state.outstanding, tracker.state.views[-1].in_flight) == ((), 0)
    assert tracker.state.faulty == frozenset()


def test_a_broken_response_leaves_its_call_in_doubt() -> None:
    tracker = awaiting()

    *_, last = answered(tracker, PARTS.in_order(0, 2))

    assert last == {Reaction.WAITING, Reaction.FAILED, Reaction.CLOSED}
    (call,) = tracker.state.outstanding
    assert call.doubtful
    assert tracker.state.faulty == {XID}


def test_what_breaks_a_response_may_end_its_call_as_well() -> None:
    null = calls.null(XID)
    tracker = RequesterTracker(upper_layer=TestProgram(), operations=OPERATIONS)
    tracker.state = ROOMY
    tracker.judge_group(request(null), null)
    good = response(calls.expected_reply(null))
    tracker.answered(good.with_contents(0, optxrs_count=2).messages[0].octets)

    found = tracker.answered(good.messages[0].octets)

    assert found.reactions == set(Reaction)
    assert "broken group" in found.fault


def test_a_response_that_cannot_be_used_is_faulty() -> None:
    tracker = awaiting()

    answered(tracker, response(calls.null(XID)))

    assert tracker.state.faulty == {XID}


def test_without_the_operations_each_send_is_a_message() -> None:
    tracker = awaiting()
    without = RequesterTracker(upper_layer=TestProgram())
    without.state = tracker.state

    found = without.answered(PARTS.messages[0].octets)

    assert found.reactions == {Reaction.WAITING, Reaction.FAILED, Reaction.CLOSED}
