from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from reports.render.json import JsonReport, json_document
from reports.summary import CUT_SHORT

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord


def test_json_report_reads_back_as_it_was_written(run: RunRecord) -> None:
    report = msgspec.json.decode(json_document(run), type=JsonReport)
    assert (report.header, report.cases, report.footer) == (run.header, run.cases, run.footer)
    assert (report.counts["N/A"], report.notes) == (1, 0)
    assert report.exit_status == CUT_SHORT


def test_json_report_tells_what_a_baseline_says(run: RunRecord, check: BaselineCheck) -> None:
    report = msgspec.json.decode(json_document(run, check), type=JsonReport)
    assert report.baseline is not None
    assert report.baseline.file == "known/server.toml"
    assert [(known.case, known.link) for known in report.baseline.known] == [
        ("rfc8166/4.5.1/case[FAIL]", "known/findings.md#f-1")
    ]
    assert report.baseline.problems[0].problem == "The verdict is PASS now."
    assert report.exit_status == CUT_SHORT
