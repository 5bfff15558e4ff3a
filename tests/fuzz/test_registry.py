"""One file in `fuzz/harnesses` is all that a harness takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.bad_input import BadInput
from conformance.cli.main import main
from fuzz import cli_fuzz, harnesses
from fuzz.engine import judge
from fuzz.registry import corpus_of, dictionary_of, find_harness, harness_names, keep_input
from rpcrdma.ulp.rpc import encode_call

FILES = {
    path.stem.replace("_", "-")
    for path in Path(harnesses.__path__[0]).glob("*.py")
    if path.stem != "__init__"
}

NULL = encode_call(7, 0x20008166, 1, 0)

SENT = (
    bytes.fromhex("00000007 00000001 00000020 00000000") + bytes(12) + NULL,
    bytes.fromhex("00000007 00000002 00000001 00000000") + bytes(20),
)
"""Messages of a case: a NULL call in Version One, and a header of Version Two."""


def test_every_file_of_the_package_is_a_harness() -> None:
    assert set(harness_names()) == FILES
    assert {"v1-header", "v1-responder", "v2-header"} <= FILES


def test_a_harness_may_begin_with_the_corpus_of_another() -> None:
    assert corpus_of("v1-header-c") == corpus_of("v1-header")
    assert corpus_of("v2-header-c") == corpus_of("v2-header")
    with pytest.raises(BadInput, match="no harness is called 'v9'"):
        corpus_of("v9")


@pytest.mark.parametrize("name", harness_names())
def test_a_harness_has_all_that_a_campaign_takes(name: str) -> None:
    harness = find_harness(name)
    inputs = sorted(corpus_of(name).iterdir())

    assert dictionary_of(harness).is_file()
    assert inputs
    for path in inputs[:20]:
        assert isinstance(harness.messages(path.read_bytes()), list)
    lacks = ""
    try:
        harness.prepare()
    except BadInput as error:
        lacks = str(error)
    if lacks:
        assert "apt-get install" in lacks
        return
    for path in inputs[:20]:
        judge(harness.check, path.read_bytes(), harness.reference())


@pytest.mark.parametrize("name", harness_names())
def test_a_seed_gives_the_message_of_which_it_was_made_or_stands_in_one(name: str) -> None:
    harness = find_harness(name)
    made = [(message, seed) for message in SENT for seed in harness.seeds([message])]

    assert made, "put a message into `SENT` of which the harness makes a seed"
    for message, seed in made:
        cut = harness.messages(seed)
        assert cut == [message] or any(seed in one for one in cut)


def test_an_input_is_kept_once(tmp_path: Path) -> None:
    corpus = tmp_path / "new" / "v1-header"
    for octets in (b"one", b"two", b"one"):
        keep_input(corpus, octets)
    assert sorted(path.read_bytes() for path in corpus.iterdir()) == [b"one", b"two"]


def test_finding_the_harnesses_imports_no_fuzzer() -> None:
    program = (
        "import sys; from fuzz.registry import find_harness, harness_names;"
        "[find_harness(name) for name in harness_names()]; sys.exit('atheris' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_unknown_harness_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadInput, match=", ".join(harness_names())):
        find_harness("v9")


def test_a_new_file_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "v3_thing.py").write_text(
        "from fuzz.harnesses.v1_header import HARNESS as FIRST\n"
        "from dataclasses import replace\n"
        "HARNESS = replace(FIRST, title='a thing')\n"
    )
    monkeypatch.setattr(harnesses, "__path__", [*harnesses.__path__, str(tmp_path)])

    assert "v3-thing" in harness_names()
    assert find_harness("v3-thing").title == "a thing"


def test_a_file_without_a_declaration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "v4_nothing.py").write_text("")
    monkeypatch.setattr(harnesses, "__path__", [*harnesses.__path__, str(tmp_path)])

    with pytest.raises(BadInput, match="declares no `HARNESS`"):
        find_harness("v4-nothing")


def test_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted(FILES)


@pytest.mark.long
def test_command_runs_them_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of each kind of harness; `tox -e fuzz-smoke` runs each."""
    some = ("readers", "roce-frame", "v1-header-c", "v2-header", "v2-responder")
    monkeypatch.setattr(cli_fuzz, "harness_names", lambda: some)
    places = ["--findings", str(tmp_path), "--corpus", str(tmp_path / "corpus")]
    assert main(["fuzz", "--all", "--time", "1", *places]) == 0
    printed = capsys.readouterr().out
    assert all(f"{name}: " in printed for name in some)


def test_one_implementation_is_not_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--all", "--planted", "boolean-check"]) == 2
    assert "name the harness" in capsys.readouterr().err
