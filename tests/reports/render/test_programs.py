from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.record import RunFooter
from reports.render.programs import FORMATS, PROGRAM_REPORTS, write_for_programs

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord


def test_every_file_is_written_and_no_other(run: RunRecord, tmp_path: Path) -> None:
    paths = write_for_programs(run, tmp_path)
    assert tuple(path.name for path in paths) == PROGRAM_REPORTS
    assert sorted(tmp_path.iterdir()) == sorted(paths)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("report.json", "{"),
        ("junit.xml", "<?xml"),
        ("report.tap", "TAP version 14"),
        ("summary.txt", "reference over"),
        ("badge.json", "{"),
        ("badge.svg", "<svg"),
    ],
)
def test_each_file_holds_what_its_name_says(
    run: RunRecord, tmp_path: Path, name: str, begins: str
) -> None:
    write_for_programs(run, tmp_path)
    assert (tmp_path / name).read_text().startswith(begins)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_heeds_a_baseline(run: RunRecord, check: BaselineCheck, name: str) -> None:
    whole = msgspec.structs.replace(
        run, header=msgspec.structs.replace(run.header, planned=()), footer=RunFooter(6, 1.0)
    )
    assert FORMATS[name](whole, check) != FORMATS[name](whole, None)
