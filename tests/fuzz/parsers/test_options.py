"""What cannot be a parser is told in a sentence before anything runs."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.parsers.options import engine_words, parser_dialogue, try_parser
from tests.fuzz.parsers.programs import answering

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("library", "program", "words"),
    [
        ("/nowhere/parser.so", "", "/nowhere/parser.so is no file"),
        ("", "no-such-parser --quick", "no program `no-such-parser` that can be run"),
        ("", "'", "No closing quotation"),
        ("", " ", "no program"),
    ],
)
def test_what_is_not_there_is_said(library: str, program: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parser_dialogue(library, program)


def test_a_program_that_answers_is_taken() -> None:
    try_parser("v1-header", "", shlex.join(answering("'no idea'")))


@pytest.mark.parametrize("harness", ["v1-header", "v2-header"])
def test_a_program_that_talks_otherwise_is_not(harness: str) -> None:
    words = r"it answers 'hello', where a line `ok NUMBERS` or `no WORDS` should answer"
    with pytest.raises(BadInput, match=words):
        try_parser(harness, "", shlex.join(answering("'hello'")))


def test_a_harness_of_no_header_is_refused() -> None:
    with pytest.raises(BadInput, match="not by roce-frame"):
        try_parser("roce-frame", "", shlex.join(answering("'no'")))


def test_a_file_that_is_no_library_is_said(tmp_path: Path) -> None:
    path = tmp_path / "parser.so"
    path.write_text("int main;")
    with pytest.raises(BadInput, match=r"status 3: .*parser.so: "):
        try_parser("v1-header", str(path), "")


def test_an_option_may_begin_with_a_hyphen() -> None:
    assert engine_words("-l.so", "") == ["--library=-l.so"]
    assert engine_words("", "-x y") == ["--program=-x y"]
    assert engine_words("", "") == []
