"""`rpcrdma dev detect`: what it lists, what it refuses, and what it publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.cli import detect
from conformance.proof.detect import page
from conformance.proof.detect.explained import Explanation, WhyMissed
from conformance.proof.detect.results import Fate, Head, Tried, read_results
from conformance.proof.kept_results import write_kept
from tests.conformance.cli.command_line import refused, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conformance.proof.detect.run import Plan

MODULE = "rpcrdma.endpoint.core.credits"
HEAD = Head("digest", "0123456789ab", 7, "rpcrdma.endpoint", 100)
FOUND = Tried(f"{MODULE}:1:0:a:0", MODULE, "f", "a", "`a` is it", "a", Fate.NAMED)
MISSED = Tried(f"{MODULE}:1:0:b:0", MODULE, "f", "b", "`b` is it", "b", Fate.SURVIVED)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where things are published."""
    monkeypatch.setattr(page, "PAGE", tmp_path / "README.md")
    monkeypatch.setattr(page, "RECORD", tmp_path / "faults.jsonl")
    monkeypatch.setattr(detect, "read_explained", dict)
    return tmp_path


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """The plans that were carried out, in which one fault is found and one is not."""
    seen: list[Plan] = []

    def try_all(
        plan: Plan, on_tried: Callable[[Tried, int, int], None], on_lines: Callable[[], None]
    ) -> tuple[Head, tuple[Tried, ...]]:
        seen.append(plan)
        on_lines()
        on_tried(FOUND, 1, 2)
        on_tried(MISSED, 2, 2)
        return HEAD, (FOUND, MISSED)

    monkeypatch.setattr(detect, "try_all", try_all)
    return seen


def test_a_list_is_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("dev", "detect", "--list", "--module", MODULE, "--sample", "3", "--seed", "7") == 0

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{MODULE}:") and " becomes " in line for line in lines)


@pytest.mark.long
def test_what_nobody_has_explained_ends_with_status_1(
    folder: Path, plans: list[Plan], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--sample", "2", "--seed", "7", "-n", "2", "--output", str(folder / "run"))

    assert run("dev", "detect", *words) == 1

    said = capsys.readouterr()
    assert said.out.startswith(f"SURVIVED {MISSED.id} b f: `b` is it\n")
    assert "2 faults: 1 found" in said.out
    assert "1/2 named" in said.err
    assert "2/2 survived" in said.err
    (plan,) = plans
    assert (plan.folder, plan.seed, plan.size, plan.workers) == (folder / "run", 7, 2, 2)
    assert not (folder / "README.md").exists()


def test_a_run_is_published_if_that_is_wanted(folder: Path, plans: list[Plan]) -> None:
    assert run("dev", "detect", "--write") == 1

    assert plans
    assert read_results(folder / "faults.jsonl") == (HEAD, (FOUND, MISSED))
    assert "`b` is it" in (folder / "README.md").read_text()


def test_the_page_is_rendered_anew_without_a_run(folder: Path, plans: list[Plan]) -> None:
    write_kept(folder / "faults.jsonl", HEAD, [FOUND])

    assert run("dev", "detect", "--page") == 0

    assert not plans
    assert "a sample of 1 of 100 faults" in (folder / "README.md").read_text()


def test_what_was_not_found_is_tried_again(
    folder: Path, plans: list[Plan], capsys: pytest.CaptureFixture[str]
) -> None:
    gone = msgspec.structs.replace(MISSED, fingerprint="gone")
    write_kept(folder / "faults.jsonl", HEAD, [FOUND, MISSED, gone])

    assert run("dev", "detect", "--again", str(folder / "faults.jsonl")) == 1

    (plan,) = plans
    assert (plan.fingerprints, plan.seed) == (("b", "gone"), HEAD.seed)
    assert "GONE gone: the code of its function has changed" in capsys.readouterr().out


@pytest.mark.long
def test_what_changes_what_is_sent_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shows = msgspec.structs.replace(MISSED, seen=4, seen_in=("c",), difference="event 1")
    why = Explanation("b", "b", WhyMissed.EQUIVALENT, "It is.")
    write_kept(folder / "faults.jsonl", HEAD, [shows])

    assert run("dev", "detect", "--page") == 1
    assert "\n  shows in 4 cases; in c: event 1\n" in capsys.readouterr().out

    monkeypatch.setattr(detect, "read_explained", lambda: {"b": why})
    run("dev", "detect", "--page")
    assert f"SHOWS {shows.id} b: event 1; its explanation is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--module", "rpcrdma.wire"), "`rpcrdma.wire` is no module of rpcrdma.endpoint"),
        (("--sample", "0"), "argument --sample: give at least 1"),
        (("-n", "none"), "argument -n/--processes: give at least 1"),
        (("--again", "--write"), "--again tries a part of one"),
        (("--output", "/proc/nothing"), "cannot use `/proc/nothing`"),
    ],
)
def test_bad_input_gets_one_sentence(
    words: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert problem in refused(capsys, "dev", "detect", *words)
