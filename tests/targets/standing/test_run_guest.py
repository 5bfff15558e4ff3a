"""One guest after the other for one run, with guests that are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from targets.lab.errors import LabError
from targets.lab.logs import keep_logs
from targets.standing import run_guest as module
from targets.standing.guest import StandingGuest
from targets.standing.run_guest import GuestEnd, RunGuest
from targets.standing.setup import StandingSetup

SETUP = StandingSetup()


@dataclass
class FakeGuest:
    """Comes up, or does not."""

    release: str = "6.1.0"
    failure: str = ""
    is_kept: bool = False
    is_closed: bool = False

    def log(self) -> str:
        return "" if self.is_closed else "its last words\n"

    def keep_logs(self, folder: Path) -> None:
        assert not self.is_closed
        keep_logs((Path(__file__),), folder / self.release)

    def await_ready(self) -> None:
        if self.failure:
            raise LabError("booting the lab", self.failure)

    def close(self) -> None:
        self.is_closed = True


@dataclass
class Guests:
    """The one that a run begins with, those that are started after it, and what is said of them."""

    first: FakeGuest
    others: list[FakeGuest]
    asked: list[tuple[StandingSetup, str | None]] = field(default_factory=list)
    told: list[GuestEnd] = field(default_factory=list)

    def start(self, setup: StandingSetup, kernel: str | None) -> FakeGuest:
        self.asked.append((setup, kernel))
        return self.others.pop(0)

    def begin(self, monkeypatch: pytest.MonkeyPatch) -> RunGuest:
        monkeypatch.setattr(module, "guest_for", lambda *_: self.first)
        monkeypatch.setattr(StandingGuest, "start", self.start)
        return RunGuest.begin(SETUP, "6.1", self.told.append)


def test_a_guest_that_died_is_ended_and_another_one_takes_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the same setup and kernel; its last words are handed over."""
    guests = Guests(FakeGuest(), [FakeGuest()])
    with guests.begin(monkeypatch) as run:
        second = guests.others[0]
        assert run.replace("oops in the kernel") is second  # type: ignore[comparison-overlap]
        assert guests.first.is_closed
        assert not second.is_closed
        assert guests.asked == [(SETUP, "6.1")]
        assert guests.told == [
            GuestEnd("oops in the kernel; going on in a new guest", "its last words\n")
        ]
    assert second.is_closed


def test_a_guest_of_the_users_is_left_as_it_is_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is let go of: `rpcrdma lab down` is the user's."""
    guests = Guests(FakeGuest(is_kept=True), [FakeGuest()])
    guests.begin(monkeypatch).replace("the virtual machine has ended")

    assert str(guests.told[0]) == (
        "the virtual machine has ended; the guest of `rpcrdma lab up` is left as it is; going on in"
        " a new guest"
    )


def test_no_second_one_is_tried_where_the_new_one_does_not_come_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is ended with the run."""
    broken = FakeGuest(failure="the guest did not start: panic in the kernel")
    guests = Guests(FakeGuest(), [broken, FakeGuest()])
    with (
        guests.begin(monkeypatch) as run,
        pytest.raises(LabError, match="did not start: panic in the kernel"),
    ):
        run.replace("oops in the kernel")

    assert broken.is_closed
    assert len(guests.others) == 1


def test_a_run_has_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest one may be another by now."""
    guests = Guests(FakeGuest(), [FakeGuest("6.12.0")])
    with (
        guests.begin(monkeypatch) as run,
        pytest.raises(LabError, match=r"its kernel is 6\.12\.0, that of the run was 6\.1\.0"),
    ):
        run.replace("oops in the kernel")


def test_a_guest_that_is_up_and_dead_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing of it to keep: it died in another run."""
    told: list[GuestEnd] = []

    def find(_setup: object, _kernel: object, say: object) -> FakeGuest:
        say("it died")  # type: ignore[operator]  # what `guest_for` is given
        return FakeGuest()

    monkeypatch.setattr(module, "guest_for", find)
    RunGuest.begin(SETUP, None, told.append).close()

    assert told == [GuestEnd("it died")]


def test_the_logs_of_each_guest_are_kept_once_before_it_goes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    guests = Guests(FakeGuest(), [FakeGuest()])
    with guests.begin(monkeypatch) as run:
        run.logs = tmp_path
        run.replace("oops in the kernel")
        run.close()
    (kept,) = (tmp_path / "6.1.0").iterdir()
    assert kept.read_bytes() == Path(__file__).read_bytes() * 2
