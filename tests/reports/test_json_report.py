from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from reports.json_report import JsonReport, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord


def test_json_report_reads_back_as_it_was_written(run: RunRecord, tmp_path: Path) -> None:
    write_json(run, tmp_path / "report.json")
    report = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=JsonReport)
    assert (report.header, report.cases, report.footer) == (run.header, run.cases, run.footer)
    assert report.counts["N/A"] == 1
    assert report.exit_status == 1
