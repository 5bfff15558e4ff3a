"""Turns at running clients: the reference and its mutants in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.tester.case import Deviation, Inconclusive
from fuzz.live.client.dangers import OTHER_RESULTS
from fuzz.live.client.executor import ClientExecutor
from fuzz.live.client.recipes import Turn, encode_turn
from fuzz.live.client.seeds import seeds_for_client
from fuzz.live.move import Move
from fuzz.sequence import split
from reports.record import Verdict
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.explore.firing import Fired
    from conformance.tester.server.harness import ClientHarness
    from targets.base import Act, RunningAct

    Harnesses = Callable[[str], ClientHarness]

READ = encode_turn(Turn(ActKind.READ, 4096))
REFUSED = encode_turn(Turn(answers=((Move("err-chunk"),),)))
FLIPPED = encode_turn(Turn(answers=((Move("flip", 60),),)))


def test_the_reference_keeps_the_rules_in_every_seed(harness_of: Harnesses) -> None:
    harness = harness_of("reference-client")
    executor = ClientExecutor(harness, destructive=True)
    for octets in seeds_for_client(harness.client.acts, destructive=True)[::3]:
        execution = executor.run(split(octets))
        assert execution.failed == ()
        assert execution.alive


def test_each_turn_is_judged(harness_of: Harnesses) -> None:
    executor = ClientExecutor(harness_of("reference-client"), destructive=False)
    execution = executor.run([READ, REFUSED, b""])
    assert [fired.verdict for fired in execution.outcomes] == [Verdict.PASS] * 3
    assert [fired.allowed for fired in execution.outcomes] == [("done",), ("failed",), ("done",)]
    assert execution.outcomes[0].what == "read length 4096"
    assert (execution.died, execution.complaint, execution.kept_back) == ("", "", 0)


@pytest.mark.parametrize(
    ("mutant", "turn", "broken"),
    [
        (
            "takes-msgp",
            Turn(answers=((Move("useless", 11),),)),
            "rfc8166.4.6.1.requester-discards-msgp",
        ),
        (
            "hangs-up-over-nonsense",
            Turn(answers=((Move("useless", 0),),)),
            "rfc8166.2.2.2.reply-retires-the-xid",
        ),
        (
            "offers-spare-write-chunks",
            Turn(ActKind.READ, 9001),
            "rfc8166.4.3.2.1.one-chunk-for-one-result",
        ),
        (
            "leaves-long-calls-exposed",
            Turn(ActKind.LONG_CALL, answers=((Move("after"),),)),
            "rfc8166.4.4.1.memory-protected-before-upper-layer-access",
        ),
        (
            "numbers-chunked-calls-apart",
            Turn(ActKind.READ, 9001),
            "rfc8166.4.2.1.xid-equals-payload-xid",
        ),
    ],
)
def test_a_client_that_breaks_a_rule_is_found_out(
    harness_of: Harnesses, mutant: str, turn: Turn, broken: str
) -> None:
    executor = ClientExecutor(harness_of(f"mutant:{mutant}"), destructive=False)
    execution = executor.run([encode_turn(turn)])
    assert broken in {name for fired in execution.failed for name in fired.violated}


def test_connections_serve_for_more_than_one_sequence(harness_of: Harnesses) -> None:
    harness = harness_of("reference-client")
    executor = ClientExecutor(harness, destructive=False, every=2)
    executor.run([READ])
    line = harness.service.line
    for _ in range(4):
        assert executor.run([READ]).alive
    assert harness.service.line is line
    assert executor.run_alone([READ]).alive
    assert harness.service.line is not line


def test_an_act_that_fails_by_itself_breaks_no_rule(
    harness_of: Harnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = ClientExecutor(harness_of("reference-client"), destructive=False)
    executor.prepare()
    take = executor._take

    def fails(turn: Turn) -> Fired:
        fired = take(turn)
        failed = turn.act is ActKind.READ or bool(turn.answers)
        return replace(fired, verdict=Verdict.FAIL, violated=("a.1.rule",)) if failed else fired

    monkeypatch.setattr(executor, "_take", fails)
    first, second = executor.run([REFUSED, READ]).outcomes
    assert (first.verdict, first.violated) == (Verdict.FAIL, ("a.1.rule",))
    assert (second.verdict, second.violated) == (Verdict.INCONC, ())


def test_what_is_no_turn_is_refused(harness_of: Harnesses) -> None:
    executor = ClientExecutor(harness_of("reference-client"), destructive=False)
    with pytest.raises(BadInput, match="no turn of a client"):
        executor.run([b"\0"])


def test_a_client_that_believes_wrong_results_is_prepared_again(
    harness_of: Harnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_of("reference-client")
    executor = ClientExecutor(harness, destructive=True, every=1)
    assert executor.run([FLIPPED]).alive
    line = harness.service.line

    def fails() -> None:
        raise Deviation("it has a stale handle")

    with monkeypatch.context() as patch:
        patch.setattr(harness, "check_after", fails)
        assert executor.run([FLIPPED]).alive
        assert executor.run([READ]).unserved == "it has a stale handle"
    assert executor.run([READ]).alive
    assert harness.service.line is not line


def test_a_client_that_is_not_mounted_any_more_is_prepared_again(
    harness_of: Harnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_of("reference-client")
    executor = ClientExecutor(harness, destructive=False)
    refused = encode_turn(Turn(ActKind.NULL, answers=((Move("err-chunk"),),)))
    checks = []

    def fails() -> None:
        checks.append(1)
        raise Deviation("it is not mounted")

    monkeypatch.setattr(harness, "check_after", fails)
    assert executor.run([READ]).alive
    assert checks == []
    assert executor.run([refused]).alive
    assert checks == [1]
    assert executor.run([READ]).alive


class TestDeath:
    """A client that dies, by its own word."""

    @pytest.fixture
    def harness(self, harness_of: Harnesses, monkeypatch: pytest.MonkeyPatch) -> ClientHarness:
        harness = harness_of("reference-client")
        session = harness.session
        state: dict[str, str | None] = {"how": None}
        restart = session.restart

        def start_again() -> None:
            state["how"] = None
            restart()

        monkeypatch.setattr(session, "alive", lambda: state["how"])
        monkeypatch.setattr(session, "restart", start_again)
        monkeypatch.setattr(session, "die", lambda: state.update(how="oops"), raising=False)
        return harness

    def test_is_told_and_the_client_started_again(
        self, harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        executor = ClientExecutor(harness, destructive=False)
        assert executor.run([READ]).alive
        begin = harness.session.begin

        def dies(act: Act) -> RunningAct:
            harness.session.die()  # type: ignore[attr-defined]
            return begin(act)

        with monkeypatch.context() as patch:
            patch.setattr(harness.session, "begin", dies)
            execution = executor.run([READ, READ])
        assert (execution.died, execution.unserved) == ("oops", "oops")
        assert len(execution.outcomes) == 1
        assert executor.run([READ]).alive

    def test_when_nobody_looks_is_told_by_the_next_run(self, harness: ClientHarness) -> None:
        executor = ClientExecutor(harness, destructive=False)
        assert executor.run([READ]).alive
        executor.renew()
        harness.session.die()  # type: ignore[attr-defined]
        execution = executor.run([READ])
        assert (execution.outcomes, execution.died) == ((), "oops")
        assert executor.run([READ]).alive

    def test_for_good_ends_it(
        self, harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        executor = ClientExecutor(harness, destructive=False)
        monkeypatch.setattr(harness.session, "alive", lambda: "oops")
        with pytest.raises(Inconclusive):
            executor.run([READ])


class TestDanger:
    """What may do harm, to a client that is not in this process."""

    @staticmethod
    def executor(harness: ClientHarness, *, destructive: bool) -> ClientExecutor:
        executor = ClientExecutor(harness, destructive=destructive)
        executor._is_here = False
        executor._destructive = destructive
        return executor

    def test_is_kept_back(self, harness_of: Harnesses) -> None:
        executor = self.executor(harness_of("reference-client"), destructive=False)
        execution = executor.run([FLIPPED])
        assert (execution.kept_back, execution.dangers) == (1, frozenset())
        assert executor.run([REFUSED]).kept_back == 0

    def test_is_made_for_who_asks_for_it_and_noted(self, harness_of: Harnesses) -> None:
        executor = self.executor(harness_of("reference-client"), destructive=True)
        execution = executor.run([FLIPPED])
        assert (execution.kept_back, execution.dangers) == (0, {OTHER_RESULTS})
        assert executor.run([REFUSED]).dangers == frozenset()
        executor.avoided.add(OTHER_RESULTS)
        assert executor.run([FLIPPED]).kept_back == 1
