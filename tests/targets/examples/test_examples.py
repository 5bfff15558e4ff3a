"""What users copy runs as its README says; the one of the lab is run by `tests/lab`."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from reports.record import Verdict
from reports.stream import read_run
from targets.profile_problems import profile_problems
from targets.reference.device_process import stop_process

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = Path(__file__).parents[3] / "targets" / "examples"
FOLDERS = sorted(path.name for path in EXAMPLES.iterdir() if (path / "README.md").exists())
PROFILES = sorted(path.parent.name for path in EXAMPLES.glob("*/profile.toml"))

CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"

OWN = f"127.{20 + os.getpid() // 250 % 200}.{os.getpid() % 250}"
"""The first three octets of addresses that no other process of the tests uses."""


def copied(name: str, folder: Path) -> Path:
    """The profile of an example, at addresses of our own."""
    text = (EXAMPLES / name / "profile.toml").read_text()
    here = (EXAMPLES / name).as_posix()
    file = folder / "profile.toml"
    file.write_text(re.sub(r"127\.7[78]\.0", OWN, text).replace("{here}", here))
    return file


def verdicts(folder: Path) -> set[Verdict]:
    return {case.verdict for case in read_run(folder / "records.jsonl").cases}


@contextmanager
def running(command: str) -> Iterator[None]:
    """A server that a README starts."""
    words = [sys.executable, *shlex.split(command, comments=True)[1:]]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(OWN)
        yield
    finally:
        stop_process(process)


def test_every_folder_is_listed_and_says_what_it_is() -> None:
    listed = re.findall(
        r"^\| \[([\w-]+)\]\(([\w-]+)\)", (EXAMPLES / "README.md").read_text(), re.MULTILINE
    )

    assert sorted(name for name, _ in listed) == FOLDERS
    assert all(name == link for name, link in listed)
    assert set(PROFILES) == set(FOLDERS) - {"parsers"}


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_as_it_must_be(name: str) -> None:
    """But for the adapter of a package that is not installed here."""
    problems = profile_problems(EXAMPLES / name / "profile.toml")
    assert [found.key for found in problems] == ["adapter"] * (name == "endpoint_in_python")


@pytest.mark.parametrize("name", PROFILES)
def test_every_readme_names_its_profile(name: str) -> None:
    said = (EXAMPLES / name / "README.md").read_text()
    assert f"rpcrdma certify targets/examples/{name}/profile.toml" in said


def test_a_server_at_an_address_is_certified(tmp_path: Path) -> None:
    said = (EXAMPLES / "server_at_address" / "README.md").read_text()
    start = re.search(r"^python -m .*$", said, re.MULTILINE)
    assert start is not None
    profile = str(copied("server_at_address", tmp_path))

    with running(start[0].replace("127.77.0", OWN)):
        status = main(["certify", profile, "--case", CASE, "--output", str(tmp_path / "run")])

    assert status == 0
    assert verdicts(tmp_path / "run") == {Verdict.PASS}


def test_a_client_is_certified_by_its_acts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    profile = str(copied("client_by_commands", tmp_path))

    assert main(["target", "check", profile, "--fabric", "roce"]) == 0

    lines = capfd.readouterr().out.splitlines()
    assert all(line.startswith("ok ") for line in lines[1:])
    acts = tomllib.loads(Path(profile).read_text())["acts"]
    tried = {line.split()[2].rstrip(":") for line in lines if line.startswith("ok         act ")}
    assert tried == set(acts) - {"resident", "prepare"}


def test_a_client_whose_program_dies_is_judged_on_and_named_in_each_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    profile = copied("client_by_commands", tmp_path)
    # Words that the program does not know end it.
    text = profile.read_text().replace('"write {length}"', '"break"')
    profile.write_text(text.replace("start = 5.0", "start = 5.0\ndeaths = 2"))
    output = tmp_path / "run"

    status = main(["certify", str(profile), "--section", "3.3.2", "--output", str(output)])

    assert status == 1
    first, second, *others = read_run(output / "records.jsonl").cases
    for case in (first, second):
        assert case.verdict is Verdict.FAIL
        assert case.died in case.reason
        assert case.died.startswith("the resident program ended with status 1; it said last: ")
        assert case.died.endswith("ValueError: 'break' is not a valid ActKind")
    over = "the rest of this section is passed over: the device died in 2 of its cases in a row"
    assert all(case.verdict is Verdict.INCONC and over in case.reason for case in others)


def test_an_endpoint_in_python_is_certified_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = EXAMPLES / "endpoint_in_python"
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    ((group, entries),) = project["entry-points"].items()
    installed = tmp_path / "my_endpoint-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-endpoint\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items())]
    (installed / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(example))
    profile = str(example / "profile.toml")

    assert profile_problems(example / "profile.toml") == ()
    output = str(tmp_path / "run")
    assert main(["certify", profile, "--section", "4.5.1", "--output", output]) == 0
    assert verdicts(tmp_path / "run") == {Verdict.PASS}
