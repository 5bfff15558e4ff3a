"""The table of moves as such; what its actions do is tried in test_handshake.py."""

from __future__ import annotations

import pytest

from rpcrdma.roce.cm.states import (
    ACTS,
    HALF_OPEN,
    MOVES,
    OVER,
    TIMED,
    CmAction,
    CmInput,
    CmState,
)

OF_TIME = {CmInput.TIMEOUT, CmInput.EXHAUSTED}
ENDS = {CmAction.TELL_REJECTED, CmAction.TELL_DISCONNECTED, CmAction.TELL_UNREACHABLE}


def test_every_state_can_be_reached() -> None:
    reached = {CmState.IDLE}
    while more := {m.target for (state, _), m in MOVES.items() if state in reached} - reached:
        reached |= more

    assert reached == set(CmState)


@pytest.mark.parametrize(
    "state", sorted(set(CmState) - OVER, key=str), ids=lambda state: state.name
)
def test_every_connection_can_be_abandoned(state: CmState) -> None:
    """Whatever a peer does, a side gets rid of it."""
    assert MOVES[state, CmInput.ABANDON].target is CmState.IDLE


@pytest.mark.parametrize("state", sorted(TIMED, key=str), ids=lambda state: state.name)
def test_no_wait_is_for_ever(state: CmState) -> None:
    """Where a timer runs, its end leads on; only the time wait has no tries."""
    assert MOVES[state, CmInput.EXHAUSTED].target in OVER
    assert ((state, CmInput.TIMEOUT) in MOVES) is (state is not CmState.TIME_WAIT)


@pytest.mark.parametrize(
    "state", sorted(set(CmState) - TIMED, key=str), ids=lambda state: state.name
)
def test_time_means_nothing_where_nothing_is_awaited(state: CmState) -> None:
    assert not [happened for happened in OF_TIME if (state, happened) in MOVES]


def test_what_is_over_stays_over() -> None:
    """But for a connection that begins."""
    begin = {(CmState.IDLE, CmInput.CONNECT), (CmState.IDLE, CmInput.REQ)}
    revived = {pair for pair, move in MOVES.items() if pair[0] in OVER and move.target not in OVER}

    assert revived == begin


def test_an_end_that_the_side_did_not_ask_for_is_told() -> None:
    """Who ends a connection itself knows; DISCONNECTED confirms that the peer knows, too."""
    silent = {
        pair
        for pair, move in MOVES.items()
        if pair[0] not in OVER and move.target in OVER and not ENDS & set(move.actions)
    }

    assert {happened for _, happened in silent} <= ACTS


def test_nothing_is_told_after_the_end() -> None:
    told = {CmAction.TELL_REQUEST, CmAction.TELL_REPLY, CmAction.TELL_ESTABLISHED} | ENDS

    assert not [
        pair
        for pair, move in MOVES.items()
        if pair[0] is CmState.TIME_WAIT and told & set(move.actions)
    ]


def test_a_message_of_the_peer_makes_a_connection_only_after_an_act_of_this_side() -> None:
    """ESTABLISHED is reached from states in which this side has accepted, or is ready."""
    sources = {state for (state, _), move in MOVES.items() if move.target is CmState.ESTABLISHED}

    assert sources - {CmState.ESTABLISHED} == {
        CmState.REP_RCVD,
        CmState.MRA_REP_SENT,
        CmState.REP_SENT,
        CmState.RTU_WAIT,
    }


def test_an_answer_that_was_lost_is_given_again() -> None:
    """12.9.8: the duplicate of a message shows that its answer did not arrive."""
    again = {
        (CmState.REQ_RCVD, CmInput.REQ): CmAction.SEND_MRA,
        (CmState.MRA_REQ_SENT, CmInput.REQ): CmAction.SEND_MRA,
        (CmState.REP_SENT, CmInput.REQ): CmAction.SEND_AGAIN,
        (CmState.REP_RCVD, CmInput.REP): CmAction.SEND_MRA,
        (CmState.MRA_REP_SENT, CmInput.REP): CmAction.SEND_MRA,
        (CmState.ESTABLISHED, CmInput.REP): CmAction.SEND_RTU,
        (CmState.TIME_WAIT, CmInput.DREQ): CmAction.SEND_DREP,
    }

    assert {pair: MOVES[pair].actions for pair in again} == {
        pair: (action,) for pair, action in again.items()
    }


def test_half_open_are_the_requests_of_others() -> None:
    """From the request to the connection."""
    assert {MOVES[CmState.IDLE, CmInput.REQ].target} < HALF_OPEN
    assert not HALF_OPEN & OVER
    assert {MOVES[state, CmInput.REJECT].target for state in HALF_OPEN} == {CmState.IDLE}


LIVE = set(CmState) - OVER
PEER_KNOWN = LIVE - {CmState.REQ_SENT, CmState.REP_WAIT}
PEER_CONNECTED = PEER_KNOWN - {CmState.REQ_RCVD, CmState.MRA_REQ_SENT}
"""The peer has seen or sent a REP: it may believe that it is connected."""


def having(happened: CmInput) -> dict[CmState, CmState]:
    """State -> the next one, where this means something."""
    return {state: move.target for (state, one), move in MOVES.items() if one is happened}


@pytest.mark.parametrize("happened", [CmInput.REJ, CmInput.REJ_STALE], ids=lambda one: one.name)
def test_a_rejection_ends_whatever_is_not_over(happened: CmInput) -> None:
    """12.6.7: either side may reject at any time, and both do when they give up."""
    ends = having(happened)

    assert set(ends) == LIVE
    assert set(ends.values()) <= OVER
    assert {state for state in ends if ends[state] is CmState.TIME_WAIT} >= PEER_CONNECTED


def test_a_disconnection_ends_and_is_confirmed_wherever_the_peer_may_be_connected() -> None:
    ends = having(CmInput.DREQ)

    assert set(ends) == PEER_CONNECTED | {CmState.TIME_WAIT}
    assert set(ends.values()) == {CmState.TIME_WAIT}
    assert all(CmAction.SEND_DREP in MOVES[state, CmInput.DREQ].actions for state in ends)


def test_a_queue_pair_of_another_connection_ends_whatever_is_not_ending() -> None:
    """12.9.8.3.1: an established connection is disconnected as it should be."""
    ends = having(CmInput.STALE)

    assert set(ends) == PEER_KNOWN - {CmState.DREQ_SENT}
    assert {state for state in ends if ends[state] not in OVER} == {CmState.ESTABLISHED}
    assert ends[CmState.ESTABLISHED] is CmState.DREQ_SENT
    assert having(CmInput.REP_STALE) == dict.fromkeys(
        (CmState.REQ_SENT, CmState.REP_WAIT), CmState.TIME_WAIT
    )


@pytest.mark.parametrize(
    ("before", "after", "besides"),
    [
        (CmState.REQ_SENT, CmState.REP_WAIT, {CmInput.MRA}),
        (CmState.REP_RCVD, CmState.MRA_REP_SENT, set()),
        (CmState.REQ_RCVD, CmState.MRA_REQ_SENT, set()),
        (CmState.REP_SENT, CmState.RTU_WAIT, {CmInput.MRA, CmInput.REQ}),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_time_that_was_asked_for_changes_nothing_else(
    before: CmState, after: CmState, besides: set[CmInput]
) -> None:
    """With a MRA or without, the same messages and acts lead to the same; a peer that has
    deferred has seen the message, and need not have it again."""
    rows = [
        {happened: move for (state, happened), move in MOVES.items() if state is one}
        for one in (before, after)
    ]

    assert set(rows[0]) - set(rows[1]) == besides
    assert set(rows[1]) <= set(rows[0])
    assert all(rows[0][one] == rows[1][one] for one in rows[1] if one is not CmInput.TIMEOUT)
