"""Stages one after the other: budget, interruption, going on, what hangs."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.nightly.night import Night, night_before, prune, unfinished
from conformance.nightly.process import ProcessEnd, run_process
from conformance.nightly.record import NightRecord, StageOutcome, read_night, write_night
from conformance.nightly.stage import NightStage, StageKind
from tests.conformance.nightly.conftest import Played, record, stage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BEGUN = datetime.fromisoformat("2026-11-26T22:00:00+00:00")
STAGES = (stage("first"), stage("second"), stage("third"), stage("fourth"))


def test_what_a_stage_does_not_need_is_there_for_those_that_follow(
    night: Callable[..., Night], played: Played
) -> None:
    played.takes = {"first": 10.0}
    done = night(STAGES).run()
    assert played.given == {"first": 25.0, "second": 30.0, "third": 30.0, "fourth": 30.0}
    assert (done.spent, done.finished) == (100.0, True)


def test_a_stage_for_which_no_time_is_left_says_so(
    night: Callable[..., Night], played: Played
) -> None:
    done = night([stage("first"), stage("boots", least=60.0)]).run()
    assert list(played.given) == ["first"]
    assert done.by_name["boots"].outcome is StageOutcome.NOT_RUN
    assert done.by_name["boots"].why == (
        "it takes 1 min 0 s at least, and of the budget 50 s are left"
    )


def test_what_works_until_it_is_interrupted_has_time_to_finish(
    night: Callable[..., Night], played: Played
) -> None:
    played.ends = {"tests": ProcessEnd(2, overran=True)}
    done = night([stage("tests", extra=30.0, ends_by_signal=True)]).run()
    assert played.given == {"tests": 70.0}
    assert done.by_name["tests"].outcome is StageOutcome.CLEAN
    assert done.by_name["tests"].why == "its share of the time, 1 min 40 s, was over"


def test_what_is_slow_to_begin_is_not_taken_for_hung(
    night: Callable[..., Night], played: Played
) -> None:
    night([stage("boots", extra=30.0)]).run()
    assert played.given == {"boots": 130.0}


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (ProcessEnd(-9, overran=True, killed=True), StageOutcome.HUNG),
        (ProcessEnd(130, overran=True), StageOutcome.HUNG),
        (ProcessEnd(-11), StageOutcome.DIED),
        (ProcessEnd(2), StageOutcome.NOT_RUN),
        (ProcessEnd(None, problem="vng: not found"), StageOutcome.NOT_RUN),
        (ProcessEnd(1), StageOutcome.FAILED),
        (ProcessEnd(4), StageOutcome.CUT),
    ],
)
def test_what_one_stage_does_costs_none_of_the_others(
    night: Callable[..., Night], played: Played, end: ProcessEnd, outcome: StageOutcome
) -> None:
    played.ends = {"second": end}
    done = night(STAGES).run()
    outcomes = [result.outcome for result in done.results]
    assert outcomes == [StageOutcome.CLEAN, outcome, StageOutcome.CLEAN, StageOutcome.CLEAN]


def test_an_interrupted_night_goes_on_with_the_stage_in_which_it_was(
    night: Callable[..., Night], played: Played
) -> None:
    played.takes = dict.fromkeys(("first", "second"), 10.0)
    played.ends = {"second": KeyboardInterrupt()}
    first = night(STAGES)
    with pytest.raises(KeyboardInterrupt):
        first.run()
    begun = read_night(first.folder)
    assert ([result.name for result in begun.results], begun.spent) == (["first"], 20.0)

    played.ends = {}
    played.given = {}
    done = night(STAGES, begun).run()
    assert list(played.given) == ["second", "third", "fourth"]
    assert played.given["second"] == pytest.approx(80 / 3)
    assert [result.name for result in done.results] == [one.name for one in STAGES]
    assert read_night(first.folder) == done


def test_a_killed_night_has_what_had_ended(night: Callable[..., Night], played: Played) -> None:
    """Nothing is written at the end that is not on disk after each stage."""
    played.ends = {"third": SystemExit()}
    killed = night(STAGES)
    with pytest.raises(SystemExit):
        killed.run()
    assert [result.name for result in read_night(killed.folder).results] == ["first", "second"]


def test_a_stage_begins_in_an_empty_folder(night: Callable[..., Night]) -> None:
    begun = night([stage("first")])
    old = begun.folder / "first" / "findings"
    old.mkdir(parents=True)
    (old / "calls-x.json").write_text("of before the interruption")
    assert begun.run().by_name["first"].findings == ()
    assert not old.exists()


def test_what_belongs_to_the_night_is_taken_from_what_stays(
    night: Callable[..., Night], played: Played
) -> None:
    live = stage("live", taken=("{kept}/live/findings", "{kept}/live/report.json"))
    begun = night([live])
    kept = begun.kept / "live"
    (kept / "findings").mkdir(parents=True)
    (kept / "findings" / "old.json").write_text("of a night that was killed")
    (kept / "corpus").mkdir()

    def leaves(*arguments: object) -> ProcessEnd:
        (kept / "findings").mkdir()
        (kept / "report.json").write_text("{}")
        return ProcessEnd(0)

    begun.runner = leaves
    begun.run()
    assert sorted(path.name for path in kept.iterdir()) == ["corpus"]
    taken = sorted(path.name for path in (begun.folder / "live").rglob("*"))
    assert taken == ["findings", "report.json"]


def test_with_real_processes(tmp_path: Path) -> None:
    """One is clean, one hangs, one is not there; each is what it is, and the night is finished."""

    def program(name: str, *words: str, least: float = 0.1) -> NightStage:
        return NightStage(name, words, StageKind.FINDINGS, 1.0, least)

    stages = (
        program("clean", sys.executable, "-c", "print('12 executions, 3 a second')", least=60.0),
        program("hangs", sys.executable, "-c", "import threading; threading.Event().wait()"),
        program("missing", "no-such-program"),
    )
    begun = msgspec.structs.replace(record(stages), budget=62.0)
    clean, hangs, missing = (
        Night(stages, tmp_path / "night", tmp_path / "kept", begun, lambda line: None, run_briefly)
        .run()
        .results
    )
    assert (clean.outcome, clean.rates["inputs a second"]) == (StageOutcome.CLEAN, 3.0)
    assert hangs.outcome is StageOutcome.HUNG
    assert hangs.why == "its time was over; KeyboardInterrupt"
    assert (missing.outcome, missing.status) == (StageOutcome.NOT_RUN, None)


def run_briefly(
    command: list[str], log: Path, deadline: float, environment: dict[str, str]
) -> ProcessEnd:
    """Half a second is what a stage has that would hang for longer."""
    return run_process(command, log, deadline if "12 exec" in command[-1] else 0.5, environment)


@pytest.mark.parametrize(
    ("changes", "hours", "reason"),
    [
        ({"suite": "0.2.0"}, 1, "another version of the suite"),
        ({"options": "nightly --only x"}, 1, "other options"),
        ({"plan": ("other",)}, 1, "other options"),
        ({}, 19, "longer ago than a night lasts"),
        ({"suite": "0.2.0"}, 19, "another version of the suite, longer ago than a night lasts"),
    ],
)
def test_a_night_that_is_not_gone_on_with_is_told_with_the_reason(
    tmp_path: Path, changes: dict[str, object], hours: int, reason: str
) -> None:
    wanted = record(STAGES)
    write_night(tmp_path / "2026-11-26", msgspec.structs.replace(wanted, **changes))
    found, words = unfinished(tmp_path, wanted, BEGUN + timedelta(hours=hours))
    assert found is None
    assert words == f"the night of {wanted.started} is left unfinished: {reason}"


def test_the_same_night_is_gone_on_with_unless_it_was_finished(tmp_path: Path) -> None:
    wanted = record(STAGES)
    folder = tmp_path / "2026-11-26"
    assert unfinished(tmp_path, wanted, BEGUN) == (None, "")
    write_night(folder, wanted)
    assert unfinished(tmp_path, wanted, BEGUN + timedelta(hours=1)) == (folder, "")
    write_night(folder, msgspec.structs.replace(wanted, finished=True))
    assert unfinished(tmp_path, wanted, BEGUN) == (None, "")


def test_an_older_night_is_left_once_another_was_begun(tmp_path: Path) -> None:
    wanted = record(STAGES)
    write_night(tmp_path / "2026-11-25", wanted)
    write_night(tmp_path / "2026-11-26", msgspec.structs.replace(wanted, finished=True))
    assert unfinished(tmp_path, wanted, BEGUN) == (None, "")


def test_a_night_is_compared_with_the_last_whole_one_before_it(tmp_path: Path) -> None:
    nights: dict[str, NightRecord] = {}
    for name, finished in (("1", True), ("2", False), ("3", True), ("4", True)):
        seed = int(name)
        nights[name] = msgspec.structs.replace(record(STAGES), seed=seed, finished=finished)
        write_night(tmp_path / name, nights[name])
    assert night_before(tmp_path, tmp_path / "3") == nights["1"]
    assert night_before(tmp_path, tmp_path / "4") == nights["3"]
    assert night_before(tmp_path, tmp_path / "1") is None


def test_old_nights_go_but_never_the_last_whole_one(tmp_path: Path) -> None:
    for name, finished in (("1", True), ("2", True), ("3", False), ("4", False)):
        write_night(tmp_path / name, msgspec.structs.replace(record(STAGES), finished=finished))
    prune(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "4"]
