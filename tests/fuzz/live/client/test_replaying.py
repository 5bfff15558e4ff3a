"""Kept turns, taken again at clients."""

from __future__ import annotations

import pytest

from conformance.bad_input import BadInput
from conformance.explore.finding import Finding
from fuzz.live.causes import problems_of
from fuzz.live.client.recipes import WAY, Turn, input_of
from fuzz.live.client.replaying import replay_turns
from fuzz.live.move import Move
from targets.registry import find_any_target

MSGP = Finding(WAY, octets=input_of([Turn(answers=((Move("useless", 11),),))]))


def test_a_client_that_breaks_a_rule_does_so_again() -> None:
    execution = replay_turns(find_any_target("mutant:takes-msgp"), MSGP, destructive=False)
    assert [fired.what for fired in execution.outcomes] == ["small; call 1: useless 11 0"]
    (problem,) = problems_of(execution)
    assert "RDMA_MSGP" in problem


def test_one_that_keeps_it_has_no_problem() -> None:
    execution = replay_turns(find_any_target("reference-client"), MSGP, destructive=False)
    assert problems_of(execution) == ()


def test_a_server_and_what_holds_no_turns_are_refused() -> None:
    with pytest.raises(BadInput, match="`reference` is a server: name a client"):
        replay_turns(find_any_target("reference"), MSGP, destructive=False)
    with pytest.raises(BadInput, match="no turn of a client"):
        replay_turns(
            find_any_target("reference-client"), Finding(WAY, octets=b"\0\1x"), destructive=False
        )
