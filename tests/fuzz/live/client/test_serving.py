"""A turn comes to its end, whatever it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.live.client.moves import ServedTurn
from fuzz.live.client.recipes import Turn
from fuzz.live.client.serving import serve_turn
from fuzz.live.move import Move
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server.harness import ClientHarness
    from targets.base import RunningAct


def served(harness: ClientHarness, turn: Turn) -> tuple[ServedTurn, RunningAct]:
    harness.begin()
    state = ServedTurn(harness.ready())
    act = harness.client.begin(turn.act, turn.length, turn.count)
    serve_turn(state, act, turn, harness.session.fabric.clock, 0.05, 0.5)
    return state, act


def test_a_call_that_must_wait_gets_its_reply_when_nothing_else_comes(
    harness_of: Callable[[str], ClientHarness],
) -> None:
    harness = harness_of("reference-client")
    turn = Turn(ActKind.READ, 100, answers=((Move("useless"),),))
    state, act = served(harness, turn)
    result = act.poll()
    assert result is not None
    assert result.done
    assert not state.costs


def test_calls_that_are_held_are_answered_after_the_others(
    harness_of: Callable[[str], ClientHarness],
) -> None:
    harness = harness_of("reference-client")
    turn = Turn(ActKind.MANY, count=3, answers=((Move("hold"),), (Move("hold"),)))
    served(harness, turn)
    replies = [event.data for event in harness.trace.events if event.kind.value == "Send"]
    order = [int.from_bytes(octets[:4], "big") for octets in replies][-3:]
    calls = [call.xid for call in harness.service.received][-3:]
    assert order == [calls[2], calls[0], calls[1]]


def test_a_client_that_gets_no_reply_is_given_all_its_time(
    harness_of: Callable[[str], ClientHarness],
) -> None:
    """That of the reference waits for ever; the connection ends when the deadline is over."""
    harness = harness_of("reference-client")
    state, act = served(harness, Turn(answers=((Move("silence"),),)))
    began = harness.case.opened
    assert harness.session.fabric.clock.now() - began >= harness.profile.deadline
    assert state.costs
    assert act.poll() is None
    assert not harness.service.connected


def test_moves_are_for_the_calls_that_they_name(
    harness_of: Callable[[str], ClientHarness],
) -> None:
    harness = harness_of("reference-client")
    turn = Turn(ActKind.MANY, count=2, answers=((), (Move("err-chunk"),)))
    _, act = served(harness, turn)
    result = act.poll()
    assert result is not None
    assert not result.done


def test_who_waits_on_a_connection_where_nothing_comes_gets_another(
    harness_of: Callable[[str], ClientHarness],
) -> None:
    """Calls come under an XID of their own; the answer under another is none."""
    harness = harness_of("mutant:drops-long-replies")
    state, act = served(harness, Turn(ActKind.LONG_REPLY))
    assert state.costs
    assert act.poll() is None
    assert not harness.service.connected


def test_a_move_that_there_is_not_is_refused(harness_of: Callable[[str], ClientHarness]) -> None:
    turn = Turn(answers=((Move("sing"),),))
    with pytest.raises(BadInput, match="there is no move `sing`"):
        served(harness_of("reference-client"), turn)
