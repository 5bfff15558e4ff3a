"""Exploring finds, shrinks and keeps; what was kept can be run again."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import pytest

from conformance.cli.main import main
from conformance.explore.explore import Exploration, Way, explore
from conformance.explore.finding import Finding, keep, load
from conformance.explore.replay import replay
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from targets.registry import find_target
from tests.conformance import miniatures as mini

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.tester.client.peer import Peer

LOOKS = {Way.CALLS: 60, Way.EXCHANGES: 8}
"""How often the clock is looked at before the time is over; an exchange takes longer."""


TO_SHRINK: Final = 120
"""The same where a finding is made smaller: what hypothesis begins with depends on which modules
are imported, since it draws their constants, and some beginnings are long."""


def explored(target: str, way: Way, looks: int) -> Exploration:
    """By a clock that moves when it is looked at, so that a busy machine tries no fewer."""
    harness = Harness(find_target(target))
    step = 60 / looks
    try:
        return explore(harness, way, 60, 1, clock=count(0, step).__next__)
    finally:
        harness.close()


@pytest.mark.long
@pytest.mark.parametrize("way", Way)
def test_nothing_is_found_at_the_reference(way: Way) -> None:
    result = explored("reference", way, LOOKS[way])

    assert result.findings == {}
    assert result.examples > 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("way", "mutant"), [(Way.CALLS, "grants-zero"), (Way.EXCHANGES, "grants-zero")]
)
def test_finding_is_small_and_breaks_the_same_again(way: Way, mutant: str, tmp_path: Path) -> None:
    result = explored(f"mutant:{mutant}", way, TO_SHRINK)
    finding = next(iter(result.findings.values()))

    assert len(finding.shots) + len(finding.steps) <= 8
    assert load(keep(tmp_path, finding)) == finding
    assert repeated(f"mutant:{mutant}", finding)
    assert not repeated("reference", finding)


def repeated(target: str, finding: Finding) -> tuple[str, ...]:
    harness = Harness(find_target(target))
    try:
        return replay(harness, finding)
    finally:
        harness.close()


def serving(harness: Harness, sequences: int) -> None:
    """Have the device serve no more after so many."""
    ready_peer, left = harness.ready_peer, count(sequences, -1)

    def dying() -> Peer:
        if next(left) <= 0:
            raise Inconclusive("it is gone")
        return ready_peer()

    harness.ready_peer = dying  # type: ignore[method-assign]


def test_what_was_found_stays_when_the_target_serves_no_more() -> None:
    harness = Harness(find_target("mutant:grants-zero"))
    serving(harness, 30)
    found = explore(harness, Way.CALLS, 600, 1)
    harness.close()
    assert (found.stopped, found.examples) == ("it is gone", 30)
    assert found.findings


def test_target_that_dies_is_started_again_and_explored_for_the_time_that_is_left() -> None:
    """Its death is a finding of the sequence that it died in: of few it is between two."""
    told = 0
    for lives in (200, 202, 204):
        target = mini.MiniatureTarget(mini.good, dies_after=lives)
        harness = Harness(target)
        ticks = count(0, 60 / LOOKS[Way.CALLS])
        result = explore(harness, Way.CALLS, 60, 1, clock=ticks.__next__)
        harness.close()

        assert target.session.restarts == 1
        assert not result.stopped
        told += any("the device has died" in one.detail for one in result.findings.values())
    assert told


def test_target_that_has_never_served_is_no_exploration() -> None:
    harness = Harness(find_target("reference"))
    serving(harness, 0)
    with pytest.raises(Inconclusive, match="it is gone"):
        explore(harness, Way.CALLS, 60, 1)
    harness.close()


@pytest.mark.long
def test_command_explores_and_its_file_replays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--time", "2", "--seed", "5", "--output", str(tmp_path)]

    assert main(["explore", "mutant:grants-zero", *command]) == 1
    path = next(tmp_path.iterdir())  # one finding for each version that is spoken
    assert f"rpcrdma replay {path} mutant:grants-zero" in capsys.readouterr().out
    assert main(["replay", str(path), "mutant:grants-zero"]) == 1
    assert "rdma_credit is 0" in capsys.readouterr().out
    assert main(["replay", str(path), "reference"]) == 0


def test_command_refuses_to_explore_for_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["explore", "reference", "--time", "0"])
    assert "argument --time: give a number of seconds above 0" in capsys.readouterr().err
