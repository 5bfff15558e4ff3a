"""Kept steps, taken again at servers."""

from __future__ import annotations

import pytest

from conformance.bad_input import BadInput
from conformance.explore.finding import Finding
from fuzz.live.causes import problems_of
from fuzz.live.server.replaying import items_of, replay_steps
from fuzz.live.server.steps import WAY
from targets.registry import find_target

LOST = Finding(WAY, lines=("hurry", "call 16 9001", "withdraw", "wait"))


def test_a_server_that_does_wrong_does_so_again() -> None:
    execution = replay_steps(find_target("mutant:dies-of-access-errors"), LOST, destructive=False)
    assert problems_of(execution)


def test_one_that_bears_it_has_no_problem() -> None:
    execution = replay_steps(find_target("reference"), LOST, destructive=False)
    assert problems_of(execution) == ()
    words = [fired.what.split(",")[0] for fired in execution.outcomes]
    assert words == ["hurry", "call 16 9001", "withdraw", "wait", "STORE of 9002 octets"]


def test_what_holds_no_lines_is_refused() -> None:
    with pytest.raises(BadInput, match="has no `lines`"):
        items_of(Finding(WAY))
    with pytest.raises(BadInput, match="no step to a server"):
        replay_steps(find_target("reference"), Finding(WAY, lines=("jump",)), destructive=False)
