"""The example of a server that is built from Debian's sources: all that needs no build."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.lab.lab import server_of
from targets.lab.setup import ServerKind
from targets.profile import load_profile
from targets.profile_problems import profile_problems

if TYPE_CHECKING:
    from types import ModuleType

EXAMPLE = Path(__file__).parents[3] / "targets" / "examples" / "nfs-ganesha"
PROFILES = ("profile.toml", "profile-nfs3.toml")

MIRROR = "http://mirror.invalid/debian/"


@pytest.fixture
def builder() -> ModuleType:
    return importlib.import_module("targets.examples.nfs-ganesha.build")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands alone on the search path."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def stand_in(folder: Path, name: str, script: str) -> None:
    """A program that does what the script says."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


@pytest.mark.parametrize("name", PROFILES)
def test_each_profile_is_as_it_must_be(name: str) -> None:
    assert profile_problems(EXAMPLE / name) == ()


@pytest.mark.parametrize("name", PROFILES)
def test_each_profile_starts_the_script_that_is_there(name: str) -> None:
    profile = load_profile(EXAMPLE / name)
    server = server_of(profile)
    assert server.kind is ServerKind.COMMAND
    assert importlib.util.find_spec(server.command[-1]) is not None


def test_configuration_and_profiles_agree() -> None:
    said = dict(re.findall(r"(\w+) = ([^;]+);", (EXAMPLE / "ganesha.conf").read_text()))
    four, three = (load_profile(EXAMPLE / name).extra for name in PROFILES)
    assert {str(four.port), str(three.port)} == {said["NFS_RDMA_Port"]}
    assert str(three.mount_port) == said["MNT_Port"]
    assert (four.export, three.export) == (said["Pseudo"], said["Path"])


def test_help_has_an_example() -> None:
    words = [sys.executable, str(EXAMPLE / "build.py"), "--help"]
    root = str(EXAMPLE.parents[2])
    shown = subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": root}
    )
    assert "example: python targets/examples/nfs-ganesha/build.py" in shown.stdout


def test_missing_packages_are_named_with_the_command(
    builder: ModuleType, programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = [name for name in builder.PACKAGES if name not in ("cmake", "uuid-dev")]
    stand_in(programs, "apt-get", "exit 1")
    lines = "".join(f"{name} installed\\n" for name in there)
    stand_in(programs, "dpkg-query", f"printf '{lines}cmake config-files\\n'")

    assert builder.main(["--cache", str(tmp_path / "cache")]) == 2

    said = capsys.readouterr().err
    assert said == (
        "build.py: packages are missing; run `apt-get install cmake uuid-dev` and try again\n"
    )


@pytest.mark.usefixtures("programs")
def test_a_machine_without_apt_is_told_where_it_can_be_built(
    builder: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert builder.main(["--cache", str(tmp_path)]) == 2
    assert "this machine has no apt" in capsys.readouterr().err


def ready_for(builder: ModuleType, programs: Path, apt: str) -> None:
    """A machine with all packages, and an apt that has a mirror and does what is said."""
    lines = "".join(f"{name} installed\\n" for name in builder.PACKAGES)
    stand_in(programs, "dpkg-query", f"printf '{lines}'")
    listed = f"if [ $1 = indextargets ]; then echo '{MIRROR}|bookworm'; exit; fi"
    stand_in(programs, "apt-get", f"{listed}\n{apt}")


def test_sources_that_apt_does_not_get_are_told_in_one_sentence(
    builder: ModuleType, programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ready_for(builder, programs, "echo 'E: no network'\nexit 100")

    assert builder.main(["--cache", str(tmp_path)]) == 2

    assert capsys.readouterr().err == (
        "build.py: fetching nfs-ganesha's sources: apt-get update ended with 100: E: no network\n"
    )
    (sources,) = tmp_path.glob("*/apt/sources.list")
    assert sources.read_text().endswith(f"{MIRROR} trixie main\n")


def test_a_step_that_fails_is_named_with_its_log(
    builder: ModuleType, programs: Path, tmp_path: Path
) -> None:
    archives = f"nfs-ganesha_{builder.SERVER}.orig.tar.gz ntirpc_{builder.LIBRARY}.orig.tar.gz"
    # `update` runs in the folder of the tests, so that it must leave nothing.
    fetch = f"for one in {archives}; do : >$one; done"
    ready_for(builder, programs, f'case " $* " in *" source "*) {fetch};; esac')
    stand_in(programs, "tar", "echo no archive; exit 3")
    folder = tmp_path / "build"

    with pytest.raises(builder.BuildError, match="unpacking failed with status 3; the log is"):
        builder.build(folder)

    assert (tmp_path / "build.partial" / "log").read_text() == "no archive\n"


def test_what_is_built_is_not_built_again(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any program, so that any step would fail; the link is made anew."""
    link = tmp_path / "built"
    monkeypatch.setattr(builder, "LINK", link)
    folder = tmp_path / f"nfs-ganesha-{builder.SERVER}"
    for name in ("lib", "plugins"):
        (folder / name).mkdir(parents=True)
    for place in (
        "ganesha.nfsd",
        f"lib/libganesha_nfsd.so.{builder.SERVER}",
        f"lib/libntirpc.so.{builder.LIBRARY}",
        "plugins/libfsalvfs.so",
    ):
        (folder / place).touch()
    monkeypatch.setenv("PATH", "")

    assert builder.main(["--cache", str(tmp_path)]) == 0
    assert builder.main(["--cache", str(tmp_path)]) == 0

    assert link.readlink() == folder


def test_outside_of_the_lab_nothing_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starter = importlib.import_module("targets.examples.nfs-ganesha.start")
    monkeypatch.delenv("RPCRDMA_LAB", raising=False)
    assert starter.main() == 1
    assert capsys.readouterr().err.startswith("starting nfs-ganesha: this is not the lab")


def test_a_server_that_was_not_built_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starter = importlib.import_module("targets.examples.nfs-ganesha.start")
    monkeypatch.setenv("RPCRDMA_LAB", "1")
    monkeypatch.setattr(starter, "BUILD", tmp_path / "built")
    assert starter.main() == 1
    said = capsys.readouterr().err
    assert f"there is no build in {tmp_path}/built; run `python" in said
