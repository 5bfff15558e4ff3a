"""The whole run as one JSON document, for programs: summary first, then every case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from reports.record import FORMAT_VERSION, CaseRecord, RunFooter, RunHeader, RunRecord
from reports.summary import summarise

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["JsonReport", "write_json"]


class JsonReport(msgspec.Struct, frozen=True):
    """Layout of `report.json`.

    Attributes:
        format: version of this layout, the same number as the records'.
        counts: verdict -> number of cases.
        missing: planned cases without a record.
        exit_status: what `rpcrdma certify` ended with.
    """

    format: int
    counts: dict[str, int]
    missing: tuple[str, ...]
    exit_status: int
    header: RunHeader
    cases: tuple[CaseRecord, ...]
    footer: RunFooter | None


def write_json(run: RunRecord, path: Path) -> None:
    """Write the run to `path`."""
    summary = summarise(run)
    report = JsonReport(
        format=FORMAT_VERSION,
        counts={verdict.value: count for verdict, count in summary.counts.items()},
        missing=summary.missing,
        exit_status=summary.exit_status,
        header=run.header,
        cases=run.cases,
        footer=run.footer,
    )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
