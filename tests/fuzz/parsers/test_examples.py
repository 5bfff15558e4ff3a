"""The examples of parsers: built, right, and found out where they have their bug."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.explore.finding import load
from fuzz.campaign import Campaign
from fuzz.engine import judge
from fuzz.invariant import BrokenInvariant
from fuzz.parsers.asked_codecs import asked_codec
from fuzz.parsers.options import parser_dialogue
from fuzz.registry import corpus_of, find_harness

EXAMPLES = Path(__file__).parents[3] / "targets" / "examples" / "parsers"
PROGRAM = shlex.join((sys.executable, "-I", "-S", str(EXAMPLES / "parser.py")))
COMPILER = shutil.which("cc")
SECONDS = 60
"""Within which the bug of an example is found; it takes a few."""

TEMPLATE = "#include <stdint.h>\n#include <stddef.h>\n#include <stdio.h>\n"
TEMPLATE += "int32_t rpcrdma_parse(const uint8_t *o, size_t n, char *a, size_t room) {{ {} }}\n"


def built(folder: Path, source: Path, *options: str) -> str:
    """A library; where there is no compiler, the name of one that is not there."""
    library = folder / "parser.so"
    if COMPILER:
        strict = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-O2")
        command = [COMPILER, *strict, "-shared", "-fPIC", *options, "-o", str(library), str(source)]
        subprocess.run(command, check=True)
    return str(library)


def compiled(folder: Path, body: str) -> str:
    source = folder / "parser.c"
    source.write_text(TEMPLATE.format(body))
    return built(folder, source)


def without_compiler(library: str, capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether there is no compiler; then the sentence is what is tried."""
    if COMPILER:
        return False
    assert main(["fuzz", "v1-header", "--library", library]) == 2
    assert f"{library} is no file; give --library a shared library" in capsys.readouterr().err
    return True


def judged_with_the_corpus(library: str, program: str) -> None:
    check = find_harness("v1-header").check
    with closing(parser_dialogue(library, program)) as dialogue:
        subject = asked_codec("v1-header", dialogue.ask)
        for path in sorted(corpus_of("v1-header").iterdir()):
            judge(check, path.read_bytes(), subject)


def test_the_program_is_right() -> None:
    judged_with_the_corpus("", PROGRAM)


def test_the_library_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = built(tmp_path, EXAMPLES / "parser.c")
    if not without_compiler(library, capsys):
        judged_with_the_corpus(library, "")


def found(folder: Path, library: str, program: str) -> list[Path]:
    campaign = Campaign(
        "v1-header", SECONDS, folder, seed=1, to_first=True, library=library, program=program
    )
    result = campaign.run(lambda pulse: None)
    assert result.failure == ""
    return list(result.findings)


def test_the_bug_of_the_program_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = found(tmp_path, "", f"{PROGRAM} --bug")

    assert {load(path).broken[0] for path in paths} & {"good-refused", "wrong-number"}
    replay = ["replay", str(paths[0]), "--program"]
    assert main([*replay, f"{PROGRAM} --bug"]) == 1
    assert "FAIL" in capsys.readouterr().out
    assert main([*replay, PROGRAM]) == 0
    assert "keeps the invariant" in capsys.readouterr().out


@pytest.mark.long
def test_the_bug_of_the_library_is_a_death_that_is_kept_and_made_smaller(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = built(tmp_path, EXAMPLES / "parser.c", "-DBUG")
    if without_compiler(library, capsys):
        return
    (path,) = found(tmp_path / "findings", library, "")

    finding = load(path)
    assert finding.broken == ("parser-died",)
    assert "SIGSEGV" in finding.detail
    assert len(finding.octets) < 100


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return (int32_t)room + 1;", "a length of 65537 where there is room for 65536"),
        ("a[room] = 1; return 0;", "SIGSEGV"),
        ("return o[n];", "SIGSEGV"),
        (r'return sprintf(a, "no\n");', "it answers 'ok no?'"),
        ("return 0;", "it answers 'ok '"),
        ('puts("ok 1"); fflush(stdout); for (;;) ;', "no answer within"),
    ],
)
def test_a_library_that_does_otherwise_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, words: str
) -> None:
    library = compiled(tmp_path, body)
    if not without_compiler(library, capsys):
        assert main(["fuzz", "v1-header", "--library", library]) == 2
        assert words in " ".join(capsys.readouterr().err.split())


def test_a_refusal_by_number_is_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = compiled(tmp_path, "return -9;")
    if not without_compiler(library, capsys):
        with pytest.raises(BrokenInvariant, match="good-refused: it refuses a good RdmaMsg: -9"):
            judged_with_the_corpus(library, "")
