"""The right response to a request in a group, for each way in which results can be directed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.groups.answering import GroupAnswer, respond
from conformance.groups.taken import TAKEN
from conformance.oracle.announced import NOTHING_TOLD, Announced
from conformance.tester.server.received import ReceivedCall
from conformance.tester.server.reply import ReplyPlacement
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TooShort,
)
from tests.conformance.oracle.requester.group_fakes import XID, request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire._generated_rtrext import ResponseDirection

SIZE = 3000
FETCH = calls.fetch(XID, SIZE)
TWO = calls.fetch_two(XID, SIZE, SIZE)
MEMORY = (RdmaSegment(1, 2000, 64), RdmaSegment(2, 4000, 0))
WHOLE = ResponseRange(0, 2**32 - 1)


def directed(*ways: ResponseDirection, shortest: int = 0) -> ResponseSet:
    return ResponseSet(WHOLE, tuple(ResponseItem(shortest, way) for way in ways))


def answered(
    *sets: ResponseSet,
    call: bytes = FETCH,
    told: Announced = TAKEN,
    origins: Sequence[int] = (),
    **chosen: bool,
) -> GroupAnswer:
    group = request(call, rsd=sets, rsbuf=8)
    received = ReceivedCall(1, 0, b"", group.header, call, call, group=group)
    received.octets = group.arrived.octets
    reply = calls.expected_reply(call)
    slots = TestProgram().results(call, reply)
    return respond(received, reply, slots, origins, told, 8, **chosen)


def kinds(answer: GroupAnswer) -> list[type[object]]:
    return [type(item.xmdmi_where) for item in answer.group.items]


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        (DirectToExplicitRdma(MEMORY), ByExplicitRdma),
        (DirectToSends(), InTargetedSegments),
        (DirectByChoice(MEMORY), InTargetedSegments),
        (DirectBySize(SIZE, MEMORY), InTargetedSegments),
        (DirectBySize(SIZE - 1, MEMORY), ByExplicitRdma),
    ],
)
def test_a_result_goes_where_it_is_directed(way: ResponseDirection, kind: type[object]) -> None:
    answer = answered(directed(way))

    assert kinds(answer) == [kind]
    assert answer.placed_octets == (SIZE if kind is InTargetedSegments else 0)


def test_what_goes_to_memory_fills_its_segments_in_order() -> None:
    answer = answered(directed(DirectToExplicitRdma(MEMORY)))

    data = calls.expected_reply(FETCH)[-SIZE:]
    filled = (RdmaSegment(1, 2000, 64), RdmaSegment(2, 1000, 0))
    (item,) = answer.group.items
    assert item.xmdmi_where == ByExplicitRdma(filled)
    assert answer.placements == (
        ReplyPlacement(1, 64, data[:2000]),
        ReplyPlacement(2, 0, data[2000:]),
    )


def test_a_choice_is_that_of_the_case() -> None:
    both = directed(DirectByChoice(MEMORY), DirectByChoice(MEMORY))

    assert kinds(answered(both, call=TWO, chooses_memory=True)) == [ByExplicitRdma] * 2
    assert kinds(answered(both, call=TWO, by_turns=True)) == [InTargetedSegments, ByExplicitRdma]


def test_without_targets_there_is_no_choice() -> None:
    told = replace(NOTHING_TOLD, octets=4096)

    assert kinds(answered(directed(DirectByChoice(MEMORY)), told=told)) == [ByExplicitRdma]
    assert kinds(answered(directed(DirectToSends()), told=told)) == [TooShort]


def test_a_short_result_stays_in_the_stream() -> None:
    answer = answered(directed(DirectToSends(), shortest=SIZE + 1))

    assert kinds(answer) == [TooShort]
    assert b"".join(answer.payload) == calls.expected_reply(FETCH)


def test_a_direction_too_many_has_no_item() -> None:
    answer = answered(directed(DirectToSends(), DirectToSends()))

    assert answer.group.items[1] == MessageItem(0, 0, NoItem())


def test_directions_are_for_what_is_in_their_range() -> None:
    first = ResponseSet(ResponseRange(0, 40), (ResponseItem(0, DirectToSends()),))
    second = ResponseSet(ResponseRange(40, 80), (ResponseItem(0, DirectToExplicitRdma(MEMORY)),))

    assert kinds(answered(first, second, call=TWO, origins=(0, 44))) == [
        InTargetedSegments,
        ByExplicitRdma,
    ]
    assert kinds(answered(first, second, call=TWO, origins=(44, 48))) == [NoItem, ByExplicitRdma]


def test_without_directions_the_response_is_the_reply() -> None:
    answer = answered()

    assert (answer.group.items, b"".join(answer.payload)) == ((), calls.expected_reply(FETCH))


def test_what_is_no_group_has_no_response() -> None:
    plain = ReceivedCall(1, 0, b"", None, FETCH, FETCH)

    with pytest.raises(ValueError, match="is no group"):
        respond(plain, b"", (), (), TAKEN, 8)


def test_a_response_can_be_changed() -> None:
    answer = answered(directed(DirectToSends()))

    changed = answer.changed(lambda group: group.with_contents(0, optxrs_pslen=0))

    assert changed.sends != answer.sends
    assert (changed.granted, changed.invalidate) == (8, None)
