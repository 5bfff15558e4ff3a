"""Which calls go as groups, and what they provide for their responses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.core.reductions import ALL_OPERATIONS, Reductions
from rpcrdma.endpoint.requester.group_plan import Direction, GroupPlan, GroupPlanner, Response
from rpcrdma.endpoint.requester.plan import ReadPlan
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire._generated_rtrext import PlacementType
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTREQ, ROPT_XMTRESP
from rpcrdma.wire.send_placement import BulkItem
from tests.endpoint.groups import BARE, BULKY, OCTETS, announced

if TYPE_CHECKING:
    from rpcrdma.endpoint.properties.values import PropertyValues

TEST = TestProgram()
CREDITS = 32
EXRW, TBSN = PlacementType.XMDTYPE_EXRW, PlacementType.XMDTYPE_TBSN
LONG_CALL = calls.long_call(7, pattern(9000))
LONG_REPLY = calls.long_reply(7, 8192)


def planner(own: Reductions, peer: PropertyValues, segment: int = 2**20) -> GroupPlanner:
    made = GroupPlanner(own, segment, OCTETS)
    made.heed(OCTETS, peer)
    return made


def plan(
    call: bytes, own: Reductions, peer: Reductions = BULKY, receives_left: int = 64
) -> GroupPlan | None:
    """What becomes of a call."""
    return planned(planner(own, announced(peer)), call, receives_left)


def planned(made: GroupPlanner, call: bytes, receives_left: int = 64) -> GroupPlan | None:
    items, expectation = TEST.arguments(call), TEST.expectation(call)
    return made.plan(call, items, expectation, CREDITS, receives_left)


def response(call: bytes, own: Reductions, **changes: int) -> Response:
    """What a call provides for its response; the Responder may send so many transmissions."""
    made = plan(call, own, replace(BULKY, **changes))
    assert made is not None
    return made.response


@pytest.mark.parametrize("call", [LONG_CALL, LONG_REPLY])
def test_nothing_is_a_group_before_the_peer_has_told_that_it_understands_requests(
    call: bytes,
) -> None:
    """rtrext 8.2, D-107; nor after it has refused one."""
    made = planner(BULKY, announced(replace(BULKY, operations=frozenset({ROPT_XMTRESP}))))
    assert not made.is_possible
    made.heed(OCTETS, announced(BULKY))
    assert made.is_possible
    assert planned(made, call) is not None
    made.is_refused = True
    assert not made.is_possible


@pytest.mark.parametrize("lacking", [ROPT_XMTREQ, ROPT_XMTRESP])
def test_nothing_is_a_group_without_both_operations_here(lacking: int) -> None:
    """D-116: any request may be answered by an XMTRESP."""
    own = replace(BULKY, operations=ALL_OPERATIONS - {lacking})
    assert not planner(own, announced(BULKY)).is_possible


def test_what_one_send_carries_either_way_is_no_group() -> None:
    """An RDMA2_MSG does it; unless every request is to be one."""
    assert plan(calls.null(7), BULKY) is None
    assert plan(calls.null(7), replace(BULKY, always=True)) is not None


def test_request_keeps_to_the_limits_of_both_ends_and_to_the_credits() -> None:
    """rtrext 4.3, 8.4."""
    most = [
        plan(LONG_CALL, replace(BULKY, send_limit=own), replace(BULKY, request_limit=limit))
        for own, limit in ((5, 9), (9, 5), (99, 99))
    ]
    assert [made.most for made in most if made is not None] == [5, 5, CREDITS]


@pytest.mark.parametrize(("own", "peer"), [(0, 1), (1, 0)])
def test_request_has_one_transmission_without_continuations_at_both_ends(
    own: int, peer: int
) -> None:
    """rtrext 5.1."""
    without = replace(BULKY, operations=ALL_OPERATIONS - {ROPT_XMTCONT})
    made = plan(LONG_CALL, (BULKY, without)[own], (BULKY, without)[peer])

    assert made is not None
    assert made.most == 1


def test_arguments_go_by_sends_where_the_peer_has_targets_and_else_by_explicit_rdma() -> None:
    """rtrext 5.3."""
    call = calls.store_two(7, pattern(5000), b"and", pattern(3000))
    data = (pattern(5000), pattern(3000))
    by_sends, by_rdma = plan(call, BARE, BULKY), plan(call, BULKY, BARE)

    assert by_sends is not None
    assert by_rdma is not None
    assert by_sends.payload == by_rdma.payload
    positions = [item.position for item in TEST.arguments(call)]
    assert by_sends.entries == tuple(map(BulkItem, positions, data))
    assert (
        by_rdma.entries
        == by_rdma.reads
        == tuple(
            ReadPlan(position, (octets,)) for position, octets in zip(positions, data, strict=True)
        )
    )
    assert by_sends.reads == ()


def test_arguments_of_a_call_that_fits_are_taken_out_where_every_request_is_a_group() -> None:
    """Otherwise it is none."""
    call = calls.store(7, pattern(100))
    taken = plan(call, replace(BULKY, always=True))

    assert plan(call, BULKY) is None
    assert taken is not None
    assert len(taken.entries) == 1


@pytest.mark.parametrize("kind", [None, TBSN, PlacementType.XMDTYPE_CHOICE])
def test_results_are_directed_as_the_end_wants(kind: PlacementType | None) -> None:
    """rtrext 5.3: by default to Sends; what may go by explicit RDMA comes with memory."""
    memory = () if kind in (None, TBSN) else (9000,)
    made = response(calls.fetch(7, 9000), replace(BULKY, direction=kind))

    assert made.directions == (Direction(kind or TBSN, memory),)


@pytest.mark.parametrize("kind", [None, *PlacementType])
def test_results_go_by_explicit_rdma_without_targets(kind: PlacementType | None) -> None:
    """rtrext 5.3: an unprepared Requester shows no target, and directs accordingly."""
    made = response(calls.fetch(7, 9000), replace(BARE, direction=kind))

    assert made == Response((Direction(EXRW, (9000,)),), 0, 0)


def test_memory_of_a_direction_takes_whatever_may_meet_it() -> None:
    """A later and larger result, if the earlier one has no item; in segments that can be had."""
    made = planner(BARE, announced(BULKY), segment=4000)
    found = planned(made, calls.fetch_two(7, 1000, 9000))

    assert found is not None
    assert found.response.directions == (Direction(EXRW, (4000, 4000, 1000)),) * 2


def test_one_receive_more_is_reserved_than_is_told() -> None:
    """D-97: the first is that of the call's credit; a count may be that of additional ones."""
    made = response(LONG_REPLY, BARE)

    assert (made.told, made.reserved) == (3, 3)


@pytest.mark.parametrize(
    ("own", "limit", "receives_left"),
    [
        (BARE, 2, 64),
        (BARE, 16, 2),
        (BARE, 1, 64),
        (BARE, 16, 0),
        (replace(BARE, operations=ALL_OPERATIONS - {ROPT_XMTCONT}), 16, 64),
    ],
)
def test_call_whose_response_may_be_too_long_is_no_group(
    own: Reductions, limit: int, receives_left: int
) -> None:
    """rtrext 5.2, D-96: there is no Reply chunk in a request; of three transmissions."""
    assert plan(LONG_REPLY, own, replace(BULKY, response_limit=limit), receives_left) is None


def test_number_of_receives_that_are_left_counts_for_each_call() -> None:
    """rtrext 4.3: also for two that expect the very same reply."""
    made, expectation = planner(BARE, announced(BULKY)), TEST.expectation(LONG_REPLY)

    assert made.plan(LONG_REPLY, (), expectation, CREDITS, 3) is not None
    assert made.plan(LONG_REPLY, (), expectation, CREDITS, 2) is None
    assert made.plan(LONG_REPLY, (), expectation, CREDITS, 3) is not None


def test_arguments_of_a_call_that_fits_stay_although_its_results_are_directed() -> None:
    """A group for its response alone: of an operation that has both."""
    call = calls.store(7, pattern(100))
    made = planner(BULKY, announced(BULKY))
    found = made.plan(call, TEST.arguments(call), ReplyExpectation(9000, (8000,)), CREDITS, 64)

    assert found is not None
    assert (found.payload, found.entries) == (call, ())


def test_call_with_a_short_reply_needs_no_reserve() -> None:
    """rtrext 4.3."""
    made = plan(LONG_CALL, BARE, BULKY, 0)

    assert made is not None
    assert made.response == Response()


def test_shorter_receives_make_responses_longer() -> None:
    """xcharext 3.1: Receives that are posted from now on; they do not grow again."""
    made = planner(BARE, announced(BULKY))

    def told() -> int:
        found = planned(made, LONG_REPLY)
        assert found is not None
        return found.response.told

    assert told() == 3
    made.post_from_now(2048)
    assert told() == 5
    made.post_from_now(8192)
    assert told() == 5


@pytest.mark.parametrize(
    ("call", "shortest", "told"),
    [
        (calls.fetch(7, 9000), 9000, 0),
        (calls.fetch(7, 9000), 9001, 3),
        (calls.fetch_union(7, 9000, None), 9000, 3),
    ],
    ids=["placed", "too short", "perhaps too short"],
)
def test_result_that_may_be_too_short_to_be_placed_has_room_in_the_stream(
    call: bytes, shortest: int, told: int
) -> None:
    """rtrext 7.4: below the length of its direction it is not taken out."""
    assert response(call, replace(BARE, shortest=shortest)).told == told
