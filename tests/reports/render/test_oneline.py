from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from reports.record import RunFooter, Verdict
from reports.render.oneline import RunState, one_line, standing

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord


def whole(run: RunRecord, *verdicts: Verdict) -> RunRecord:
    """A complete run whose cases have these verdicts alone."""
    cases = tuple(case for case in run.cases if case.verdict in verdicts)
    header = msgspec.structs.replace(run.header, planned=tuple(case.id for case in cases))
    return msgspec.structs.replace(run, header=header, cases=cases, footer=RunFooter(len(cases), 1))


def test_line_says_how_the_run_stands_with_every_count_and_the_status(run: RunRecord) -> None:
    header = msgspec.structs.replace(run.header, facts=(("suite", "0.1.0"),))
    line = one_line(whole(msgspec.structs.replace(run, header=header), *Verdict))

    assert line == (
        "reference over loopback: 2 of 4 failed"
        " (1 PASS, 1 WARN, 1 FAIL, 1 INCONC, 1 N/A, 1 ERROR); status 1; suite 0.1.0"
    )


def test_run_that_was_cut_short_says_how_far_it_came(run: RunRecord) -> None:
    assert standing(run).state is RunState.CUT_SHORT
    assert standing(run).text == "cut short, 6 of 7 judged"


def test_run_that_judged_nothing_is_not_good(run: RunRecord) -> None:
    nothing = whole(run, Verdict.NA, Verdict.INCONC)
    assert standing(nothing).state is RunState.NOTHING_JUDGED
    assert "status 3" in one_line(nothing)


def test_good_run_counts_what_was_judged(run: RunRecord) -> None:
    good = standing(whole(run, Verdict.PASS, Verdict.WARN, Verdict.NA))
    assert (good.state, good.text) == (RunState.GOOD, "2 of 2 passed")


def test_baseline_decides(run: RunRecord, check: BaselineCheck) -> None:
    failed = whole(run, Verdict.PASS, Verdict.FAIL)
    agreed = replace(check, problems=())

    assert standing(failed, agreed).text == "1 of 2 passed, 1 known"
    assert standing(failed, check).text == "4 cases not as known"
    assert "baseline known/server.toml" in one_line(failed, check)


def test_run_without_a_case_has_a_line(run: RunRecord) -> None:
    assert "(no case); status 3" in one_line(whole(run))
