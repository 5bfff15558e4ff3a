"""One device for a whole run: connected to, watched, started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation, Inconclusive, NotServing
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from targets.profile import Binding

if TYPE_CHECKING:
    from types import ModuleType


def test_every_case_begins_alike(harness: Harness) -> None:
    xids, traces = [], []
    for _ in range(2):
        harness.begin()
        xids.append(harness.ready_peer().next_xid())
        traces.append([event.kind for event in harness.trace.events])
        harness.end()

    assert xids[0] & 0xFF == xids[1] & 0xFF
    assert traces[0] == traces[1] != []


def test_no_case_has_an_xid_that_a_server_may_remember(harness: Harness) -> None:
    xids = []
    for _ in range(2):
        harness.begin()
        peer = harness.ready_peer()
        xids += [peer.next_xid() for _ in range(3)]
        harness.end()
    other = Harness(harness.target)
    xids.append(other.ready_peer().next_xid())
    other.close()

    assert len(set(xids)) == 7


def test_the_end_of_a_case_closes_its_connections(harness: Harness) -> None:
    peer = harness.connect()

    harness.end()

    assert not peer.connected


def test_a_device_that_never_serves_is_started_again_each_time_that_it_is_needed(
    mini: ModuleType,
) -> None:
    target = mini.MiniatureTarget(mini.mute)
    harness = Harness(target)

    for restarts in (1, 2):
        with pytest.raises(NotServing, match="NULL got nothing within 5 s"):
            harness.ready_peer()
        assert target.session.restarts == restarts
    harness.close()


def test_a_device_that_refuses_connections_deviates(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.good, mini.Door.SHUT))

    with pytest.raises(Deviation, match="does not accept a connection") as caught:
        harness.connect()

    assert caught.value.expected == ("a connection",)
    harness.close()


def test_a_dead_device_is_told_by_how_it_died(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.good, dies_after=2))
    harness.ready_peer().send(b"the last thing that it hears")
    harness.connect()  # which gives the device its turn

    with pytest.raises(Deviation, match="The device died: killed by signal 11"):
        harness.check_after()
    harness.close()


def killed(mini: ModuleType) -> Harness:
    """A device that has died in a case, and nobody has been told."""
    harness = Harness(mini.MiniatureTarget(mini.good, dies_after=2))
    harness.begin()
    peer = harness.ready_peer()
    peer.send(b"the last thing that it hears")
    peer.receive()
    return harness


def test_the_trace_goes_on_over_a_restart(mini: ModuleType) -> None:
    harness = killed(mini)
    harness.judged(None, ())
    harness.begin()
    trace = harness.trace

    harness.ready_peer()

    assert harness.trace is trace
    harness.close()


def test_a_device_that_a_case_finds_dead_behind_its_back_died_in_it(mini: ModuleType) -> None:
    """Whatever the case itself says, and it is not started again before the next one."""
    harness = killed(mini)

    with pytest.raises(Deviation, match="The device died: killed by signal 11"):
        harness.ready_peer()

    assert harness.session.restarts == 0
    harness.close()


def test_a_death_that_no_case_has_told_is_told_by_the_next(mini: ModuleType) -> None:
    """That one goes on with a device that lives."""
    harness = killed(mini)
    harness.begin()

    harness.ready_peer()

    assert (harness.life.died, harness.life.died_before) == ("", "killed by signal 11")
    assert harness.session.restarts == 1
    harness.close()


def test_a_device_that_died_in_a_case_is_not_started_again_in_silence(mini: ModuleType) -> None:
    """What ended the case first is told as well."""
    harness = killed(mini)

    found = harness.judged(Deviation("A wrong answer.", breaks=("one",)), ())

    assert isinstance(found, Deviation)
    assert found.reason == "A wrong answer. The device died: killed by signal 11."
    assert found.breaks == ("one",)
    harness.close()


def test_a_run_begins_when_the_servers_grace_period_is_over(mini: ModuleType) -> None:
    server = mini.InGrace(3)
    harness = Harness(mini.MiniatureTarget(server, binding=Binding.NFS4))

    harness.preflight()

    assert server.times == 0
    harness.close()


def test_a_server_that_was_started_again_has_time_to_leave_its_grace_period(
    mini: ModuleType,
) -> None:
    server = mini.InGrace(0)
    harness = Harness(mini.MiniatureTarget(server, dies_after=2, binding=Binding.NFS4))
    harness.ready_peer().send(build.null_call(harness.connect()))
    harness.end()
    harness.judged(None, ())
    harness.begin()
    server.times = 3

    harness.ready_peer()

    assert harness.session.restarts == 1
    assert server.times == 0
    harness.close()


def test_a_grace_period_without_end_is_one_sentence(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.InGrace(10**6), binding=Binding.NFS4))

    with pytest.raises(Inconclusive, match="in its grace period, and does not leave it"):
        harness.preflight()

    harness.close()


def test_a_device_that_serves_no_call_in_version_two_deviates(mini: ModuleType) -> None:
    harness = Harness(mini.MiniatureTarget(mini.good))

    with pytest.raises(Deviation, match="in Version Two is not served") as caught:
        harness.ready_peer_two()

    assert caught.value.breaks == ("v2.5.1.answer-is-no-error",)
    harness.close()


def test_a_device_that_lives_and_does_not_serve_has_lapsed_when_it_is_started_again(
    mini: ModuleType,
) -> None:
    heard: list[bytes] = []

    def behave(message: bytes) -> list[bytes]:
        heard.append(message)
        is_sick = len(heard) > 1 and not target.session.restarts
        return [] if is_sick else mini.good(message)

    target = mini.MiniatureTarget(behave)
    harness = Harness(target)
    harness.begin()
    harness.ready_peer()
    harness.begin()

    harness.ready_peer()

    assert harness.life.lapse == "NULL got nothing within 5 s"
    assert len(heard) == 4  # on two connections, and behind the restart
    harness.begin()
    assert harness.life.lapse == ""
    harness.close()


def test_a_connection_that_is_of_no_use_is_told_and_no_lapse(mini: ModuleType) -> None:
    heard: list[bytes] = []

    def behave(message: bytes) -> list[bytes] | None:
        heard.append(message)
        return None if len(heard) == 2 else mini.good(message)

    harness = Harness(mini.MiniatureTarget(behave))
    harness.begin()
    harness.ready_peer()
    harness.begin()

    harness.ready_peer()

    assert (harness.life.lapse, harness.session.restarts) == ("", 0)
    (note,) = harness.case.notes
    assert note.startswith("The first connection before the case was of no use: NULL got the conn")
    harness.close()


def test_good_calls_are_timed_unless_the_device_does_not_serve(
    harness: Harness, mini: ModuleType
) -> None:
    harness.begin()
    seconds = harness.time_calls(3)
    assert len(seconds) == 3
    assert min(seconds) > 0
    harness.time_calls(3)
    assert {event.connection for event in harness.trace.events} - {0} == {1}

    mute = Harness(mini.MiniatureTarget(mini.mute))
    assert mute.time_calls(3) == ()
    assert mute.life.starts == 0
    mute.close()
