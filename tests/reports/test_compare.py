"""Runs side by side: what counts as a difference, and how it is shown."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from reports.compare import (
    compare,
    print_comparison,
    write_comparison_html,
    write_comparison_json,
)
from reports.record import Verdict
from tests.reports.test_baseline import Judged, run_of

if TYPE_CHECKING:
    from pathlib import Path

OLD = run_of(
    Judged("d/1/same", Verdict.PASS),
    Judged("d/1/mended", Verdict.FAIL, "It <failed>."),
    Judged("d/1/otherwise", Verdict.FAIL, "This way."),
    Judged("d/1/gone", Verdict.PASS),
)
NEW = run_of(
    Judged("d/1/same", Verdict.PASS),
    Judged("d/1/mended", Verdict.PASS),
    Judged("d/1/otherwise", Verdict.FAIL, "That way."),
    Judged("d/1/new", Verdict.PASS),
    kernel="6.12.117",
)
BOTH = compare([("old", OLD), ("new", NEW)])


def test_columns_are_named_by_target_and_kernel() -> None:
    names = [column.name for column in BOTH.columns]
    assert names == ["server on 6.1.0-56-amd64", "server on 6.12.117"]


def test_columns_that_are_alike_are_told_apart_by_their_place() -> None:
    names = [column.name for column in compare([("a", OLD), ("b", OLD), ("c", NEW)]).columns]
    assert names == [
        "server on 6.1.0-56-amd64 (a)",
        "server on 6.1.0-56-amd64 (b)",
        "server on 6.12.117",
    ]


def test_other_verdicts_and_cases_that_one_run_lacks_are_differences() -> None:
    assert [row.case for row in BOTH.differences] == ["d/1/mended", "d/1/gone", "d/1/new"]
    assert [cell.verdict for cell in BOTH.differences[0].cells] == ["FAIL", "PASS"]
    assert [cell.verdict for cell in BOTH.differences[1].cells] == ["PASS", ""]
    assert (BOTH.agreed, BOTH.exit_status) == (2, 1)


def test_another_reason_is_shown_but_is_no_difference() -> None:
    assert [row.case for row in BOTH.reasons] == ["d/1/otherwise"]
    alone = compare([("old", OLD), ("old", OLD)])
    assert (alone.differences, alone.reasons, alone.exit_status) == ((), (), 0)


def test_where_memory_lies_is_no_other_reason() -> None:
    runs = [
        ("r", run_of(Judged("d/1/x", Verdict.FAIL, f"Lost segment at handle 0x{n:08x} of it.")))
        for n in (1, 22)
    ]
    assert compare(runs).reasons == ()


def test_a_run_that_was_cut_short_says_so() -> None:
    cut = msgspec.structs.replace(OLD, footer=None)
    assert [column.complete for column in compare([("a", cut), ("b", NEW)]).columns] == [
        False,
        True,
    ]


def test_a_pipe_gets_each_case_in_one_line() -> None:
    stream = io.StringIO()
    print_comparison(Console(file=stream, width=20), BOTH)

    (line,) = (line for line in stream.getvalue().splitlines() if "d/1/mended" in line)
    assert line.startswith("d/1/mended  ")
    assert "FAIL It <failed>. | " in line


def test_the_terminal_shows_figures_and_differences() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=200, force_terminal=True, color_system=None, _environ={})
    print_comparison(console, BOTH)
    text = stream.getvalue()
    assert "Other verdicts: 3 cases" in text
    assert "The same verdict for another reason: 1 case" in text
    (mended,) = (line for line in text.splitlines() if "d/1/mended" in line)
    assert "FAIL It <failed>." in mended
    assert "not judged" in text
    assert text.splitlines()[-1] == "2 cases have the same verdict in all runs, 3 have not"


def test_the_page_stands_alone_and_escapes_what_it_shows(tmp_path: Path) -> None:
    write_comparison_html(BOTH, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "It &lt;failed&gt;." in page
    assert 'class="FAIL">FAIL</b>' in page
    assert "server on 6.12.117" in page
    assert "src=" not in page


def test_json_has_everything(tmp_path: Path) -> None:
    write_comparison_json(BOTH, tmp_path / "runs.json")
    found = json.loads((tmp_path / "runs.json").read_text())
    assert found["exit_status"] == 1
    assert found["columns"][0]["counts"]["FAIL"] == 2
    assert found["differences"][0]["cells"][0] == {"verdict": "FAIL", "reason": "It <failed>."}
    assert [row["case"] for row in found["reasons"]] == ["d/1/otherwise"]
