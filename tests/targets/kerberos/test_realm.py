"""A realm's files, made by tools that note what they are told."""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from targets.kerberos import realm
from targets.kerberos.realm import environment, make_realm, run_in_guest
from targets.lab.errors import LabError
from targets.standing.guest_agent import GuestRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOME = "/run/home"
NOTES = '#!/bin/sh\necho "$(basename "$0") $*" >> "$NOTES"\ncat "$KRB5_KDC_PROFILE" >> "$NOTES"\n'


def install(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where they are; the notes are in `notes` there."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("kdb5_util", "kadmin.local"):
        install(folder, name, NOTES)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("NOTES", str(folder / "notes"))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "realm"
    made.mkdir()
    return made


def test_a_database_and_two_keys_are_made(tools: Path, folder: Path) -> None:
    make_realm(folder, HOME)

    told = [line for line in (tools / "notes").read_text().splitlines() if line.startswith("k")]
    assert [line.split()[0] for line in told if "=" not in line] == ["kdb5_util"] + 4 * [
        "kadmin.local"
    ]
    assert f"ktadd -k {folder}/server.keytab nfs/server.rpcrdma.test" in told[2] + told[3]


def test_the_tools_work_here_and_the_kdc_elsewhere(tools: Path, folder: Path) -> None:
    make_realm(folder, HOME)

    assert f"database_name = {folder}/principal" in (tools / "notes").read_text()
    assert f"database_name = {HOME}/principal" in (folder / "kdc.conf").read_text()
    assert "default_realm = RPCRDMA.TEST" in (folder / "krb5.conf").read_text()


def test_programs_find_the_files_by_their_environment() -> None:
    assert environment(HOME) == {
        "KRB5_CONFIG": f"{HOME}/krb5.conf",
        "KRB5_KDC_PROFILE": f"{HOME}/kdc.conf",
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\necho first >&2\necho last >&2\nexit 1\n", "kdb5_util: last;"),
        ("#!/bin/sh\nexit 3\n", "kdb5_util: exit status 3;"),
        ("no program", "Exec format error"),
    ],
)
def test_a_tool_that_fails_is_told(tools: Path, folder: Path, text: str, why: str) -> None:
    install(tools, "kdb5_util", text)

    with pytest.raises(LabError, match=why):
        make_realm(folder, HOME)


@dataclass
class Agent:
    """Ends whatever is run as it is told to."""

    ended: GuestRun
    words: Sequence[str] = ()
    text: bytes = b""

    def run(
        self, words: Sequence[str], _environment: Mapping[str, str], text: bytes, _limit: float
    ) -> GuestRun:
        self.words, self.text = words, text
        return self.ended


def test_a_guest_gets_the_realms_files_with_its_script(folder: Path) -> None:
    (folder / "server.keytab").write_text("key")
    agent = Agent(GuestRun(0, b"printed", b""))

    said = run_in_guest(agent, "script", ("one", "two"), {}, folder)  # type: ignore[arg-type]

    assert said == b"printed"
    assert agent.words == ("sh", "-c", "script", "sh", "one", "two")
    with tarfile.open(fileobj=io.BytesIO(agent.text)) as archive:
        assert "./server.keytab" in archive.getnames()


@pytest.mark.parametrize(
    ("errors", "why"), [(b"first\nlast\n", "guest: last;"), (b"", "guest: exit status 4;")]
)
def test_what_fails_in_a_guest_is_told(folder: Path, errors: bytes, why: str) -> None:
    agent = Agent(GuestRun(4, b"", errors))

    with pytest.raises(LabError, match=why):
        run_in_guest(agent, "script", (), {}, folder)  # type: ignore[arg-type]


def test_a_tool_that_is_missing_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realm, "find_program", lambda _name: None)

    with pytest.raises(LabError, match="there is no kdb5_util; `rpcrdma lab doctor` says what"):
        make_realm(folder, HOME)
