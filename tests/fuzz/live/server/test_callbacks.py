"""Backward Calls, judged, and answered in each way that can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from fuzz.live.server.callbacks import ANSWERS, own_workload
from targets.profile import Binding
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.live.execution import LiveExecution

    Play = Callable[..., LiveExecution]

NAMES = tuple(ANSWERS)


@pytest.mark.parametrize("value", [0, 1, 6, 77])
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_bears_each_answer(play: Play, name: str, value: int) -> None:
    place = NAMES.index(name)
    execution = play(
        "reference", "announce", f"answers {place} {value}", "provoke 1", "wait", "answer", "wait"
    )
    assert execution.failed == ()
    assert execution.alive
    told = [fired.outcomes for fired in execution.outcomes if fired.what == "wait"]
    assert f"a backward Call, answer: {name}" in told[0]


def test_a_late_answer_is_taken_for_one(play: Play) -> None:
    """The grant of one lets the second Call come when the first was answered."""
    execution = play("reference", "announce", "answers 1", "provoke 1", "wait", "answer", "wait")
    told = [fired.outcomes for fired in execution.outcomes if fired.what == "wait"]
    assert told == [("a backward Call, answer: none",)] * 2


@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        ("calls-back-in-version-three", "bidir.2.5.call-has-version-one"),
        ("requests-no-backward-credit", "bidir.2.1.2.credit-is-never-zero"),
        ("calls-back-without-credit", "bidir.2.1.2.backward-calls-within-the-grant"),
    ],
)
def test_a_wrong_call_is_found(play: Play, mutant: str, broken: str) -> None:
    execution = play(f"mutant:{mutant}", "announce", "answers 1", "provoke 2", "wait")
    assert {name for fired in execution.failed for name in fired.violated} == {broken}


def test_company_is_not_judged_after_a_bad_answer(play: Play) -> None:
    lines = ("announce", "answers 4 1", "provoke", "wait", "answers 1", "provoke 2", "wait")
    assert play("mutant:calls-back-without-credit", *lines).failed == ()


def test_a_device_that_claims_no_backward_direction_is_not_judged_in_it() -> None:
    import msgspec

    from fuzz.live.executor import LiveExecutor
    from fuzz.live.server.steps import item_of

    harness = Harness(find_target("mutant:calls-back-in-version-three"))
    claims = msgspec.structs.replace(harness.profile.claims, backward=False)
    harness.profile = msgspec.structs.replace(harness.profile, claims=claims)
    executor = LiveExecutor(harness, destructive=True)
    execution = executor.run([item_of(line) for line in ("announce", "provoke", "wait")])
    harness.close()
    assert execution.failed == ()


def test_a_binding_without_callbacks_has_no_client_of_its_own() -> None:
    import msgspec

    profile = find_profile("reference")
    assert own_workload(profile) is not None
    assert own_workload(msgspec.structs.replace(profile, binding=Binding.NFS3)) is None
