"""A night's record on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.bad_input import BadInput
from conformance.nightly.record import (
    RECORD_FILE,
    NightFinding,
    StageOutcome,
    StageResult,
    nights_in,
    read_night,
    write_night,
)
from tests.conformance.nightly.conftest import record, stage

if TYPE_CHECKING:
    from pathlib import Path


def test_a_night_is_read_as_it_was_written(tmp_path: Path) -> None:
    finding = NightFinding("calls: rfc8166.4.5", "seen", "rpcrdma replay x.json")
    result = StageResult("one", "rpcrdma one", StageOutcome.FAILED, findings=(finding,))
    night = msgspec.structs.replace(record([stage("one")]), results=(result,), finished=True)
    write_night(tmp_path, night)
    assert read_night(tmp_path) == night
    assert read_night(tmp_path).by_name == {"one": result}


def test_the_newest_comes_first(tmp_path: Path) -> None:
    for name in ("2026-11-25", "2026-11-27", "2026-11-26"):
        write_night(tmp_path / name, record([]))
    (tmp_path / "no-night").mkdir()
    assert [folder.name[-2:] for folder, _ in nights_in(tmp_path)] == ["27", "26", "25"]


@pytest.mark.parametrize(
    ("text", "problem"), [("{", "is no record of a night"), ('{"started": 1}', "is no record")]
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / RECORD_FILE).write_text(text)
    with pytest.raises(BadInput, match=f"{problem}.*remove it"):
        read_night(tmp_path)


def test_a_record_of_another_format_is_passed_over(tmp_path: Path) -> None:
    """It may have other keys; a newer suite must not stumble over what CI has cached."""
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / RECORD_FILE).write_text('{"format": 99, "begun": 1}')
    with pytest.raises(BadInput, match="has format 99, this reads 1"):
        read_night(tmp_path / "1")
    assert list(nights_in(tmp_path)) == []
