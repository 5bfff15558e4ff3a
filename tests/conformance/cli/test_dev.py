"""`rpcrdma dev`: the project's own tools are commands like the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.interpretations import PAGE
from conformance.catalogue.sentences import read_sentences
from conformance.cli.main import BAD_INPUT, main

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = (
    "matrix",
    "detect",
    "coverage",
    "sentences",
    "interpretations",
    "xdr",
    "seeds",
    "selfcheck",
)
TEXT = "1.  Frames\n\n   A sender MUST frame.  A frame ends.\n"


def run(*words: str) -> int:
    try:
        return main(("dev", *words))
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize("words", [(), *((tool,) for tool in TOOLS)])
def test_help_has_an_example(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words, "--help") == 0

    assert "example: rpcrdma" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "the following arguments are required: TOOL"),
        ("nonsense", "invalid choice: 'nonsense'"),
        ("matrix grants-plenty", "there is no mutant `grants-plenty`"),
        ("matrix --processes 0", "argument --processes: give at least 1"),
        ("coverage --document rfc9999", "invalid choice: 'rfc9999'"),
        ("sentences", "the following arguments are required: TEXT;"),
        ("sentences none.txt", "cannot use `none.txt`: No such file"),
        ("interpretations --output /proc/x", "cannot use `/proc/x`"),
        ("xdr", "the following arguments are required: STEP"),
        ("xdr lint none.x", "cannot use `none.x`: No such file"),
        ("seeds /nowhere", "/nowhere/records.jsonl: No such file"),
        ("selfcheck --time soon", "argument --time: give at least 1"),
    ],
)
def test_bad_input_gets_one_sentence(
    words: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words.split()) == BAD_INPUT

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("rpcrdma dev")
    assert problem in said.err


def test_sentences_prints_those_that_contain_all_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.txt"
    path.write_text(TEXT)

    assert run("sentences", str(path), "MUST", "frame") == 0

    (wanted, _) = read_sentences(path)
    assert capsys.readouterr().out == f"1  {wanted.fingerprint}\n    {wanted.text}\n"


def test_interpretations_renders_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"

    assert run("interpretations", "--output", str(path)) == 0

    assert path.read_text() == PAGE.read_text()
    assert capsys.readouterr().out == f"{path} written\n"


def test_coverage_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("coverage", "--document", "bidir", "--role", "responder") == 0

    assert capsys.readouterr().out.splitlines()[-1].startswith("responder: ")


def test_xdr_refuses_what_is_no_xdr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.x"
    path.write_text("struct s { int a }")

    assert run("xdr", "lint", str(path)) == BAD_INPUT
    assert "bad.x: line 1, column 18" in capsys.readouterr().err
