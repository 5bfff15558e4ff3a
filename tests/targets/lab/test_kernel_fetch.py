"""A kernel comes into the cache whole, and once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.kernel_cache import cached_image
from targets.lab.kernel_fetch import available_kernels, fetch_kernel
from tests.targets.lab.archive import install_debian

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram


@pytest.fixture
def debian(programs: tuple[FakeProgram, Calls]) -> tuple[FakeProgram, Calls]:
    install_debian(programs[0])
    return programs


def test_a_kernel_is_fetched_once_and_found_by_its_name_from_then_on(
    debian: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    said: list[str] = []
    image = fetch_kernel("6.12", tmp_path / "cache", said.append)
    assert image == tmp_path / "cache/6.12.9+deb12-amd64/boot/vmlinuz-6.12.9+deb12-amd64"
    assert image.is_file()
    assert said[-1].endswith(
        "linux-image-6.12.9+deb12-amd64 6.12.9-1~bpo12+1 from bookworm-backports"
    )
    assert any(line.startswith("depmod -b ") for line in debian[1].lines)
    assert not list((tmp_path / "cache").glob(".fetch-*"))

    asked = len(debian[1].lines)
    assert fetch_kernel("6.12", tmp_path / "cache", said.append) == image
    assert len(debian[1].lines) == asked


def test_asked_again_debian_is_asked_and_what_is_there_is_not_fetched(
    debian: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    fetch_kernel("6.12", tmp_path, str)
    asked = len(debian[1].lines)
    fetch_kernel("6.12", tmp_path, str, again=True)
    words = [line.split()[1] for line in debian[1].lines[asked:]]
    assert "update" in words
    assert "download" not in words


def test_a_kernel_in_parts_is_laid_out_as_an_older_one(
    debian: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    image = fetch_kernel("newest", tmp_path, str)
    assert image.name == "vmlinuz-7.3.4+deb13-amd64"
    assert (image.parent.parent / "lib/modules/7.3.4+deb13-amd64").is_dir()
    assert cached_image("newest", tmp_path) == image


@pytest.mark.parametrize(
    ("program", "body", "sentence"),
    [
        ("dpkg-deb", "echo no space; exit 2", "dpkg-deb -x ended with 2: no space"),
        ("dpkg-deb", "exit 0", "linux-image-6.12.9.deb12-amd64 .* has no image, or no modules"),
        ("depmod", "exit 1", "depmod -b ended with 1: it said nothing"),
    ],
)
def test_what_is_not_whole_is_not_kept(
    debian: tuple[FakeProgram, Calls], tmp_path: Path, program: str, body: str, sentence: str
) -> None:
    debian[0](program, body)
    with pytest.raises(LabError, match=sentence):
        fetch_kernel("6.12", tmp_path / "cache", str)
    assert cached_image("6.12", tmp_path / "cache") is None
    assert {path.name for path in (tmp_path / "cache").iterdir()} == {"apt"}


def test_a_suite_that_is_missing_is_named_with_a_kernel_that_is(
    debian: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    assert debian[1].lines == []
    with pytest.raises(LabError, match=r"'5\.10': .*; not to be had here: bullseye"):
        fetch_kernel("5.10", tmp_path, str)


def test_all_kernels_and_the_missing_suites(
    debian: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    assert debian[1].lines == []
    packages, missing = available_kernels(tmp_path)
    assert len(packages) == 4
    assert missing == ("bullseye",)
