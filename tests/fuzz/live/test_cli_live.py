"""`rpcrdma fuzz --live`, at the reference and at a guest that is not there."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Self

import pytest

from conformance.cli.main import main
from fuzz.live import cli_live
from fuzz.live.coverage import Block
from fuzz.live.reach import read_blocks, write_blocks
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

REACHED = Block("rpcrdma", "send", 3)


def live(folder: Path, target: str, *more: str) -> int:
    return main(["fuzz", "--live", target, "--time", "1", "--output", str(folder), *more])


def test_the_reference_keeps_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert live(tmp_path, "reference", "--seed", "5") == 0
    said = capsys.readouterr().out
    assert "Nothing was found to be wrong." in said
    assert said.endswith(f"report: {tmp_path / 'campaign-1' / 'report.md'}\n")
    assert list((tmp_path / "corpus").iterdir())


@pytest.mark.long
def test_a_second_campaign_leaves_the_first_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live(tmp_path, "mutant:grants-zero", "--seed", "5")
    first = {file: file.read_bytes() for file in (tmp_path / "campaign-1").rglob("*.*")}
    live(tmp_path, "reference", "--seed", "6")
    assert {file: file.read_bytes() for file in (tmp_path / "campaign-1").rglob("*.*")} == first
    assert [file.name for file in (tmp_path / "campaign-2").glob("report.*")]
    assert str(tmp_path / "campaign-2") in capsys.readouterr().out


def test_a_finding_is_replayed_by_the_command_of_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(tmp_path, "mutant:grants-zero", "--seed", "5") == 1
    (file, *_) = (tmp_path / "campaign-1" / "findings" / "1").iterdir()
    capsys.readouterr()
    assert main(["replay", str(file), "mutant:grants-zero"]) == 1
    assert "mutant:grants-zero: FAIL" in capsys.readouterr().out
    assert main(["replay", str(file), "reference"]) == 0


def test_a_client_is_told_to_act_and_its_finding_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(tmp_path / "good", "reference-client", "--seed", "5") == 0
    said = capsys.readouterr().out
    assert "Nothing was found to be wrong." in said
    assert "turns were taken, 0 kept back" in said
    assert live(tmp_path / "bad", "mutant:offers-spare-write-chunks", "--seed", "5") == 1
    (file, *_) = (tmp_path / "bad" / "campaign-1" / "findings" / "1").iterdir()
    capsys.readouterr()
    assert main(["replay", str(file), "mutant:offers-spare-write-chunks"]) == 1
    assert "mutant:offers-spare-write-chunks: FAIL: read" in capsys.readouterr().out
    assert main(["replay", str(file), "reference-client"]) == 0
    assert "keeps the rules, and still makes a good call" in capsys.readouterr().out
    assert main(["replay", str(file), "reference"]) == 2
    assert "is a server: name a client" in capsys.readouterr().err


def test_an_empty_beginning_needs_an_empty_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(tmp_path, "reference", "--empty") == 0
    assert live(tmp_path, "reference", "--empty") == 2
    assert "is not empty; name another folder by --output" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("reference", "--minimise"), "--live fuzzes a device as it is"),
        (("linux-server", "--fabric", "verbs"), "tester outside of the guest"),
        (("linux-server", "--ftrace"), "--ftrace looks at this machine's kernel"),
        (("no-such-target",), "no target `no-such-target`"),
    ],
)
def test_what_cannot_be_done_is_refused(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(tmp_path, *words) == 2
    assert said in capsys.readouterr().err


def test_the_functions_of_this_machines_kernel_may_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    traced = nullcontext(FakeCounted().coverage)
    monkeypatch.setattr(cli_live, "TracedFunctions", lambda modules: traced)

    assert live(tmp_path, "reference", "--ftrace", "--seed", "5") == 0

    assert "| rpcrdma | 1 | 1 | 1 |" in capsys.readouterr().out


class FakeCounted:
    """A guest that is not there: the reference is its device, which reaches one block."""

    def __init__(self, *_: object) -> None:
        self.guest = SimpleNamespace(release="6.1-test")
        self.coverage = SimpleNamespace(
            begin=lambda: None,
            since=lambda: frozenset({REACHED}),
            reached=lambda: frozenset({REACHED}),
            functions=lambda: {("rpcrdma", "send")},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_live, "CountedGuest", FakeCounted)
    monkeypatch.setattr(cli_live, "guest_target", lambda *_: find_target("reference"))


@pytest.mark.usefixtures("guest")
def test_a_kernels_blocks_are_in_the_report_beside_those_of_the_scenarios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_blocks(tmp_path / "scenarios.txt", [REACHED])
    assert live(tmp_path, "linux-server") == 0
    said = capsys.readouterr().out
    assert "Linux 6.1-test" in said
    assert "| rpcrdma | 1 | 1 | 1 | 1 in 1 | 0 |" in said


@pytest.mark.usefixtures("guest")
def test_blocks_of_scenarios_that_cannot_be_read_are_told_before_the_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scenarios.txt").write_text("something else")
    assert live(tmp_path, "linux-server") == 2
    assert "scenarios.txt" in capsys.readouterr().err


@pytest.mark.usefixtures("guest")
def test_the_blocks_of_the_scenarios_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reach(*_: object) -> frozenset[Block]:
        return frozenset({REACHED})

    monkeypatch.setattr(cli_live, "blocks_of_scenarios", reach)
    assert live(tmp_path, "linux-server", "--scenarios") == 0
    assert read_blocks(tmp_path / "scenarios.txt") == {REACHED}
    assert capsys.readouterr().out == f"1 blocks: {tmp_path / 'scenarios.txt'}\n"


def test_without_blocks_a_guest_is_taken_as_certify_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed = nullcontext((find_target("reference"), (("kernel", "6.1-test"),)))
    monkeypatch.setattr(cli_live, "placed", lambda *_: placed)
    assert live(tmp_path, "linux-server", "--no-blocks") == 0
    assert "Linux 6.1-test" in (tmp_path / "campaign-1" / "report.md").read_text()
