"""Targets at their places, with a guest that is none."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from targets import guest_device
from targets.guest_device import GuestServerTarget
from targets.lab.place import RunPlace
from targets.network import NetworkTarget
from targets.placed import placed
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from targets.profile import Profile


@dataclass
class FakeGuest:
    """Has a kernel, and was ended or not."""

    release: str = "6.1.0"
    testers: int = 0
    ended: bool = False


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch) -> FakeGuest:
    made = FakeGuest()

    @contextmanager
    def guest_of(
        _profile: Profile, kernel: str, _told: object, *, testers: int
    ) -> Iterator[FakeGuest]:
        made.release = kernel or made.release
        made.testers = testers
        yield made
        made.ended = True

    monkeypatch.setattr(guest_device, "guest_of", guest_of)
    return made


def test_device_in_a_guest_is_reached_there(guest: FakeGuest) -> None:
    """What is known of its kernel goes along; the guest ends with the run."""
    target = find_target("linux-server")

    with placed(target, RunPlace.DEVICE_IN_GUEST) as (device, facts):
        assert isinstance(device, GuestServerTarget)
        assert facts == (("kernel", "6.1.0"), ("guest", "replaced where it dies"))
        assert not guest.ended

    assert guest.ended


def test_kernel_that_was_asked_for_is_the_guests(guest: FakeGuest) -> None:
    """By release or image."""
    place = RunPlace.DEVICE_IN_GUEST
    with placed(find_target("linux-server"), place, "6.12") as (_, facts):
        assert facts[0] == ("kernel", guest.release) == ("kernel", "6.12")


def test_guest_is_for_as_many_testers_as_there_are(guest: FakeGuest) -> None:
    """One, if nothing else is said."""
    target, place = find_target("linux-server"), RunPlace.DEVICE_IN_GUEST
    with placed(target, place):
        assert guest.testers == 1
    with placed(target, place, testers=2):
        assert guest.testers == 2


def test_target_of_this_machine_stays_what_it_is(guest: FakeGuest) -> None:
    """No guest is there for it."""
    target = find_target("reference")

    with placed(target, RunPlace.HERE) as (device, facts):
        assert (device, facts) == (target, ())

    assert not guest.ended


def test_server_that_is_started_here_leaves_its_output_where_logs_are(tmp_path: Path) -> None:
    """Nowhere, if nothing is said."""
    target = find_target("linux-server")
    assert isinstance(target, NetworkTarget)

    with placed(target, RunPlace.HERE, logs=tmp_path):
        assert target.logs == tmp_path
    with placed(target, RunPlace.HERE):
        assert target.logs is None
