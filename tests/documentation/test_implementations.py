"""The page of implementations: which runs are made for it, and which are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.nightly.record import NightRecord, write_night
from documentation.implementations import BINDINGS, KERNELS, main, runs_of
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STAGES = ("certify-reference", "certify-linux-server-6.12", "certify-linux-client-6.12")


@pytest.fixture
def nights(tmp_path: Path) -> Path:
    """A night in which the second stage left no run, after one that is of no interest."""
    for date in ("2026-01-01", "2026-01-02"):
        night = tmp_path / "nights" / date
        night.mkdir(parents=True)
        write_night(night, NightRecord(date, "suite", 1, 60.0, "", STAGES))
        for stage in (STAGES[2], STAGES[0]):
            (night / stage / "run").mkdir(parents=True)
            (night / stage / "run" / "records.jsonl").touch()
    return tmp_path


class Commands:
    """What `rpcrdma` was asked for; it ends with the status that is given for its first word."""

    def __init__(self, **statuses: int) -> None:
        self.asked: list[Sequence[str]] = []
        self._statuses = statuses

    def __call__(self, words: Sequence[str]) -> int:
        self.asked.append(words)
        return self._statuses.get(words[0], 0)


def test_runs_are_those_of_the_newest_night_in_the_order_of_its_stages(nights: Path) -> None:
    newest = nights / "nights" / "2026-01-02"
    assert runs_of(nights) == (newest / STAGES[0] / "run", newest / STAGES[2] / "run")


def test_runs_of_bindings_come_after_those_of_kernels(nights: Path) -> None:
    night = nights / "bindings" / "nights" / "2026-01-03"
    (night / "certify-other" / "run").mkdir(parents=True)
    (night / "certify-other" / "run" / "records.jsonl").touch()
    write_night(night, NightRecord("2026-01-03", "suite", 1, 60.0, "", ("certify-other",)))
    assert runs_of(nights)[2:] == (night / "certify-other" / "run",)


def test_each_binding_is_a_profile() -> None:
    assert [find_profile(name).name for name in BINDINGS] == list(BINDINGS)


def test_without_a_night_one_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no night; leave --page-only out"):
        runs_of(tmp_path)


def test_kernels_are_fetched_before_the_runs_and_these_made_before_the_page(nights: Path) -> None:
    command = Commands(nightly=1)
    page = nights / "page.html"
    assert main(["--output", str(nights), "--page", str(page)], command) == 0
    fetched, ran, others, made = command.asked
    assert list(fetched) == ["lab", "kernel", *KERNELS]
    assert [word for word in ran if word in KERNELS] == list(KERNELS)
    assert list(ran[:6]) == ["nightly", "--only", "certify-*", "--budget", "90m", "--output"]
    assert list(others) == [*ran[:6], str(nights / "bindings"), *BINDINGS]
    shown = [str(run) for run in runs_of(nights)]
    assert list(made[:-2]) == ["report", *shown, "--page", str(page)]


@pytest.mark.parametrize(("what", "asked"), [("lab", 1), ("nightly", 2)])
def test_what_cannot_be_done_ends_it(nights: Path, what: str, asked: int) -> None:
    command = Commands(**{what: 2})
    assert main(["--output", str(nights)], command) == 2
    assert len(command.asked) == asked


def test_a_page_can_be_made_of_the_runs_that_are_there(nights: Path) -> None:
    command = Commands()
    assert main(["--output", str(nights), "--page-only"], command) == 0
    assert [words[0] for words in command.asked] == ["report"]
