"""`rpcrdma explore` where a guest is needed; see explore/test_explore.py for the rest."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from conformance.cli import explore
from conformance.cli.main import main
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from reports.summary import CUT_SHORT
from targets.lab.guest import INSIDE
from targets.lab.lab import Ending
from targets.lab.place import RunPlace
from targets.registry import find_target
from targets.standing.run_guest import GuestEnd
from tests.conformance.cli.fake_lab import FakeLab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conformance.tester.client.peer import Peer
    from targets.base import Target


@dataclass
class Places:
    """Where targets were taken to, and which of their guests are of no use there any more."""

    asked: list[tuple[str, RunPlace, str]] = field(default_factory=list)
    ends: list[GuestEnd] = field(default_factory=list)
    logs: Path | None = None

    @contextmanager
    def placed(
        self,
        target: Target,
        place: RunPlace,
        kernel: str,
        told: Callable[[GuestEnd], None],
        *,
        logs: Path,
    ) -> Iterator[tuple[Target, tuple[()]]]:
        """As `targets.placed.placed`, with the reference in the place of what is in a guest."""
        self.asked.append((target.name, place, kernel))
        self.logs = logs
        for end in self.ends:
            told(end)
        yield find_target("reference"), ()


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> Places:
    """Guests."""
    made = Places()
    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr(explore, "place_of", lambda _profile, _fabric: RunPlace.DEVICE_IN_GUEST)
    monkeypatch.setattr(explore, "placed", made.placed)
    return made


def test_device_in_a_guest_is_explored_from_outside(
    places: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--time", "1", "--seed", "5", "--kernel", "6.12", "--output", str(tmp_path / "found"))

    assert main(["explore", "linux-server", *words]) == 0

    assert places.asked == [("linux-server", RunPlace.DEVICE_IN_GUEST, "6.12")]
    assert "exploring linux-server by calls from seed 5" in capsys.readouterr().out
    assert not (tmp_path / "found").exists()


def test_guest_that_was_replaced_is_told_and_its_console_kept(
    places: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No good server brings its machine to that; one that was dead before is none of ours."""
    words = ["explore", "linux-server", "--time", "1", "--output", str(tmp_path)]
    places.ends = [GuestEnd("the guest that is up is dead")]
    assert main(words) == 0
    places.ends = [GuestEnd("oops in the kernel; going on in a new guest", "BUG\n")]

    assert main(words) == 1

    (log,) = tmp_path.iterdir()
    assert log.read_text() == "BUG\n"
    told = capsys.readouterr().out.splitlines()
    assert "the guest that is up is dead" in told
    assert "oops in the kernel; going on in a new guest" in told
    assert f"what its kernel had printed: {log}" in told


def test_target_that_has_never_served_is_bad_input(
    places: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The harness has done what can be done."""

    def gone(_harness: Harness) -> Peer:
        raise Inconclusive("the kernel is gone")

    monkeypatch.setattr(Harness, "ready_peer", gone)

    assert main(["explore", "linux-server", "--time", "600"]) == 2

    assert "linux-server: the kernel is gone" in capsys.readouterr().err
    assert len(places.asked) == 1


def test_the_labs_own_deadline_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr(explore, "place_of", lambda _profile, _fabric: RunPlace.ALL_IN_GUEST)
    monkeypatch.setattr(explore, "run_in_lab", FakeLab(0, Ending.DEADLINE).run)
    words = ("--time", "9", "--fabric", "verbs", "--output", str(tmp_path))
    assert main(["explore", "linux-server", *words]) == CUT_SHORT


def test_over_verbs_tester_and_device_are_in_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = FakeLab(status=3)
    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr(explore, "place_of", lambda _profile, _fabric: RunPlace.ALL_IN_GUEST)
    monkeypatch.setattr(explore, "run_in_lab", lab.run)

    words = ("--time", "9", "--seed", "4", "--fabric", "verbs", "--output", str(tmp_path))
    status = main(["explore", "linux-server", *words])

    assert status == 3
    (run,) = lab.asked
    command = run.setup.command
    assert command[3:7] == ("explore", "linux-server", "--time", "9.0")
    assert command[command.index("--seed") + 1] == "4"
    assert command[command.index("--fabric") + 1] == "verbs"
    assert run.writable == (tmp_path,)


def test_client_is_refused_before_anything_is_booted(capsys: pytest.CaptureFixture[str]) -> None:
    """It calls and is not called."""
    assert main(["explore", "linux-client", "--time", "1"]) == 2
    assert "is a client" in capsys.readouterr().err
