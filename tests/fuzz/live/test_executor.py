"""Sequences at running devices: the reference, and tiny ones that die, complain or are silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from fuzz.live import executor as module
from fuzz.live import vitals
from fuzz.live.executor import LiveExecutor
from fuzz.live.move import Move
from fuzz.live.server.steps import encode_step
from fuzz.responder_executor import good_call
from reports.record import Verdict
from targets.registry import find_target
from tests.conformance import miniatures as mini

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from targets.base import Target

REFUSED = good_call()[:4] + bytes((0, 0, 0, 9)) + good_call()[8:]
"""In a version that nobody speaks."""

DANGEROUS = "a class of messages"


@pytest.fixture
def harness_of() -> Iterator[Callable[[Target], Harness]]:
    made: list[Harness] = []

    def make(target: Target) -> Harness:
        made.append(Harness(target))
        return made[-1]

    yield make
    for harness in made:
        harness.close()


def test_each_message_is_judged_and_the_device_serves_on(
    harness_of: Callable[[Target], Harness],
) -> None:
    executor = LiveExecutor(harness_of(find_target("reference")), destructive=False, every=2)
    for _ in range(5):
        execution = executor.run([good_call(), REFUSED])
        assert [fired.verdict for fired in execution.outcomes] == [Verdict.PASS, Verdict.PASS]
        assert execution.alive
        assert (execution.failed, execution.kept_back, execution.died) == ((), 0, "")


def test_the_same_message_has_another_xid_each_time(
    harness_of: Callable[[Target], Harness],
) -> None:
    executor = LiveExecutor(harness_of(find_target("reference")), destructive=False)
    sent = [executor.run([good_call()]).outcomes[0].octets for _ in range(3)]
    assert len({octets[:4] for octets in sent}) == 3
    assert len({octets[4:28] for octets in sent}) == 1


def test_a_sequence_with_steps_has_connections_of_its_own(
    harness_of: Callable[[Target], Harness],
) -> None:
    executor = LiveExecutor(harness_of(find_target("reference")), destructive=False)
    before = executor.prepare()
    execution = executor.run([good_call(), encode_step(Move("close")), REFUSED])
    assert [fired.what for fired in execution.outcomes] == ["68 octets", "close", "68 octets"]
    assert [fired.verdict for fired in execution.outcomes] == [Verdict.PASS] * 3
    assert execution.outcomes[0].octets[:4] != good_call()[:4]
    assert executor.prepare() is before


def test_connections_end_with_their_sequence_also_if_the_device_dies_in_it(
    harness_of: Callable[[Target], Harness],
) -> None:
    target = mini.MiniatureTarget(mini.good, dies_after=4)
    harness = harness_of(target)
    executor = LiveExecutor(harness, destructive=True)
    execution = executor.run([good_call(), encode_step(Move("connect")), good_call()])
    assert execution.died
    assert not any(peer.connected for peer in harness._peers)


def test_a_wrong_answer_is_among_those_that_failed(
    harness_of: Callable[[Target], Harness],
) -> None:
    executor = LiveExecutor(harness_of(find_target("mutant:grants-zero")), destructive=False)
    execution = executor.run([good_call()])
    assert [fired.violated for fired in execution.failed]
    assert execution.alive


def test_a_device_that_dies_is_told_and_started_again(
    harness_of: Callable[[Target], Harness],
) -> None:
    target = mini.MiniatureTarget(mini.good, dies_after=12)
    executor = LiveExecutor(harness_of(target), destructive=True)
    for _ in range(20):
        execution = executor.run([good_call()])
        if execution.died:
            break
    assert execution.unserved == execution.died != ""
    assert executor.run([good_call()]).alive
    assert target.session.restarts == 1


def test_a_death_when_nobody_looks_is_told_by_the_next_run_which_sends_nothing(
    harness_of: Callable[[Target], Harness],
) -> None:
    target = mini.MiniatureTarget(mini.good)
    executor = LiveExecutor(harness_of(target), destructive=True, every=1)
    assert executor.run([good_call()]).alive
    target.session._lives = 1
    execution = executor.run([good_call()])
    assert (execution.outcomes, execution.unserved) == ((), execution.died)
    assert execution.died
    assert executor.run([good_call()]).alive
    assert target.session.restarts == 1


def test_a_device_that_cannot_be_started_again_ends_it(
    harness_of: Callable[[Target], Harness],
) -> None:
    target = mini.MiniatureTarget(mini.good, dies_after=12, revives=False)
    executor = LiveExecutor(harness_of(target), destructive=True)
    while not executor.run([good_call()]).died:
        pass
    with pytest.raises(Inconclusive):
        executor.run([good_call()])


def test_a_device_is_seen_to_serve_after_so_many_sequences_and_after_one_alone(
    harness_of: Callable[[Target], Harness],
) -> None:
    """One that answers everything twice is no reason to ask; one that ends connections is."""
    executor = LiveExecutor(harness_of(find_target("reference")), destructive=False, every=3)
    connections = []
    for _ in range(7):
        connections.append(id(executor.prepare()))
        executor.run([good_call()])
    assert [len(set(connections[start : start + 3])) for start in (0, 3)] == [1, 1]
    assert len(set(connections)) >= 2
    assert executor.run_alone([good_call()]).alive
    assert executor.run_alone([good_call()], patient=False).alive


class TestDanger:
    """What may do harm, to a device that is not in this process."""

    @pytest.fixture
    def harness(
        self, harness_of: Callable[[Target], Harness], monkeypatch: pytest.MonkeyPatch
    ) -> Harness:
        monkeypatch.setattr(module, "in_process", lambda _: False)
        monkeypatch.setattr(
            module,
            "caution",
            lambda: lambda message, _memory, _layer: DANGEROUS if message[7] == 9 else "",
        )
        return harness_of(find_target("reference"))

    def test_is_kept_back(self, harness: Harness) -> None:
        execution = LiveExecutor(harness, destructive=False).run([good_call(), REFUSED])
        assert execution.kept_back == 1
        assert execution.dangers == frozenset()

    def test_is_sent_to_who_asks_for_it_and_noted(self, harness: Harness) -> None:
        executor = LiveExecutor(harness, destructive=True)
        execution = executor.run([REFUSED])
        assert (execution.kept_back, execution.dangers) == (0, {DANGEROUS})
        assert executor.run([good_call()]).dangers == frozenset()

    def test_is_kept_back_once_it_is_known_to_do_harm(self, harness: Harness) -> None:
        executor = LiveExecutor(harness, destructive=True)
        executor.avoided.add(DANGEROUS)
        assert executor.run([REFUSED]).kept_back == 1


def test_what_the_kernel_complains_of_is_told_once_with_its_console(
    harness_of: Callable[[Target], Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_of(mini.MiniatureTarget(mini.good))
    printed = ["[ 1.0] WARNING: CPU: 0 PID: 1 at before.c:1\n"]
    monkeypatch.setattr(harness.session, "console", lambda: "".join(printed), raising=False)
    executor = LiveExecutor(harness, destructive=True)
    assert executor.run([good_call()]).complaint == ""
    printed.append("[ 2.0] harmless\n[ 2.1] WARNING: CPU: 0 PID: 77 at net/a.c:9 f+0x1/0x2\n")
    execution = executor.run([good_call()])
    assert execution.complaint == "warning: WARNING: CPU: 0 PID: 77 at net/a.c:9 f+0x1/0x2"
    assert execution.console == "".join(printed)
    assert execution.alive
    assert executor.run([good_call()]).complaint == ""


def test_a_thread_that_dies_while_others_serve_is_noticed_by_a_patient_run(
    harness_of: Callable[[Target], Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel prints that it died after the good call is answered, and where still later."""
    harness = harness_of(mini.MiniatureTarget(mini.good))
    printed = ["booted"]
    dies = iter(("BUG: kernel NULL pointer dereference", "RIP: 0010:svc_example+0x9e/0xa0"))
    monkeypatch.setattr(harness.session, "console", lambda: "\n".join(printed), raising=False)
    monkeypatch.setattr(harness.session, "alive", lambda: "oops" if len(printed) > 1 else None)
    monkeypatch.setattr(module, "in_process", lambda _: False)
    monkeypatch.setattr(vitals, "sleep", lambda _seconds: printed.append(next(dies)))
    executor = LiveExecutor(harness, destructive=True)
    assert executor.run([good_call()]).alive
    execution = executor.run_alone([good_call()])
    assert execution.died == "oops"
    assert execution.console.endswith("RIP: 0010:svc_example+0x9e/0xa0")
