"""The command line as somebody meets it who has never seen it before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.entries import Role, Testability, load_catalogue
from conformance.cli import targets
from conformance.cli.main import BAD_INPUT, main
from reports.record import Verdict
from reports.stream import read_run

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
# A scenario with several variants, the first of which is [0].
CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"
REQUIREMENT = "rfc8166.3.3.1.grant-is-never-zero"
HEADER = "00000001" * 2 + "00000008" + "00000000" * 4

PROFILE = """
name = "mine"
adapter = "reference"
binding = "testprog"
[claims]
roles = ["responder"]
versions = [1]
[extra]
address = "127.0.0.1"
port = 0
program = 0x20008166
program_version = 1
"""


def run(*words: str) -> int:
    """The exit status, wherever it comes from."""
    try:
        return main(words)
    except SystemExit as end:
        return int(end.code or 0)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command says when it refuses: one line on standard error, and status 2."""
    assert run(*words) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("rpcrdma")
    return said.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*command.split(), "--help") == 0

    assert "example" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "the following arguments are required: COMMAND"),
        ("nonsense", "invalid choice: 'nonsense'"),
        ("certify", "the following arguments are required: TARGET"),
        ("certify no-such", "no target `no-such`; there are linux-"),
        ("certify ./none.toml", "none.toml: cannot be read: No such file"),
        ("certify mutant:nope", "no mutant `nope`; `rpcrdma targets` lists them"),
        ("certify reference --case nope", "no case `nope`; `rpcrdma cases` lists them all"),
        ("certify reference --section 99", "no case is selected by --section 99"),
        ("certify reference --level MAYBE", "argument --level: invalid choice"),
        ("certify linux-server --fabric loopback", "reached over verbs"),
        (f"certify reference --case {CASE} --output /proc/x", "cannot use `/proc/x`"),
        ("certify reference --baseline none.toml", "none.toml: cannot be read: No such file"),
        ("baseline /nowhere -o x.toml", "/nowhere: No such file"),
        ("compare .", "name at least two runs"),
        ("compare . .", "records.jsonl: No such file"),
        ("certify reference -n 0", "argument -n/--workers: give at least 1"),
        ("certify reference -n two", "argument -n/--workers: invalid"),
        ("certify linux-server -n 2", "its profile does not claim `concurrent_testers`"),
        ("cases --section 99", "no case is selected by --section 99"),
        ("cases --document rfc9999", "no document `rfc9999`; there are bidir, rfc8166"),
        ("requirements --section 99", "no requirement is selected by --section 99"),
        ("explain gibberish", "`rpcrdma targets` list them all"),
        ("explain D-98", "is no requirement, case, interpretation or mutant"),
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
    ("old", "new", "problem"),
    [
        ("versions = [1]", "verions = [1]", "key `claims.verions`: is unknown"),
        ("versions = [1]", 'versions = "1"', "key `claims.versions`: Expected `array`"),
        ("versions = [1]", "", "key `claims.versions`: is missing"),
        ("[claims]", "[claims", "is not TOML"),
        ('"testprog"', '"smb"', "key `binding`: Invalid enum value 'smb'"),
        ('"reference"', '"exotic"', "adapter `exotic`, which is not installed"),
        ("port = 0", 'port = 0\ninterpretations = {D-98 = "x"}', "`D-98`, which is no entry"),
        ("port = 0", 'port = 0\ninterpretations = {D-12 = "x"}', "there are either, err-chunk"),
    ],
)
def test_a_broken_profile_gets_one_sentence(
    tmp_path: Path, old: str, new: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE.replace(old, new))

    assert problem in refused(capsys, "certify", str(path), "--output", str(tmp_path / "out"))


def test_a_profile_that_is_a_folder_gets_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").mkdir()

    assert "cannot be read: Is a directory" in refused(
        capsys, "certify", str(tmp_path / "mine.toml")
    )


def test_nothing_to_decode_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").touch()

    assert "the argument is empty" in refused(capsys, "decode", "")
    assert "/empty` is empty; give at least one octet" in refused(
        capsys, "decode", str(tmp_path / "empty")
    )


@pytest.mark.parametrize("shape", [HEADER, f"0x{HEADER}", " ".join((HEADER[:8], HEADER[8:]))])
def test_hexadecimal_is_decoded(shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decode", shape) == 0

    assert "28 octets, xid 0x00000001, version 1, credits 8, RDMA_MSG" in capsys.readouterr().out


def test_an_option_of_version_two_is_decoded_with_its_properties(
    capsys: pytest.CaptureFixture[str],
) -> None:
    update = "00000001 00000002 00000008 00000005 00000000 00000004 00000010"

    assert run("decode", update + "00000001 00000001 00000004 00002000") == 0

    shown = capsys.readouterr().out
    assert "version 2, credits 8, RDMA2_OPTIONAL, CALL, ROPT_UPDPROP, PROP_RBSIZ 8192" in shown
    assert "    40              octets: 8192" in shown


def test_a_file_is_decoded_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "crash").write_bytes(b"\0\0\0\1\0\0")

    assert run("decode", str(tmp_path / "crash")) == 0
    assert "rdma_vers: the buffer ends inside the item" in capsys.readouterr().out


def test_certify_passes_and_tells_last_where_the_report_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, folder = tmp_path / "mine.toml", tmp_path / "out"
    profile.write_text(PROFILE)

    assert run("certify", str(profile), "--case", CASE, "--output", str(folder), "-v") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"report: {folder / 'report.html'}"
    assert lines[0] == f"PASS   {CASE}[0]"
    record = read_run(folder / "records.jsonl")
    assert record.header.target == "mine"
    assert record.cases[0].rerun == f"rpcrdma certify {profile} --case '{CASE}[0]'"
    assert all((folder / name).exists() for case in record.cases for name in case.evidence)
    assert {"report.html", "report.json", "junit.xml"} <= {path.name for path in folder.iterdir()}


def test_certify_fails_a_mutant_and_the_command_in_its_record_does_so_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"

    assert run("certify", "mutant:grants-zero", "--case", CASE, "--output", str(folder)) == 1

    assert f"again     rpcrdma certify mutant:grants-zero --case '{CASE}[0]'" in (
        capsys.readouterr().out
    )
    (first, *_) = json.loads((folder / "report.json").read_text())["cases"]
    assert (first["verdict"], first["violated"]) == (Verdict.FAIL.value, [REQUIREMENT])
    again = ("certify", "mutant:grants-zero", "--case", first["id"], "--output", str(folder))
    assert run(*again) == 1


def test_cases_are_listed_by_section(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cases", "--section", "3.3.1") == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{CASE}[0]  MUST NOT  ") for line in lines)
    assert all(line.startswith("rfc8166/3.3.1/") for line in lines)


def test_requirements_come_with_their_cases_and_mutants(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("--section", "3.3.1", "--role", "responder", "--level", "MUST NOT")
    assert run("requirements", *words) == 0

    entries = capsys.readouterr().out.split("\n\n")
    (entry,) = (entry for entry in entries if entry.startswith(REQUIREMENT))
    assert f"case    {CASE} (" in entry
    assert "mutant  mutant:grants-zero" in entry
    assert "can be tested on the wire" in entries[-1]
    assert entries[-1].rstrip().endswith("0 without a case, 0 without a mutant")
    assert "of a requester" not in entries[-1]


def test_requirements_say_of_which_role_the_wire_does_not_show_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = next(entry for entry in load_catalogue() if Role.RESPONDER in entry.unseen)

    assert run("requirements", "--section", entry.section) == 0
    listed = capsys.readouterr().out
    assert run("explain", entry.id) == 0
    explained = capsys.readouterr().out

    reason = f"not seen of a responder: {entry.unseen[Role.RESPONDER]}"
    assert reason in listed
    assert reason in explained


def test_requirements_say_why_the_wire_does_not_show_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = next(entry for entry in load_catalogue() if entry.test is Testability.INTERNAL)

    assert run("requirements", "--section", entry.section) == 0
    assert run("explain", entry.id) == 0

    told = f"not tested (internal): {entry.reason}"
    assert capsys.readouterr().out.count(told) == 2


def test_targets_lists_profiles_mutants_and_adapters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("targets") == 0

    lines = capsys.readouterr().out.splitlines()
    place = lines.index("  mutant:grants-zero")
    assert lines[place + 1].strip() == "Grants no credit in any reply."
    assert lines[place + 2].strip() == f"breaks {REQUIREMENT}"
    assert any(line.startswith("  linux-server ") for line in lines)
    assert any(line.endswith("targets.reference.server:ReferenceTarget") for line in lines)


CLIENT_CASE = "rfc8166/3.3.3/requester-awaits-the-first-reply"


@pytest.mark.parametrize(
    ("identity", "told"),
    [
        (REQUIREMENT, ("MUST NOT", f"  {CASE}", "mutant:grants-zero: Grants no credit")),
        (CASE, (" cases:\n", f"  {CASE}[0]", REQUIREMENT, f"certify reference --case '{CASE}'")),
        (f"{CASE}[0]", (REQUIREMENT,)),
        (CLIENT_CASE, ("certify reference-client --case",)),
        ("D-12", ("Two XIDs that differ", 'in [extra.interpretations]: D-12 = "either"')),
        ("D-80", ("in later drafts of Version Two (Remote invalidation): From cel-02",)),
        ("mutant:grants-zero", ("but for one thing: Grants no credit", f"  {CASE}")),
    ],
)
def test_explain_tells_what_an_id_is(
    identity: str, told: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("explain", identity) == 0

    text = capsys.readouterr().out
    assert [words for words in told if words not in text] == []


def test_a_bug_of_ours_does_not_look_like_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble() -> None:
        raise ValueError("ours")

    monkeypatch.setattr(targets, "shipped_profiles", stumble)
    with pytest.raises(ValueError, match="ours"):
        run("targets")


def test_a_timeout_factor_that_is_no_number_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RPCRDMA_TIMEOUT_FACTOR", "soon")

    said = refused(capsys, "certify", "reference", "--case", CASE, "--output", str(tmp_path))
    assert "set it to a positive number" in said


def test_requirements_of_version_two_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("requirements", "--document", "v2,xcharext") == 0

    printed = capsys.readouterr().out
    names = [entry.id for entry in load_catalogue() if entry.document in ("v2", "xcharext")]
    listed = [line.split()[0] for line in printed.splitlines() if line[:1] in ("v", "x")]
    assert listed == names


def test_one_requirement_is_counted_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--section", "3.3.1", "--role", "responder", "--level", "MUST NOT")
    assert run("requirements", *words) == 0

    assert "\n1 requirement: 1 can be tested" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["cases", "requirements"])
def test_several_documents_are_named_with_commas(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def entries(documents: str) -> list[str]:
        assert run(command, "--document", documents) == 0
        lines = capsys.readouterr().out.splitlines()
        return [line for line in lines if line.startswith(("rfc8166", "bidir"))]

    both = entries("rfc8166,bidir")
    assert [line for line in both if line.startswith("rfc8166")] == entries("rfc8166")
    if command == "requirements":
        assert [line for line in both if line.startswith("bidir")] == entries("bidir")
    assert "no document `rfc9999`" in refused(capsys, command, "--document", "rfc8166,rfc9999")


def test_certify_in_two_processes_says_the_same_as_in_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("certify", "mutant:grants-zero", "--section", "3.3.1", "--fabric", "loopback")
    for workers in ("1", "2"):
        folder = tmp_path / workers
        assert run(*words, "-n", workers, "--output", str(folder)) == 1
    assert run("compare", str(tmp_path / "1"), str(tmp_path / "2")) == 0

    record = read_run(tmp_path / "2" / "records.jsonl")
    assert record.cases[0].rerun.startswith(
        "rpcrdma certify mutant:grants-zero --fabric loopback --case"
    )
    assert "0 have not" in capsys.readouterr().out
