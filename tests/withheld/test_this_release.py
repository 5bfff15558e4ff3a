"""The release of this project tells no recipe, and works."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.proof.release import ROOT, make_release, tracked
from conformance.proof.withheld import read_withheld, without_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

pytestmark = pytest.mark.long

WITHHELD = read_withheld(ROOT)

LONG = 8
"""Words of a line that stands nowhere by chance."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    make_release(ROOT, folder, WITHHELD)
    return folder


@pytest.fixture(scope="module")
def texts(release: Path) -> Mapping[str, str]:
    """What is in it, by path."""
    return {
        path.relative_to(release).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in release.rglob("*")
        if path.is_file()
    }


def telling_lines() -> Iterator[str]:
    """Long lines of what is withheld, but for those that files which are not have as well."""
    kept: set[str] = set()
    gone: set[str] = set()
    for path in tracked(ROOT):
        text = (ROOT / path).read_bytes().decode("utf-8", "replace")
        left = "" if WITHHELD.takes(path) else text
        for part in WITHHELD.part:
            if part.path == path:
                left = without_part(left, part)
        kept.update(map(str.strip, left.splitlines()))
        gone.update(map(str.strip, text.splitlines()))
    return (line for line in gone - kept if len(line.split()) >= LONG)


def test_no_file_that_is_withheld_is_there(texts: Mapping[str, str]) -> None:
    assert [path for path in texts if WITHHELD.takes(path)] == []
    assert set(texts) == {path for path in tracked(ROOT) if not WITHHELD.takes(path)}


def test_no_line_of_it_stands_anywhere_else(texts: Mapping[str, str]) -> None:
    whole = "\n".join(texts.values())
    lines = list(telling_lines())
    assert len(lines) > 50
    assert [line for line in lines if line in whole] == []


def test_no_words_that_say_too_much_are_there(texts: Mapping[str, str]) -> None:
    found = [
        (path, one.words)
        for path, text in texts.items()
        for one in WITHHELD.said
        if one.words in text
    ]
    assert found == []


def test_each_finding_that_is_told_first_has_its_entries() -> None:
    every = (*WITHHELD.taken, *WITHHELD.part, *WITHHELD.said)
    assert {name for one in every for name in one.finding.split(", ")} == {
        "1",
        "9",
        "10",
        "13",
        "C-13",
        *("G-1", "G-2", "G-3", "G-4", "G-9", "G-17", "G-18"),
        "H-1",
        "H-3",
        "H-8",
        "P-4",
    }
    assert all(one.why and one.until for one in every)


def test_it_certifies_and_all_its_cases_are_known(release: Path, tmp_path: Path) -> None:
    def rpcrdma(*words: str) -> str:
        surroundings = {**os.environ, "PYTHONPATH": str(release), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "conformance.cli.main", *words]
        done = subprocess.run(
            command, check=True, env=surroundings, cwd=tmp_path, capture_output=True, text=True
        )
        return done.stdout

    printed = rpcrdma(
        "certify", "reference", "--document", "rfc8166", "--section", "3.4.5", "--destructive"
    )
    assert "   0     0       0" in printed
    assert "skips-an-empty" not in rpcrdma("cases", "--destructive")
