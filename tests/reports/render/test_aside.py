"""A file that bears its name is whole."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

from reports.render.aside import write_aside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOM = 4096
"""Octets that a file may have: a disk that is full, to whoever writes more."""


@pytest.fixture
def full_disk() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    write_aside(tmp_path / "report.html", b"old")
    write_aside(tmp_path / "report.html", b"new")

    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_bytes() == b"new"


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")

    with pytest.raises(OSError, match=r"report\.html") as refused:
        write_aside(path, bytes(2 * ROOM))

    assert refused.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
