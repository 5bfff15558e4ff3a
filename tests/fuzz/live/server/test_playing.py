"""The connections of one sequence, and what goes over which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.explore.recipes import Shot
from conformance.tester.client.harness import Harness
from fuzz.live.server.moves import take_step
from fuzz.live.server.playing import PlayedSequence
from fuzz.live.server.steps import item_of
from fuzz.responder_executor import good_call
from reports.record import Verdict
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.memory import ExposedMemory
    from rpcrdma.ulp.bindings import UpperLayer


class Careless:
    """Keeps back messages of one beginning alone."""

    kept_back = b"\xff"

    def about(self, message: bytes, _memory: ExposedMemory, _layer: UpperLayer) -> str:
        """Whether it begins so."""
        return "it begins so" if message.startswith(self.kept_back) else ""

    def refuses(self, _danger: str) -> bool:
        """Nothing."""
        return False


@pytest.fixture
def harness() -> Iterator[Harness]:
    made = Harness(find_target("reference"))
    yield made
    made.close()


@pytest.fixture
def played(harness: Harness) -> PlayedSequence:
    return PlayedSequence(harness, harness.profile, Careless())


def take(played: PlayedSequence, *lines: str) -> None:
    for line in lines:
        played.play(item_of(line), take_step)


def test_a_connection_is_made_when_it_is_needed_and_again_when_it_is_lost(
    played: PlayedSequence,
) -> None:
    assert played.lines == []
    first = played.current
    assert played.current is first
    assert first.line.peer.granted > 1  # by a good call
    take(played, "close")
    assert played.current is not first
    assert len(played.lines) == 2


def test_messages_go_over_the_latest_connection_until_it_is_switched(
    played: PlayedSequence,
) -> None:
    take(played, "call", "connect", "connect 11 1")
    lines = list(played.lines)
    assert played.current is lines[2]
    assert played.other is lines[1]
    assert lines[2].line.peer.granted == 1  # no good call
    take(played, "switch")
    assert played.current is lines[0]
    take(played, "switch 1")
    assert played.current is lines[2]


def test_there_are_so_many_connections_at_one_time(played: PlayedSequence) -> None:
    take(played, *["connect"] * 9)
    assert len(played.lines) == 6
    assert sum(each.line.peer.connected for each in played.lines) == 6


def test_a_device_that_bears_one_connection_gets_one(harness: Harness) -> None:
    claims = msgspec.structs.replace(harness.profile.claims, connections=1)
    harness.profile = msgspec.structs.replace(harness.profile, claims=claims)
    played = PlayedSequence(harness, harness.profile, Careless())
    take(played, "call", "connect", "call")
    assert len(played.lines) == 1
    assert played.finish() == []


def test_a_hurried_message_is_judged_later(played: PlayedSequence) -> None:
    take(played, "hurry 1")
    assert played.play(good_call(1), take_step) == []
    assert [fired.verdict for fired in played.play(good_call(2), take_step)] == []
    assert len(played.play(good_call(3), take_step)) == 3
    take(played, "hurry")
    assert played.play(good_call(4), take_step) == []
    assert [fired.verdict for fired in played.finish()] == [Verdict.PASS]
    assert played.lines == []


def test_what_may_do_harm_is_not_sent(played: PlayedSequence) -> None:
    (fired,) = played.play(b"\xff\xff\xff\xff", take_step)
    assert (fired.verdict, fired.reason) == (Verdict.NA, "it begins so")
    assert played.current.line.flying == []


def test_version_two_and_what_is_too_long(played: PlayedSequence) -> None:
    (fired,) = played.play(good_call()[:4] + bytes((0, 0, 0, 2)) + good_call()[8:], take_step)
    assert (fired.verdict, fired.reason) == (
        Verdict.INCONC,
        "Version Two has connections of its own",
    )
    longest = played.current.line.device.receive_length
    (fired,) = played.play(good_call() + bytes(longest), take_step)
    assert len(fired.octets) == longest
    assert f"cut to {longest} octets" in fired.what


def test_a_flood_comes_to_an_end(played: PlayedSequence) -> None:
    took = [fired for _ in range(14) for fired in played.play(item_of("flood 0 7"), take_step)]
    assert sum(bool(fired.allowed) for fired in took) <= 400
    assert played.cast(Shot()) == []
