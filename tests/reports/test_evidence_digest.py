from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from reports.evidence_digest import evidence_digest, evidence_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORDS = "records.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "evidence").mkdir()
    (tmp_path / RECORDS).write_bytes(b"records")
    (tmp_path / "evidence" / "a.pcapng").write_bytes(b"a")
    (tmp_path / "evidence" / "B.jsonl").write_bytes(b"B")
    (tmp_path / "report.html").write_bytes(b"made of these")
    return tmp_path


def test_digest_is_that_of_the_lines_which_sha256sum_prints(folder: Path) -> None:
    lines = "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n"
        for name, content in (
            ("evidence/B.jsonl", b"B"),
            ("evidence/a.pcapng", b"a"),
            (RECORDS, b"records"),
        )
    )
    assert (
        evidence_digest(folder, RECORDS) == f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"
    )
    assert evidence_files(folder, RECORDS) == ("evidence/B.jsonl", "evidence/a.pcapng", RECORDS)


def test_reports_are_no_evidence(folder: Path) -> None:
    before = evidence_digest(folder, RECORDS)
    (folder / "report.html").write_bytes(b"made again")
    assert evidence_digest(folder, RECORDS) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / RECORDS).write_bytes(b"Records"),
        lambda folder: (folder / "evidence" / "a.pcapng").unlink(),
        lambda folder: (folder / "evidence" / "a.pcapng").rename(folder / "evidence" / "c.pcapng"),
        lambda folder: (folder / "evidence" / "new").write_bytes(b""),
    ],
)
def test_every_change_of_the_evidence_shows(folder: Path, change: Callable[[Path], object]) -> None:
    before = evidence_digest(folder, RECORDS)
    change(folder)
    assert evidence_digest(folder, RECORDS) != before


def test_run_without_evidence_has_a_digest(tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_bytes(b"")
    assert evidence_files(tmp_path, RECORDS) == (RECORDS,)
    assert len(evidence_digest(tmp_path, RECORDS)) == len("sha256:") + 64
