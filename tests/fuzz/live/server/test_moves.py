"""Each step at the reference, which bears it, and at servers that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from fuzz.live import executor as module
from fuzz.live.executor import LiveExecutor
from fuzz.live.move import Move
from fuzz.live.server.dangers import NO_RECEIVES, ROOM_IN_USE
from fuzz.live.server.moves import MOVES, shot_of
from fuzz.live.server.steps import KINDS, item_of
from fuzz.responder_executor import good_call
from reports.record import Verdict
from targets.registry import find_target
from tests.fuzz.test_cli_replay import FETCH as NAMED

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.explore.firing import Fired
    from fuzz.live.execution import LiveExecution

    Play = Callable[..., LiveExecution]

CALL = f"message {good_call().hex()}"
STORE = "call 16 9001"
"""An argument of 9002 octets in a Read chunk."""

FETCH = "call 54 9001"
"""A result of as many in a Write chunk."""


def outcomes(execution: LiveExecution, what: str) -> list[Fired]:
    return [fired for fired in execution.outcomes if fired.what.startswith(what)]


def test_there_is_a_function_for_each_kind() -> None:
    assert tuple(MOVES) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_bears_each_kind_while_a_call_is_in_flight(play: Play, kind: str) -> None:
    execution = play("reference", CALL, "hurry 1", STORE, f"{kind} 1 1", "wait", CALL)
    assert [fired.reason for fired in execution.failed] == []
    assert execution.alive
    assert outcomes(execution, kind) or kind in ("reply", "call", "breach")


def test_calls_are_what_their_numbers_say() -> None:
    shot = shot_of(Move("call", 3 + 13 * (1 + 4 * (3 + 5 * 2)), 100_037))
    assert (shot.call, shot.form, shot.offer, shot.cut) == ("store", "reduced", "both", 16)
    assert (shot.first, shot.second) == (37, 18)


def test_a_good_call_is_served_and_its_results_looked_at(play: Play) -> None:
    execution = play("reference", STORE, FETCH)
    served = [fired for fired in execution.outcomes if fired.allowed]
    assert [fired.verdict for fired in served] == [Verdict.PASS] * 2
    assert [fired.what.split(",")[0] for fired in served] == [
        "STORE of 9002 octets",
        "FETCH of 9002 octets",
    ]
    wrong = play("mutant:leaves-the-end-of-results", FETCH)
    assert [fired.reason for fired in wrong.failed] == ["no result fits what the Write chunks hold"]


@pytest.mark.parametrize(
    ("mutant", "lines"),
    [
        ("answers-twice", (CALL, "flood 0 1")),
        ("loses-receives-by-err-chunk", ("breach 5 65", "flood 4 5")),
        ("dies-of-access-errors", ("hurry", STORE, "withdraw", "wait")),
        ("closes-other-connections", (CALL, "connect", "hurry", STORE, "withdraw", "wait", CALL)),
        ("calls-back-in-version-three", ("announce", "provoke", "wait")),
        ("repeats-at-once", ("announce", "answers 1", "provoke", "wait")),
    ],
)
def test_a_server_that_does_not_bear_it_is_found(
    play: Play, mutant: str, lines: tuple[str, ...]
) -> None:
    execution = play(f"mutant:{mutant}", *lines)
    assert execution.failed or execution.unserved


def test_backward_calls_are_told_of(play: Play) -> None:
    execution = play("reference", "announce", "answers 4 1", "provoke 1", "wait")
    assert outcomes(execution, "wait")[0].outcomes == ("a backward Call, answer: cut",)
    assert execution.failed == ()


def test_what_a_binding_lacks_is_left_out_in_words(play: Play) -> None:
    execution = play("reference", "withdraw", "foreign")
    assert outcomes(execution, "withdraw")[0].outcomes == ("no memory has been told of",)
    assert outcomes(execution, "foreign")[0].outcomes == ("there is no other connection",)


def test_memory_of_another_connection_is_out_of_reach(play: Play) -> None:
    """Octets that name the memory by which messages of a corpus have their chunks."""
    line = f"message {NAMED.hex()}"
    plain = play("reference", line)
    assert [fired.outcomes[0][:8] for fired in plain.outcomes] == ["RDMA_MSG"]
    execution = play("reference", line, "connect", "foreign 1", line)
    assert execution.failed == ()
    assert execution.outcomes[-1].outcomes[0][:8] != "RDMA_MSG"


class TestDanger:
    """Steps that may harm a device that is not in this process."""

    LINES = ("starve", "hurry", FETCH, "withdraw")

    @pytest.fixture
    def run(self, monkeypatch: pytest.MonkeyPatch) -> Callable[..., LiveExecution]:
        monkeypatch.setattr(module, "in_process", lambda _: False)
        monkeypatch.setattr(module, "caution", lambda: lambda *_: "")

        def run(*avoided: str, destructive: bool) -> LiveExecution:
            harness = Harness(find_target("reference"))
            executor = LiveExecutor(harness, destructive=destructive)
            executor.avoided |= set(avoided)
            try:
                return executor.run([item_of(line) for line in self.LINES])
            finally:
                harness.close()

        return run

    def test_are_kept_back(self, run: Callable[..., LiveExecution]) -> None:
        execution = run(destructive=False)
        told = [fired.reason for fired in execution.outcomes if fired.verdict is Verdict.NA]
        assert told == [NO_RECEIVES, ROOM_IN_USE]
        assert execution.dangers == frozenset()

    def test_are_taken_for_who_asks_for_it_and_noted(
        self, run: Callable[..., LiveExecution]
    ) -> None:
        execution = run(destructive=True)
        assert (execution.kept_back, execution.dangers) == (0, {NO_RECEIVES, ROOM_IN_USE})

    def test_are_kept_back_once_they_are_known_to_do_harm(
        self, run: Callable[..., LiveExecution]
    ) -> None:
        execution = run(NO_RECEIVES, destructive=True)
        assert (execution.kept_back, execution.dangers) == (1, {ROOM_IN_USE})
