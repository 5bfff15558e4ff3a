"""The reference client before a server that answers as it likes, and clients that lose the way."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from conformance.explore.negotiation_machine import NegotiationMachine
from conformance.tester.case import Deviation
from targets.mutants.base import find_client_parts

TestReference = NegotiationMachine.TestCase
TestReference.settings = settings(settings.default, stateful_step_count=20)

BRIEFLY = settings(
    max_examples=200,
    stateful_step_count=8,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize(
    "mutant",
    [
        "sends-long-first-messages",
        "announces-beside-its-offer",
        "takes-grants-from-errors",
        "takes-the-highest-version-offered",
        "announces-after-falling-back",
        "waits-behind-inverted-ranges",
    ],
)
def test_machine_finds_a_client_that_loses_its_way(mutant: str) -> None:
    class Mutant(NegotiationMachine):
        parts = find_client_parts(mutant)

    with pytest.raises((AssertionError, Deviation)):
        run_state_machine_as_test(Mutant, settings=BRIEFLY)
