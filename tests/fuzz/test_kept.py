"""Findings that were kept are run again; this is where a regression shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.cli.main import main
from conformance.explore.finding import Finding, keep, load
from fuzz.invariant import BrokenInvariant, finding_of
from fuzz.kept import kept, problem_of, stay
from fuzz.live.client.recipes import WAY, Turn, input_of
from fuzz.live.move import Move
from fuzz.live.server import steps
from fuzz.responder_executor import good_call
from fuzz.sequence import join
from targets.registry import find_any_target, find_target

if TYPE_CHECKING:
    from pathlib import Path

SEQUENCE = join([good_call(1), good_call(2)])
BROKEN = BrokenInvariant("oracle", "seen")


@pytest.mark.parametrize("path", kept(), ids=lambda path: path.stem)
def test_what_was_found_once_is_not_found_again(path: Path) -> None:
    assert problem_of(load(path)) == ""


def made(folder: Path, way: str = "v1-responder") -> Path:
    return keep(folder, finding_of(way, SEQUENCE, BROKEN))


def test_command_keeps_a_finding_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = made(tmp_path / "findings")
    folder = tmp_path / "regressions"
    words = ["fuzz", "keep", str(found), "--regressions", str(folder)]

    assert main(words) == 0
    assert main(words) == 0

    (path,) = kept(folder)
    assert load(path) == load(found)
    assert capsys.readouterr().out == f"kept: {path}\nits test passes\n" * 2


def test_command_says_what_is_still_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def judge(*_arguments: object) -> None:
        raise BROKEN

    monkeypatch.setattr("fuzz.engine.judge", judge)
    found = made(tmp_path / "findings")

    assert main(["fuzz", "keep", str(found), "--regressions", str(tmp_path)]) == 0

    assert f"its test fails until this is mended: {BROKEN}" in capsys.readouterr().out


def test_a_finding_of_explore_is_sent_to_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    explored = next(path for path in kept() if load(path).shots)
    assert problem_of(load(explored)) == ""

    monkeypatch.setattr("fuzz.kept.replay", lambda harness, finding: ("one", "two"))

    assert problem_of(load(explored)) == "one; two"


def test_turns_of_a_client_are_taken_at_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    octets = input_of([Turn(answers=((Move("useless", 11),),))])
    path, finding = stay(keep(tmp_path / "findings", Finding(WAY, octets=octets)), tmp_path)
    assert load(path) == finding
    assert problem_of(finding) == ""

    mutant = find_any_target("mutant:takes-msgp")
    monkeypatch.setattr("fuzz.kept.find_any_target", lambda _name: mutant)

    assert "before the call has its Reply" in problem_of(finding)


def test_steps_of_a_server_are_taken_at_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("hurry", "call 16 9001", "withdraw", "wait")
    found = keep(tmp_path / "findings", Finding(steps.WAY, lines=lines))
    path, finding = stay(found, tmp_path)
    assert load(path) == finding
    assert problem_of(finding) == ""

    mutant = find_target("mutant:dies-of-access-errors")
    monkeypatch.setattr("fuzz.kept.find_target", lambda _name: mutant)

    assert "remote access error" in problem_of(finding)


def test_what_is_no_step_does_not_stay(tmp_path: Path) -> None:
    found = keep(tmp_path / "findings", Finding(steps.WAY, lines=("jump",)))
    with pytest.raises(BadInput, match="`jump` is no step to a server"):
        stay(found, tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["keep"], "name what to keep: rpcrdma fuzz keep findings/FILE.json"),
        (["keep", "BARE"], "is bare octets, which no harness is named for"),
        (["keep", "FOREIGN"], "no harness is called 'v9-header'"),
        (["keep", "nowhere"], "nowhere"),
        (["v1-header", "BARE"], "a finding goes with `keep`: rpcrdma fuzz keep"),
    ],
)
def test_what_cannot_be_kept_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    bare = tmp_path / "crash"
    bare.write_bytes(good_call(1))
    foreign = made(tmp_path, "v9-header")
    names = {"BARE": str(bare), "FOREIGN": str(foreign)}

    assert main(["fuzz", *(names.get(word, word) for word in words)]) == 2

    assert told in capsys.readouterr().err
    assert kept(tmp_path) == (foreign,)


def test_what_is_no_longer_a_harness_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no harness is called"):
        problem_of(load(made(tmp_path, "v9-header")))


def test_bare_octets_are_not_kept(tmp_path: Path) -> None:
    bare = tmp_path / "crash"
    bare.write_bytes(good_call(1))
    with pytest.raises(BadInput, match="bare octets"):
        stay(bare, tmp_path)
