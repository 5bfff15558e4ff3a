"""An apt of our own: sources, this machine's mirrors, and how a program of it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.private_apt import Mirrors, PrivateApt, call, mirrors, source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        (("http://a|bookworm", "http://s|bookworm-security"), Mirrors("http://a", "http://s")),
        (("http://other|nodistro", "http://a|bookworm-updates"), Mirrors("http://a", "")),
        (("http://b|bookworm-backports", "http://a|stable"), Mirrors("http://a", "")),
    ],
)
def test_mirrors_are_those_of_this_machine(
    programs: tuple[FakeProgram, Calls], listed: tuple[str, ...], found: Mirrors
) -> None:
    programs[0]("apt-get", "".join(f"echo '{line}'\n" for line in listed))
    assert mirrors("looking") == found


def test_a_machine_without_a_mirror_is_told(programs: tuple[FakeProgram, Calls]) -> None:
    programs[0]("apt-get", "echo 'http://other|nodistro'; echo 'http://s|bookworm-security'")
    with pytest.raises(LabError) as refused:
        mirrors("looking")
    assert str(refused.value) == (
        "looking: this machine's apt has no mirror of Debian;"
        " add one to its sources and run `apt-get update`"
    )


def test_a_program_sees_the_sources_that_were_written_and_no_others(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    programs[0]("apt-get", 'while read -r line; do echo "$line"; done <"$APT_CONFIG"')
    apt = PrivateApt(tmp_path / "apt", "looking")
    line = source("deb-src", "http://a", "trixie")
    apt.write([line])

    said = apt.run("apt-get", "update")

    assert f'Dir::Etc::sourcelist "{tmp_path}/apt/sources.list";' in said
    assert 'Dir::Etc::sourceparts "/dev/null";' in said
    assert (tmp_path / "apt" / "sources.list").read_text() == f"{line}\n"
    assert line.startswith("deb-src [arch=amd64")
    assert line.endswith("] http://a trixie main")


def test_a_program_works_where_it_is_told(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    programs[0]("apt-get", ": >fetched")
    apt = PrivateApt(tmp_path / "apt", "looking")
    apt.write(())
    apt.run("apt-get", "download", folder=tmp_path)
    assert (tmp_path / "fetched").exists()


def test_a_program_that_fails_is_told_with_its_last_error(
    programs: tuple[FakeProgram, Calls],
) -> None:
    programs[0]("apt-get", "echo 'E: broken'; echo more; exit 9")
    with pytest.raises(LabError, match="looking: apt-get update ended with 9: E: broken"):
        call("looking", ("apt-get", "update"))
    assert call("looking", ("apt-get", "update"), check=False) == "E: broken\nmore\n"


def test_a_program_that_is_missing_is_told(programs: tuple[FakeProgram, Calls]) -> None:
    assert programs[1].lines == []
    with pytest.raises(LabError, match="there is no program apt-get here"):
        call("looking", ("apt-get", "update"))
