"""The command line as somebody meets it who has never seen it before."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.cli import targets
from conformance.cli.main import OWN
from conformance.suite.runner import RECORDS
from reports.record import FORMAT_VERSION, RunHeader
from reports.stream import RunWriter
from reports.summary import NOTHING_JUDGED
from tests.conformance.cli.command_line import CASE, REQUIREMENT, refused, run

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = (
    "certify",
    "baseline",
    "compare",
    "cases",
    "requirements",
    "targets",
    "explain",
    "decode",
    "lab",
    "lab run",
    "lab shell",
    "lab doctor",
    "dev",
    "fuzz",
    "replay",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*command.split(), "--help") == 0

    assert "example" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "the following arguments are required: COMMAND"),
        ("nonsense", "there is no command `nonsense`"),
        ("certfy reference", "there is no command `certfy`; did you mean certify?"),
        ("certify", "the following arguments are required: TARGET"),
        ("certify no-such", "no target `no-such`; there are linux-"),
        ("certify ./none.toml", "none.toml: cannot be read: No such file"),
        ("certify mutant:nope", "no mutant `nope`; `rpcrdma targets` lists them"),
        ("certify reference --case nope", "no case `nope`; `rpcrdma cases` lists them all"),
        ("certify refrence", "did you mean reference?"),
        ("certify mutant:grants-zer", "did you mean grants-zero?"),
        (f"certify reference --case {CASE}s", f"did you mean {CASE}"),
        ("certify reference --exclude nope", "no case `nope`"),
        ("certify reference --output=", "name a folder"),
        ("certify reference --time-limit soon", "give a number of minutes above 0"),
        ("certify reference --kernel 9.9", "runs in no guest of the lab; leave --kernel out"),
        ("explore reference --time nan", "argument --time: give a number of seconds above 0"),
        ("fuzz v1-header --time 0", "argument --time: give at least 1"),
        ("dev selfcheck --seeds none", "argument --seeds: give at least 1"),
        ("certify reference --repeat 0", "give at least 1"),
        ("certify reference --level MAYBE", "argument --level: invalid choice"),
        ("certify linux-server --fabric loopback", "reached over roce or verbs"),
        (f"certify reference --case {CASE} --output /proc/x", "cannot use `/proc/x`"),
        ("certify reference --baseline none.toml", "none.toml: cannot be read: No such file"),
        ("baseline /nowhere -o x.toml", "/nowhere: No such file"),
        ("compare .", "name at least two runs"),
        ("compare . .", "records.jsonl: No such file"),
        ("certify reference -n 0", "argument -n/--workers: give at least 1"),
        ("certify reference -n two", "argument -n/--workers: give at least 1"),
        ("certify linux-server-nfs41 -n 2", "does not claim `concurrent_testers`: drop -n"),
        ("certify linux-client -n 2", "its guest has one client; drop -n"),
        ("certify linux-server -n 17", "17 are wanted: one for a tester; give -n at most 16"),
        ("cases --document rfc9999", "no document `rfc9999`; there are bidir, rfc8166"),
        ("explain gibberish", "`rpcrdma targets` list them all"),
        ("explain D-998", "is no requirement, case, interpretation or mutant"),
        ("explain grant-is-never-zer", f"did you mean {REQUIREMENT}"),
        ("explain responder-never-grants-zero-credit", f"did you mean {CASE}"),
        ("decode zz", "neither hexadecimal nor a file"),
        ("decode 123", "3 hexadecimal digits are no whole number of octets"),
        ("decode /proc", "Is a directory"),
    ],
)
def test_bad_input_gets_one_sentence(
    words: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert problem in refused(capsys, *words.split())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("certify reference --section 99", "no case is selected by --section 99"),
        ("cases --section 99", "no case is selected by --section 99"),
        ("requirements --section 99", "no requirement is selected by --section 99"),
        ("certify reference-client --case " + CASE, "no case for the role requester, which"),
        ("certify reference --last-failed --output HERE", "nothing failed in"),
    ],
)
def test_nothing_selected_has_its_own_status(
    words: str, problem: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    header = RunHeader(FORMAT_VERSION, "mine", "mine", "loopback", (), (), "")
    RunWriter(tmp_path / RECORDS, header).close()
    given = words.replace("HERE", str(tmp_path)).split()

    assert problem in refused(capsys, *given, status=NOTHING_JUDGED)


def test_help_imports_no_command() -> None:
    """All of them take seconds to import, and help is wanted at once."""
    program = (
        "import sys\n"
        "from conformance.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pytest', 'msgspec', 'rich', 'jinja2', 'hypothesis', 'subprocess'}\n"
        "sys.exit(str(heavy & set(sys.modules) or ''))"
    )
    ended = subprocess.run((sys.executable, "-c", program), capture_output=True, check=False)

    assert ended.stderr == b"\n"
    assert b"certify" in ended.stdout


@pytest.mark.parametrize("name", OWN)
def test_both_helps_say_the_same_of_a_command(name: str) -> None:
    """What the list of commands says of one is what its own module says."""
    module, line = OWN[name]
    commands = argparse.ArgumentParser().add_subparsers()
    importlib.import_module(f"conformance.cli.{module}").add_parser(commands)

    (said,) = (one.help for one in commands._choices_actions if one.dest == name)
    assert said == line


def test_output_that_is_closed_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m conformance.cli.main decode {'00' * 28} >&- 2>{tmp_path}/said"
    ended = subprocess.run(["sh", "-c", command], check=False)

    assert (ended.returncode, (tmp_path / "said").read_text()) == (0, "")


def test_a_bug_of_ours_does_not_look_like_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble() -> None:
        raise ValueError("ours")

    monkeypatch.setattr(targets, "shipped_profiles", stumble)
    with pytest.raises(ValueError, match="ours"):
        run("targets")
