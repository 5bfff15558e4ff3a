"""Calls that go as transmission groups: their credits, and what answers them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import CallFailed, Failure
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import reduce
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaNomsg, RdmaSegment, WriteChunk, decode_header, v2
from rpcrdma.wire._generated_rtrext import (
    ROPT_XMTRESP,
    BadOffset,
    BadTargetSegment,
    BadXid,
    ErrorInformation,
    InTargetedSegments,
    MessageItem,
    NoItem,
    PlacementType,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.groups import BARE, BULKY, OCTETS, announced
from tests.endpoint.lone_ends import (
    Lone,
    LoneRequester,
    continuation,
    in_two,
    option_of,
    plain_reply,
    reply_of,
    request,
    response,
)

BY_RDMA = replace(BULKY, direction=PlacementType.XMDTYPE_EXRW)
"""Results go into memory, although the Receives have targets."""

CHOICE = replace(BULKY, direction=PlacementType.XMDTYPE_CHOICE)
"""Results go either way."""

LONG = calls.long_call(7, pattern(5000))
FETCH = calls.fetch(7, 20_000)
NOTHING_PLACED = (MessageItem(0, 0, NoItem()),)
WHOLE = response(7, calls.expected_reply(FETCH)[:1000], NOTHING_PLACED)


def test_response_to_a_call_that_is_not_sent_yet_is_nobodys() -> None:
    """Its memory is not even registered."""
    end = LoneRequester(BY_RDMA, BULKY)
    end.slow = True
    assert end.asks(FETCH) == []

    assert end.hears(WHOLE) == []
    assert end.told == []


def test_response_to_a_call_that_is_over_but_for_its_memory_is_nobodys() -> None:
    """The application has given it up; what the first response returns is its credit."""
    end = LoneRequester(BY_RDMA, BULKY)
    end.asks(FETCH)
    end.slow = True
    end.does(events.CallCancelled(7))
    end.hears(WHOLE, WHOLE)

    assert (end.outstanding, end.told) == (0, [])
    end.catch_up()
    assert end.told == [CallFailed(7, Failure.CANCELLED)]


CALLS_IN_GROUPS = {
    "a request": request(7, calls.null(7)),
    "a request that has a reply": request(7, calls.expected_reply(calls.null(7))),
    "a response that has a call": response(7, calls.null(7)),
}


@pytest.mark.parametrize("message", CALLS_IN_GROUPS.values(), ids=CALLS_IN_GROUPS)
def test_group_that_carries_a_call_answers_none(message: bytes) -> None:
    """bidir 1.3.4: its XID means another RPC."""
    end = LoneRequester(BULKY, BULKY)
    end.asks(FETCH)

    assert end.hears(message) == []
    assert (end.told, end.outstanding) == ([], 1)


def is_group(message: bytes) -> bool:
    """Whether a message begins a group."""
    return isinstance(v2.decode_header(message)[0].rdma_body, v2.Rdma2Optional)


def long_call(xid: int) -> bytes:
    """A call of three Sends."""
    return calls.long_call(xid, pattern(9000))


def test_group_takes_a_credit_for_each_send() -> None:
    """rtrext 4.3, D-109: and its response returns all of them."""
    end = LoneRequester(BARE, BARE)
    assert len(end.asks(long_call(7))) == end.outstanding == 3

    end.hears(response(7, calls.expected_reply(long_call(7))))
    assert (end.outstanding, reply_of(end)) == (0, calls.expected_reply(long_call(7)))


@pytest.mark.parametrize("granted", [1, 2])
def test_call_of_more_sends_than_credits_is_a_long_call(granted: int) -> None:
    """rtrext 4.3: continuation is never a must."""
    end = LoneRequester(BARE, BARE, granted=granted)
    (message,) = end.asks(long_call(7))

    assert isinstance(v2.decode_header(message)[0].rdma_body, v2.Rdma2Nomsg)


def test_requester_of_one_credit_reserves_receives_all_the_same() -> None:
    """rtrext 4.3: those are no credits."""
    end = LoneRequester(BARE, BARE, credits_=1)
    (message,) = end.asks(calls.long_reply(7, 8192))

    assert is_group(message)


def test_group_for_which_credits_are_lacking_is_made_otherwise() -> None:
    """rtrext 4.3: of two credits one is left, and the call after the group may be what frees it."""
    end = LoneRequester(BARE, BARE, granted=3)
    end.asks(calls.hold(7, 1))

    (message,) = end.asks(long_call(8))
    assert isinstance(v2.decode_header(message)[0].rdma_body, v2.Rdma2Nomsg)
    assert end.asks(calls.release(9, 1)) != []
    assert end.outstanding == 3


def test_group_waits_for_a_credit_as_any_call_does() -> None:
    """With the first that comes back it is made otherwise, as there are no more."""
    end = LoneRequester(BARE, BARE, granted=3)
    for xid in (7, 8, 9):
        end.asks(calls.null(xid))
    assert end.asks(long_call(10)) == []

    (message,) = end.hears(plain_reply(7, calls.expected_reply(calls.null(7)), 3))
    assert isinstance(v2.decode_header(message)[0].rdma_body, v2.Rdma2Nomsg)


def test_grant_that_shrinks_leaves_no_group_waiting() -> None:
    """It takes more credits than there ever may be."""
    end = LoneRequester(BARE, BARE, granted=4)
    for xid in (7, 8, 9, 10):
        end.asks(calls.null(xid))
    end.asks(long_call(11))

    sent = [
        message
        for xid in (7, 8, 9, 10)
        for message in list(end.hears(plain_reply(xid, calls.expected_reply(calls.null(xid)), 1)))
    ]
    assert [type(v2.decode_header(message)[0].rdma_body) for message in sent] == [v2.Rdma2Nomsg]


# -- responses

IN_TARGETS = calls.fetch(8, 2000)


def two_targets(*numbers: int, offset: int = 0) -> bytes:
    """A response to `IN_TARGETS` whose result is said to be in these target segments."""
    reply = calls.expected_reply(IN_TARGETS)
    (item,) = TestProgram().results(IN_TARGETS, reply)
    assert item is not None
    kept, (data,) = reduce(reply, (item,))
    entry = MessageItem(item.position, item.length, InTargetedSegments(offset, numbers))
    header = len(response(8, kept, [entry]))
    return response(8, kept, [entry], rest=bytes(1024 - header) + data)


def waiting() -> LoneRequester:
    """A Requester that waits for the result of `IN_TARGETS`."""
    end = LoneRequester(replace(BULKY, always=True), BULKY)
    end.asks(IN_TARGETS)
    return end


@pytest.mark.parametrize(
    ("message", "info"),
    [
        (two_targets(0, 3), BadTargetSegment(3, 0, 2)),
        (two_targets(0, 2), BadTargetSegment(2, 0, 0)),
        (two_targets(0, 1, offset=1024), BadOffset(1024, 0, 1023)),
    ],
)
def test_badly_placed_result_is_reported_and_the_call_stays_in_flight(
    message: bytes, info: ErrorInformation
) -> None:
    """rtrext 5.4: the Responder may reply again, as a group or otherwise."""
    end = waiting()
    end.posted = 0
    (report,) = end.hears(message)

    assert option_of(report) == ReptErr(TransmissionId(8, MessageType.REPLY, 0), None, info)
    header = v2.decode_header(report)[0]
    assert (header.rdma_xid, header.rdma_body.rdma_optdir) == (8, MessageType.REPLY)
    assert (end.posted, end.told, end.outstanding) == (1, [], 1)
    end.hears(two_targets(0, 1))
    assert (reply_of(end), end.outstanding) == (calls.expected_reply(IN_TARGETS), 0)


def test_report_of_a_continuation_by_another_xid_is_about_its_group() -> None:
    """rtrext 9.5: the transmission that began the group says which it is."""
    end = LoneRequester(BARE, BARE)
    assert len(end.asks(LONG)) == 2
    bad, lead = (TransmissionId(xid, MessageType.CALL, xid != 7) for xid in (6, 7))
    (long_call,) = end.hears(
        in_two(6, encode_option(MessageType.REPLY, ReptErr(bad, lead, BadXid(7, 6))))
    )
    assert isinstance(v2.decode_header(long_call)[0].rdma_body, v2.Rdma2Nomsg)


def test_reply_by_the_base_protocol_is_taken_after_a_report() -> None:
    """rtrext 5.4: with everything in its place; the memory that was offered holds nothing."""
    end = LoneRequester(replace(CHOICE, always=True), BULKY)
    end.asks(IN_TARGETS)
    assert len(end.hears(two_targets(0, 3))) == 1
    end.hears(plain_reply(8, calls.expected_reply(IN_TARGETS)))

    assert (reply_of(end), end.held) == (calls.expected_reply(IN_TARGETS), {})


def test_reply_by_the_base_protocol_answers_no_directions() -> None:
    """D-116."""
    end = waiting()
    end.hears(plain_reply(8, calls.expected_reply(IN_TARGETS)))

    assert failures(end) == [Failure.BAD_REPLY]


def test_memory_of_a_direction_is_no_write_chunk() -> None:
    """D-116: what was written there is told by an XMTRESP."""
    end = LoneRequester(replace(BY_RDMA, always=True), BULKY)
    end.asks(IN_TARGETS)
    (key,) = end.held
    memory = WriteChunk((RdmaSegment(key, 2000, 0),))
    body = v2.Rdma2Msg(MessageType.REPLY, (), (memory,), None)
    end.hears(in_two(8, body, calls.expected_reply(IN_TARGETS)[:-2000]))

    assert failures(end) == [Failure.BAD_REPLY]
    assert (end.held, end.outstanding) == ({}, 0)


def test_request_without_directions_may_be_answered_either_way() -> None:
    """D-116."""
    reply = calls.expected_reply(LONG)
    for answer in (plain_reply(7, reply), response(7, reply)):
        end = LoneRequester(BARE, BARE)
        assert is_group(end.asks(LONG)[0])
        end.hears(answer)
        assert reply_of(end) == reply


def test_group_answers_no_call_of_the_base_protocol() -> None:
    """D-116."""
    end = LoneRequester(BARE, BARE)
    end.asks(calls.null(7))
    end.hears(response(7, calls.expected_reply(calls.null(7))))

    assert failures(end) == [Failure.BAD_REPLY]


@pytest.mark.parametrize(("sends", "taken"), [(3, True), (4, True), (5, False)])
def test_response_may_have_one_transmission_more_than_was_told(sends: int, *, taken: bool) -> None:
    """D-97: three were told, which can be read as those beside the first."""
    end = LoneRequester(BARE, BARE)
    call = calls.long_reply(7, 8192)
    end.asks(call)
    end.hears(*in_parts(calls.expected_reply(call), sends))

    if taken:
        assert reply_of(end) == calls.expected_reply(call)
    else:
        assert failures(end) == [Failure.BAD_REPLY]
    assert end.outstanding == 0


@pytest.mark.parametrize("sends", [0, 1, 2, 3])
def test_response_has_one_transmission_where_none_was_reserved(sends: int) -> None:
    """D-97: 0 means 1, the transmission that every response has; by the other reading as well."""
    end = LoneRequester(BARE, BARE)
    end.asks(LONG)
    end.hears(*in_parts(calls.expected_reply(LONG), sends))

    refused = [] if sends == 1 else [Failure.BAD_REPLY]
    assert failures(end) == refused


def in_parts(reply: bytes, sends: int) -> list[bytes]:
    """A response of so many Sends; 0: of one, that counts none."""
    step = -(-len(reply) // max(1, sends) // 4) * 4
    parts = [reply[start : start + step] for start in range(0, len(reply), step)]
    assert len(parts) == max(1, sends)
    first = response(7, parts[0], count=sends)
    later = enumerate(parts[1:], start=1)
    return [first, *(continuation(7, number, part, MessageType.REPLY) for number, part in later)]


def failures(end: LoneRequester) -> list[Failure]:
    """Why its calls have failed."""
    return [event.failure for event in end.told if isinstance(event, CallFailed)]


def test_report_that_the_peer_has_no_room_for_ends_the_connection() -> None:
    """D-142."""
    end = waiting()
    end.requester.heed(TWO.number, 56, announced(BULKY))

    assert end.hears(two_targets(0, 3)) == []
    assert end.closed


def test_version_one_knows_no_groups() -> None:
    """rtrext 1.3, D-147: whatever the reductions are, and whatever a peer of Version Two tells."""
    requester = Requester(RequesterOptions(reductions=replace(BULKY, always=True)))
    requester.heed(TWO.number, OCTETS, announced(BULKY))
    end = Lone(Endpoint(requester))
    end.does(events.CallRequested(7, TestProgram(), LONG))

    (message,) = end.sent
    assert isinstance(decode_header(message)[0].rdma_body, RdmaNomsg)


def test_peer_without_the_operations_gets_no_group() -> None:
    """rtrext 5: nor one that has told of nothing."""
    for peer in (NO_REDUCTIONS, replace(BULKY, operations=frozenset({ROPT_XMTRESP}))):
        end = LoneRequester(replace(BULKY, always=True), peer)
        assert not is_group(end.asks(calls.null(7))[0])
