"""Debian's kernels: which there are, and which a name means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.debian_archive import DebianArchive, KernelPackage, choose
from targets.lab.errors import LabError
from tests.targets.lab.archive import install_debian

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram

KNOWN = (
    KernelPackage("6.12.9+deb12-amd64", "6.12.9-1~bpo12+1", "bookworm-backports"),
    KernelPackage("6.1.0-0.deb11.52-amd64", "6.1.180-1~deb11u1", "bullseye-security"),
    KernelPackage("6.1.0-47-amd64", "6.1.170-3", "bookworm"),
    KernelPackage("6.1.0-56-amd64", "6.1.192-2", "bookworm-security"),
)


@pytest.mark.parametrize(
    ("wanted", "release"),
    [
        ("6.1", "6.1.0-56-amd64"),
        ("6.1@newest", "6.1.0-56-amd64"),
        ("6.1@oldest", "6.1.0-47-amd64"),
        ("newest", "6.12.9+deb12-amd64"),
        ("6.1.0-47-amd64", "6.1.0-47-amd64"),
        ("linux-image-6.1.0-47-amd64", "6.1.0-47-amd64"),
        ("6.1.180-1~deb11u1", "6.1.0-0.deb11.52-amd64"),
        ("6.1.170", "6.1.0-47-amd64"),
    ],
)
def test_a_name_means_one_package(wanted: str, release: str) -> None:
    assert choose(wanted, KNOWN).release == release


@pytest.mark.parametrize("wanted", ["5.4", "6", "6.1@first", "", "../6.1", "6.12.9+deb99"])
def test_a_name_that_means_none_is_refused_with_the_lines_there_are(wanted: str) -> None:
    with pytest.raises(LabError) as refused:
        choose(wanted, KNOWN, "; not to be had here: bullseye")
    assert str(refused.value) == (
        f"fetching a kernel: no package of Debian is a kernel {wanted!r}: there are 6.1, 6.12;"
        " not to be had here: bullseye; `rpcrdma lab kernel --list` tells each"
    )


def test_kernels_come_oldest_first_without_flavours_and_packages_that_name_others(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    install_debian(programs[0])
    archive = DebianArchive(tmp_path / "apt")
    archive.update()
    assert [(one.release, one.suite) for one in archive.packages()] == [
        ("6.1.0-47-amd64", "bookworm"),
        ("6.1.0-56-amd64", "bookworm-security"),
        ("6.12.9+deb12-amd64", "bookworm-backports"),
        ("7.3.4+deb13-amd64", "trixie-backports"),
    ]


def test_suites_come_from_the_mirrors_of_this_machine_and_those_missing_are_named(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    install_debian(programs[0])
    archive = DebianArchive(tmp_path / "apt")
    archive.update()
    lines = (tmp_path / "apt/sources.list").read_text().splitlines()
    named = {line.split("] ")[1] for line in lines}
    assert "http://mirror trixie-backports main" in named
    assert "http://mirror/security bullseye-security main" in named
    assert not any("http://else" in line for line in named)
    assert archive.missing == ("bullseye",)


def test_parts_of_a_kernel_are_fetched_with_it(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    install_debian(programs[0])
    archive = DebianArchive(tmp_path / "apt")
    archive.update()
    files = archive.download(archive.packages()[-1], tmp_path)
    assert [file.name for file in files] == [
        "linux-binary-7.3.4+deb13-amd64.deb",
        "linux-image-7.3.4+deb13-amd64.deb",
        "linux-modules-7.3.4+deb13-amd64.deb",
    ]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("exit 0", "this machine's apt has no mirror of Debian; add one to its sources"),
        ("echo 'E: broken'; echo more; exit 9", "apt-get indextargets ended with 9: E: broken"),
    ],
)
def test_an_apt_of_no_use_is_told_in_one_sentence(
    programs: tuple[FakeProgram, Calls], tmp_path: Path, body: str, sentence: str
) -> None:
    programs[0]("apt-get", body)
    with pytest.raises(LabError, match=f"^fetching a kernel: {sentence}"):
        DebianArchive(tmp_path).update()


def test_without_apt_the_sentence_says_so(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    assert programs[1].lines == []
    with pytest.raises(LabError, match="there is no program apt-get here; do it on Debian"):
        DebianArchive(tmp_path).update()


def test_lists_that_did_not_come_are_told_with_what_apt_says(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    install_debian(programs[0])
    programs[0]("apt-cache", "exit 0")
    with pytest.raises(LabError, match="apt got no list of packages: E: The repository"):
        DebianArchive(tmp_path).update()
