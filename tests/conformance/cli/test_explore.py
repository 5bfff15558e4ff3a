"""`rpcrdma explore` where a guest is needed; see explore/test_explore.py for the rest."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from conformance.cli import explore
from conformance.cli.main import main
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from targets.lab.guest import INSIDE
from targets.lab.lab import Ending, LabRun
from targets.lab.place import RunPlace
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.tester.client.peer import Peer
    from targets.base import Target

MUTANT = "mutant:grants-zero"


@dataclass
class Places:
    """Where targets were taken to, and how many sequences each of them lives for."""

    asked: list[tuple[str, RunPlace, str]] = field(default_factory=list)
    lives: list[int] = field(default_factory=list)

    @contextmanager
    def placed(
        self, target: Target, place: RunPlace, kernel: str = ""
    ) -> Iterator[tuple[Target, tuple[()]]]:
        """As `targets.placed.placed`, with a mutant in the place of what is in a guest."""
        self.asked.append((target.name, place, kernel))
        yield find_target(MUTANT), ()


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> Places:
    """Guests whose server serves no more after some sequences."""
    made = Places()
    ready_peer = Harness.ready_peer

    def dying(harness: Harness) -> Peer:
        guest = len(made.asked) - 1
        if guest < len(made.lives):
            made.lives[guest] -= 1
            if made.lives[guest] < 0:
                raise Inconclusive("the kernel is gone")
        return ready_peer(harness)

    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr(explore, "place_of", lambda _profile, _fabric: RunPlace.DEVICE_IN_GUEST)
    monkeypatch.setattr(explore, "placed", made.placed)
    monkeypatch.setattr(Harness, "ready_peer", dying)
    return made


def test_device_in_a_guest_is_explored_from_outside_and_replaced_when_it_serves_no_more(
    places: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was found in it is kept; where the next has never served, there is no third."""
    places.lives = [30, 0]
    words = ("--time", "600", "--seed", "5", "--kernel", "6.12", "--output", str(tmp_path))

    assert main(["explore", "linux-server", *words]) == 1

    said = capsys.readouterr()
    assert "the kernel is gone; going on in a new guest" in said.out
    assert said.err == "rpcrdma explore: linux-server: the kernel is gone\n"
    assert places.asked == [("linux-server", RunPlace.DEVICE_IN_GUEST, "6.12")] * 2
    assert list(tmp_path.iterdir())


def test_target_that_has_never_served_is_bad_input(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    """No guest is tried after it."""
    places.lives = [0]

    assert main(["explore", "linux-server", "--time", "600"]) == 2

    assert "linux-server: the kernel is gone" in capsys.readouterr().err
    assert len(places.asked) == 1


def test_over_verbs_tester_and_device_are_in_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[LabRun] = []

    def run_in_lab(run: LabRun, _listener: object) -> SimpleNamespace:
        asked.append(run)
        return SimpleNamespace(ending=Ending.EXITED, status=1)

    monkeypatch.delenv(INSIDE, raising=False)
    monkeypatch.setattr(explore, "place_of", lambda _profile, _fabric: RunPlace.ALL_IN_GUEST)
    monkeypatch.setattr(explore, "run_in_lab", run_in_lab)

    words = ("--time", "9", "--seed", "4", "--fabric", "verbs", "--output", str(tmp_path))
    status = main(["explore", "linux-server", *words])

    assert status == 1
    (run,) = asked
    command = run.setup.command
    assert command[3:7] == ("explore", "linux-server", "--time", "9.0")
    assert command[command.index("--seed") + 1] == "4"
    assert command[command.index("--fabric") + 1] == "verbs"
    assert run.writable == (tmp_path,)


def test_client_is_refused_before_anything_is_booted(capsys: pytest.CaptureFixture[str]) -> None:
    """It calls and is not called."""
    assert main(["explore", "linux-client", "--time", "1"]) == 2
    assert "is a client" in capsys.readouterr().err
