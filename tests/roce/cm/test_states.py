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


@pytest.mark.parametrize("state", set(CmState) - OVER, ids=lambda state: state.name)
def test_every_connection_can_be_abandoned(state: CmState) -> None:
    """Whatever a peer does, a side gets rid of it."""
    assert MOVES[state, CmInput.ABANDON].target is CmState.IDLE


@pytest.mark.parametrize("state", TIMED, ids=lambda state: state.name)
def test_no_wait_is_for_ever(state: CmState) -> None:
    """Where a timer runs, its end leads on; only the time wait has no tries."""
    assert MOVES[state, CmInput.EXHAUSTED].target in OVER
    assert ((state, CmInput.TIMEOUT) in MOVES) is (state is not CmState.TIME_WAIT)


@pytest.mark.parametrize("state", set(CmState) - TIMED, ids=lambda state: state.name)
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
