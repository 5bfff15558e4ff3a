"""`rpcrdma target new`, from questions or options to a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from targets.profile import load_profile
from targets.profile_draft import KINDS
from tests.conformance.cli.command_line import refused, run

ROOT = Path(__file__).parents[3]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.toml"


def questions(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Have a person at a terminal give answers; what was asked."""
    asked: list[str] = []
    given = iter(answers)

    def answer(text: str) -> str:
        asked.append(text)
        return next(given)

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    return asked


def test_options_make_a_profile(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--kind", "server", "--address", "192.0.2.7", "--versions", "1,2", "--binding", "nfs3")

    assert run("target", "new", str(file), *words) == 0

    profile = load_profile(file)
    assert profile.extra.address == "192.0.2.7"
    assert profile.versions == (1, 2)
    assert f"rpcrdma target check {file}" in capsys.readouterr().out


def test_a_person_is_asked_for_what_no_option_says(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions(
        monkeypatch, "client", "mine", "", "", "20050", "mount {address}:/ {folder}", "stat x"
    )

    assert run("target", "new", str(file), "--address", "192.0.2.20") == 0

    profile = load_profile(file)
    assert (profile.name, profile.extra.port) == ("mine", 20050)
    assert asked[0] == "What is certified? "
    assert "What it calls: nfs4, nfs3 or testprog [nfs4]: " in asked
    assert not any("Address" in question for question in asked)


def test_a_person_may_stop_answering(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions(monkeypatch)

    def ends(text: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ends)

    assert run("target", "new", str(file), "--kind", "server") == 2
    assert "the answers end here" in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "say what is certified by --kind: server, lab-server, client, python, parser"),
        (("--kind", "server"), "say by --address"),
        (("--kind", "server", "--address", "x", "--port", "many"), "--port: `many` is no value"),
        (
            ("--kind", "server", "--address", "x", "--prepare", "y"),
            "--prepare means nothing for a server",
        ),
        (("--kind", "server", "--address", "x", "--versions", "3"), "nothing was written: "),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_written(
    file: Path, words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refused(capsys, "target", "new", str(file), *words)
    assert not file.exists()


def test_no_file_is_written_over(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("mine")
    words = ("--kind", "server", "--address", "192.0.2.7")

    assert "is there already" in refused(capsys, "target", "new", str(file), *words)
    assert file.read_text() == "mine"
    assert "must end in .toml" in refused(
        capsys, "target", "new", str(file.with_suffix("")), *words
    )


@pytest.mark.parametrize("kind", KINDS)
def test_help_names_every_kind(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("target", "new", "--help") == 0
    assert KINDS[kind].title in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["mine.c", "mine.py"])
def test_a_parser_is_begun(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    begun = tmp_path / name

    assert run("target", "new", str(begun), "--kind", "parser") == 0

    assert "rpcrdma fuzz v1-header" in capsys.readouterr().out
    example = ROOT / "targets" / "examples" / "parsers" / f"parser{begun.suffix}"
    assert begun.read_bytes() == example.read_bytes()


def test_a_parser_of_another_language_is_not_there(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "target", "new", str(file), "--kind", "parser")
    assert "must end in .c or .py, for a parser" in said
