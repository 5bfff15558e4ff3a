from __future__ import annotations

import msgspec

from reports.pages.matrix import (
    MatrixCell,
    ShownRun,
    case_rows,
    changes,
    differing,
    requirement_rows,
    shown_runs,
)
from reports.record import Citation, RunRecord, Verdict
from tests.reports.test_baseline import Judged, run_of

MUST = Citation("d.1.must", "MUST", "d", "1", "It must.")
OTHER = Citation("d.2.other", "RULE", "d", "2", "It does.")


def citing(run: RunRecord, *citations: Citation, started: str = "2026-01-01") -> RunRecord:
    cases = tuple(
        msgspec.structs.replace(
            case,
            citations=citations,
            violated=(MUST.id,) if case.verdict is Verdict.FAIL else (),
        )
        for case in run.cases
    )
    header = msgspec.structs.replace(run.header, started=started)
    return msgspec.structs.replace(run, cases=cases, header=header)


OLD = citing(
    run_of(Judged("d/1/a", Verdict.PASS), Judged("d/1/b", Verdict.FAIL, "No.")), MUST, OTHER
)
NEW = citing(
    run_of(Judged("d/1/a", Verdict.PASS), Judged("d/1/b", Verdict.PASS)), MUST, started="2026-02-01"
)


def shown() -> tuple[ShownRun, ...]:
    return shown_runs([("old", OLD), ("new", NEW)])


def test_each_run_has_a_name_and_a_folder_of_its_own() -> None:
    first, second = shown_runs([("x", OLD), ("y", OLD)])
    assert first.name == "server (x)"
    assert (first.folder, second.folder) == (
        "1-server-x",
        "2-server-y",
    )


def test_a_requirement_has_a_cell_for_each_run_that_leads_to_the_case_that_decides() -> None:
    must, other = requirement_rows(shown())
    old, new = shown()
    assert must.cells == (
        MatrixCell(Verdict.FAIL, f"{old.folder}/report/d-1-b.html", "1 of 2"),
        MatrixCell(Verdict.PASS, f"{new.folder}/report/d-1-a.html", "2 of 2"),
    )
    assert other.cells[1] == MatrixCell()


def test_a_requirement_that_nothing_reached_leads_to_what_did_not_reach_it() -> None:
    unreached = tuple(
        msgspec.structs.replace(case, not_reached=(OTHER.id,), violated=(MUST.id,))
        for case in OLD.cases
        if case.verdict is Verdict.FAIL
    )
    (one,) = shown_runs([("x", msgspec.structs.replace(OLD, cases=unreached))])
    _, other = requirement_rows([one])
    assert other.cells[0].verdict is Verdict.INCONC
    assert other.cells[0].page.endswith("/report/d-1-b.html")


def test_only_what_a_run_does_not_meet_or_has_not_settled_is_told_first() -> None:
    assert [row.citation.id for row in differing(requirement_rows(shown()))] == [MUST.id]


def test_every_case_has_a_row_though_one_run_lacks_it() -> None:
    less = msgspec.structs.replace(NEW, cases=NEW.cases[:1])
    rows = case_rows(shown_runs([("old", OLD), ("new", less)]))
    assert [row.case for row in rows] == ["d/1/a", "d/1/b"]
    assert [cell.verdict for cell in rows[1].cells] == [Verdict.FAIL, None]


def test_changes_go_from_the_older_run_of_a_target_to_the_newer() -> None:
    (change,) = changes(shown_runs([("new", NEW), ("old", OLD)]))
    assert (change.older.run, change.newer.run) == (OLD, NEW)
    (row,) = change.rows
    assert (row.case, [cell.verdict for cell in row.cells]) == (
        "d/1/b",
        [Verdict.FAIL, Verdict.PASS],
    )


def test_a_case_that_one_of_the_two_did_not_judge_is_no_change_of_a_verdict() -> None:
    less = msgspec.structs.replace(NEW, cases=NEW.cases[:1])
    (change,) = changes(shown_runs([("old", OLD), ("new", less)]))
    assert change.rows == ()
    assert [row.case for row in change.alone] == ["d/1/b"]


def test_another_reason_is_a_change_of_its_own() -> None:
    other = citing(
        run_of(Judged("d/1/a", Verdict.PASS), Judged("d/1/b", Verdict.FAIL, "Other.")), MUST
    )
    (change,) = changes(shown_runs([("old", OLD), ("new", other)]))
    assert change.rows == ()
    assert [row.case for row in change.reasons] == ["d/1/b"]


def test_runs_of_other_targets_do_not_follow_each_other() -> None:
    header = msgspec.structs.replace(NEW.header, target="client")
    assert (
        changes(shown_runs([("a", OLD), ("b", msgspec.structs.replace(NEW, header=header))])) == ()
    )
