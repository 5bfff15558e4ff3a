"""Both ends of the reference under changes of their sizes, and ends that lose something by them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from conformance.explore.property_machine import PropertyMachine
from targets.mutants.base import find_client_parts, find_responder_parts

TestReference = PropertyMachine.TestCase
TestReference.settings = settings(settings.default, stateful_step_count=20)

BRIEFLY = settings(
    max_examples=100,
    stateful_step_count=20,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)

LOSERS = [
    "says-done-before-the-old-receives-are-gone",
    "tells-updates-too-early",
    "tells-another-size-than-it-has",
    "announces-longer-receives",
    "takes-any-answer-for-its-own",
]


@pytest.mark.parametrize("mutant", LOSERS[:4])
def test_machine_finds_a_server_that_loses_messages(mutant: str) -> None:
    class Mutant(PropertyMachine):
        server_parts = find_responder_parts(mutant)

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Mutant, settings=BRIEFLY)


@pytest.mark.long
@pytest.mark.parametrize("mutant", LOSERS[:4])
def test_machine_finds_a_client_that_loses_messages(mutant: str) -> None:
    class Mutant(PropertyMachine):
        client_parts = find_client_parts(f"{mutant}-at-client")

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Mutant, settings=BRIEFLY)
