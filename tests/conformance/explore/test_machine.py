"""The reference at both ends of several connections: no order of events breaks a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from conformance.explore.loopback_world import loopback_exchange
from conformance.explore.machine import ExchangeMachine
from targets.mutants.base import find_responder_parts

if TYPE_CHECKING:
    from conformance.explore.recipes import Step


class ReferenceMachine(ExchangeMachine):
    """The reference endpoint on loopback."""

    start = staticmethod(loopback_exchange)


TestReference = ReferenceMachine.TestCase
TestReference.settings = settings(settings.default, stateful_step_count=20)

BRIEFLY = settings(
    max_examples=40,
    stateful_step_count=15,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def replayed(steps: list[Step], mutant: str) -> list[str]:
    exchange, release = loopback_exchange(find_responder_parts(mutant))
    try:
        for step in steps:
            exchange.run(step)
            if exchange.problems:
                break
        else:
            exchange.finish()
    finally:
        release()
    return exchange.problems


@pytest.mark.parametrize(
    ("mutant", "problem"),
    [
        ("writes-at-wrong-offset", "the connection was lost"),
        ("answers-twice", "under which nothing is open"),
        ("grants-zero", "grant-is-never-zero"),
        ("omits-write-list", "unconsumed-chunk-comes-back-unused"),
        ("sends-before-it-writes", "RPC is over"),
        ("never-calls-back", "backward Calls were due"),
        ("calls-back-with-write-list", "bidir.2.5.call-has-empty-lists"),
    ],
)
def test_machine_finds_what_is_wrong_with_a_responder(mutant: str, problem: str) -> None:
    class Mutant(ExchangeMachine):
        start = staticmethod(lambda: loopback_exchange(find_responder_parts(mutant)))

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Mutant, settings=BRIEFLY)

    # What it did can be done again, and breaks the same.
    assert any(problem in line for line in replayed(Mutant.latest, mutant))
