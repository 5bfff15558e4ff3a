"""A client under test that dies or falls silent: told in one case, and started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation
from conformance.tester.server.harness import ClientHarness
from targets.base import TargetError
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    """One whose client has made a good call in the case that has begun."""
    running = ClientHarness(ReferenceClientTarget(load_profile(SHIPPED / "reference-client.toml")))
    running.begin()
    running.ready()
    yield running
    running.close()


def kill_client(harness: ClientHarness) -> None:
    harness.session._failure = "RuntimeError: no slot"  # type: ignore[attr-defined]


def test_a_client_that_died_is_started_again(harness: ClientHarness) -> None:
    harness.session.close()

    harness.end()
    harness.begin()
    harness.ready()

    assert len(harness.service.received) == 1


def test_a_client_that_lives_is_started_again_if_it_must_be(harness: ClientHarness) -> None:
    before, trace = harness.session.fabric, harness.trace

    harness.renew(files_too=True)

    assert harness.session.fabric is not before
    assert harness.trace is trace
    harness.ready()
    assert (harness.life.lapse, len(harness.service.received)) == ("", 1)


def test_a_client_that_cannot_be_started_again_goes_on_as_it_was(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restart() -> None:
        raise TargetError("no means")

    monkeypatch.setattr(harness.session, "restart", restart)
    with pytest.raises(TargetError, match="no means"):
        harness.renew(files_too=True)

    harness.begin()
    harness.ready()
    assert len(harness.service.received) == 1


def test_a_client_that_died_in_a_case_is_reported(harness: ClientHarness) -> None:
    kill_client(harness)

    with pytest.raises(Deviation, match="The client died: RuntimeError: no slot"):
        harness.check_after()


def test_a_client_that_died_after_a_case_is_told_by_the_next_one(harness: ClientHarness) -> None:
    """It is started again for those that follow."""
    kill_client(harness)

    harness.end()
    harness.begin()
    harness.ready()

    assert (harness.life.died, harness.life.died_before) == ("", "RuntimeError: no slot")


def test_a_client_that_died_before_its_case_ended_is_reported_beside_it(
    harness: ClientHarness,
) -> None:
    kill_client(harness)

    found = harness.judged(Deviation("Nothing came.", breaks=("one",)), ())

    assert isinstance(found, Deviation)
    assert found.reason == "Nothing came. The client died: RuntimeError: no slot."
    assert harness.life.console == ""


class Never:
    """An act that does not end."""

    def poll(self) -> None:
        return None

    def abandon(self) -> None:
        return None


def test_a_client_that_has_fallen_silent_is_reported(harness: ClientHarness) -> None:
    harness.session._client.close()  # type: ignore[attr-defined]
    harness.session.begin = lambda _act: Never()  # type: ignore[assignment, method-assign]

    with pytest.raises(Deviation, match="does not make a good call any more"):
        harness.check_after()


def test_a_client_that_lives_and_makes_no_good_call_has_lapsed_when_it_is_started_again(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = ["it is mute", "it is mute", ""]
    monkeypatch.setattr(harness, "_problem", lambda: problems.pop(0))
    harness.end()
    harness.begin()

    harness.ready()

    assert problems == []
    assert harness.life.lapse == "it is mute"
    assert harness.case.notes == ["The client had to connect anew before the case: it is mute."]
    harness.begin()
    assert harness.life.lapse == ""


def test_a_client_that_dies_of_the_call_before_its_case_has_died_before_it(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.end()
    harness.begin()
    called = harness._problem

    def dies() -> str:
        monkeypatch.setattr(harness, "_problem", called)
        kill_client(harness)
        return "it is mute"

    monkeypatch.setattr(harness, "_problem", dies)
    harness.ready()

    assert (harness.life.died, harness.life.died_before) == ("", "RuntimeError: no slot")
    assert harness.case.notes == []  # it was not told to connect anew, but started again
    harness.check_after()
