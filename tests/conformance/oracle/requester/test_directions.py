"""What a request says of its results, and provides for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.groups.taken import TAKEN
from conformance.oracle.announced import NOTHING_TOLD
from conformance.oracle.requester.directions import judge_directions
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    ResponseItem,
    ResponseRange,
    ResponseSet,
)
from tests.conformance.oracle.requester.group_fakes import ROOMY, XID, ids, request

if TYPE_CHECKING:
    from conformance.oracle.requester.state import RequesterState
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.wire._generated_rtrext import ResponseDirection

SIZE = 6000
FETCH = calls.fetch(XID, SIZE)
LARGEST = 6000
MEMORY = (RdmaSegment(1, LARGEST, 0),)
WHOLE = ResponseRange(0, 2**32 - 1)


def directed(*ways: ResponseDirection, where: ResponseRange = WHOLE) -> ResponseSet:
    return ResponseSet(where, tuple(ResponseItem(0, way) for way in ways))


def judged(
    *sets: ResponseSet, rsbuf: int = 2, call: bytes = FETCH, state: RequesterState = ROOMY
) -> list[BrokenRule]:
    group = request(call, rsd=sets, rsbuf=rsbuf)
    return list(judge_directions(group, call, state))


@pytest.mark.parametrize(
    "way",
    [DirectToSends(), DirectByChoice(MEMORY), DirectBySize(4000, MEMORY)],
)
def test_a_good_direction_breaks_nothing(way: ResponseDirection) -> None:
    assert judged(directed(way)) == []


def test_nothing_is_directed_where_there_are_no_results() -> None:
    assert judged(rsbuf=0, call=calls.null(XID)) == []


@pytest.mark.parametrize(
    ("ranges", "rule"),
    [
        ([(0, 100), (100, 200)], None),
        ([(0, 100), (99, 200)], "rtrext.7.4.ranges-are-disjoint"),
        ([(100, 200), (0, 100)], "rtrext.7.4.ranges-ascend"),
        ([(0, 100), (0, 100)], "rtrext.7.4.ranges-are-disjoint"),
    ],
)
def test_ranges_are_apart_and_ascend(ranges: list[tuple[int, int]], rule: str | None) -> None:
    sets = [directed(DirectToSends(), where=ResponseRange(*one)) for one in ranges]

    assert ids(judged(*sets)) == ([] if rule is None else [rule])


@pytest.mark.parametrize(
    ("way", "rule"),
    [
        (DirectToExplicitRdma, "rtrext.7.4.exrw-direction-offers-memory"),
        (DirectByChoice, "rtrext.6.2.choice-comes-with-memory"),
        (
            lambda memory: DirectBySize(0, memory),
            "rtrext.7.4.bysize-direction-offers-memory",
        ),
    ],
)
@pytest.mark.parametrize("memory", [(), (RdmaSegment(1, LARGEST - 1, 0),)])
def test_memory_is_offered_for_the_largest_result(
    way: type[DirectToExplicitRdma], rule: str, memory: tuple[RdmaSegment, ...]
) -> None:
    state = replace(ROOMY, told=replace(TAKEN, structure=None))

    assert rule in ids(judged(directed(way(memory)), state=state))


def test_of_several_ranges_it_is_not_known_what_meets_a_direction() -> None:
    small = directed(DirectByChoice((RdmaSegment(1, 1, 0),)), where=ResponseRange(0, 4))
    other = directed(DirectToSends(), where=ResponseRange(4, 8))

    assert judged(small, other) == []


def test_memory_is_offered_once() -> None:
    twice = directed(DirectByChoice(MEMORY), DirectByChoice(MEMORY))

    (rule,) = judged(twice, call=calls.fetch_two(XID, 3000, 3000))

    assert "rfc8166.3.4.4.4.one-item-in-a-chunk" in rule.ids


def test_who_has_no_targets_directs_to_memory() -> None:
    state = replace(ROOMY, told=replace(NOTHING_TOLD, octets=8192))

    (rule,) = judged(directed(DirectToSends()), state=state)

    assert rule.ids == ("rtrext.5.3.unprepared-requester-directs-explicit-rdma",)
    assert rule.severity is Verdict.WARN


def test_who_has_targets_says_so() -> None:
    (rule,) = judged(directed(DirectToExplicitRdma(MEMORY)))

    assert rule.ids == ("rtrext.5.3.prepared-requester-says-so",)
    assert rule.severity is Verdict.WARN


def test_results_that_may_be_long_have_directions() -> None:
    (rule,) = judged()

    assert rule.ids == ("rtrext.7.1.requests-direct-bulk-results",)
    assert rule.severity is Verdict.WARN


@pytest.mark.parametrize(("rsbuf", "is_enough"), [(0, False), (1, True), (2, True)])
def test_the_longest_response_has_room(rsbuf: int, is_enough: bool) -> None:  # a table
    """D-97: one more transmission than was told of is lawful by the other reading."""
    found = judged(rsbuf=rsbuf, call=calls.long_reply(XID, SIZE))

    assert [rule.ids[-1] for rule in found] == (
        [] if is_enough else ["rfc8166.6.2.reply-resources-for-the-maximum"]
    )


def test_without_a_binding_nothing_is_said_of_room() -> None:
    state = replace(ROOMY, upper_layer=None)

    assert judged(rsbuf=0, state=state) == []


def test_nothing_is_said_of_a_call_that_has_no_results() -> None:
    group = request(FETCH)

    assert list(judge_directions(group, FETCH[:41], ROOMY)) == []
