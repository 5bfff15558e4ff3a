from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.pages.case_page import (
    cited_requirements,
    decode_command,
    device_rows,
    evidence_files,
    found_mutants,
    neighbours,
    readings_of,
)
from reports.record import CaseRecord, RunRecord, Verdict

if TYPE_CHECKING:
    from reports.pages.background import Background


def of(run: RunRecord, verdict: Verdict) -> CaseRecord:
    return next(case for case in run.cases if case.verdict is verdict)


def test_neighbours_are_of_one_cause_and_else_of_one_section(run: RunRecord) -> None:
    failed, passed = of(run, Verdict.FAIL), of(run, Verdict.PASS)
    cases = [
        msgspec.structs.replace(case, id=f"d/1/{number}")
        for number, case in enumerate((failed, passed, failed, passed, failed))
    ]
    around = neighbours(msgspec.structs.replace(run, cases=tuple(cases)))
    middle = around["d/1/2"]
    assert (middle.previous, middle.following) == ("d/1/0", "d/1/4")
    assert (middle.place, middle.count, middle.what) == (2, 3, "of this cause")
    assert around["d/1/0"].previous == ""
    assert (around["d/1/3"].previous, around["d/1/3"].what) == ("d/1/1", "PASS of d 1")


def test_requirements_say_what_became_of_them_what_is_broken_first(
    run: RunRecord, background: Background
) -> None:
    failed = msgspec.structs.replace(
        of(run, Verdict.FAIL), citations=of(run, Verdict.FAIL).citations[::-1]
    )
    rows = cited_requirements(failed, background)
    assert [(row.citation.section, row.state) for row in rows] == [
        ("4.5.1", "not met"),
        ("4.5", "not reached"),
    ]
    assert rows[0].address == "https://rfc.test/rfc8166#section-4.5.1"


@pytest.mark.parametrize(
    ("verdict", "state"), [(Verdict.PASS, "met"), (Verdict.INCONC, ""), (Verdict.NA, "")]
)
def test_only_what_was_judged_is_met(
    run: RunRecord, background: Background, verdict: Verdict, state: str
) -> None:
    assert {row.state for row in cited_requirements(of(run, verdict), background)} == {state}


def test_readings_have_their_words_where_these_are_known(
    run: RunRecord, background: Background
) -> None:
    case = msgspec.structs.replace(run.cases[0], interpretations=("D-11", "D-77"))
    (known, reading), (unknown, nothing) = readings_of(case, background)
    assert (known, unknown, nothing) == ("D-11", "D-77", None)
    assert reading is not None
    assert reading.why == "It was meant."


def test_a_case_is_proven_by_the_mutants_that_it_finds(
    run: RunRecord, background: Background
) -> None:
    assert [one.name for one in found_mutants(run.cases[0], background)] == ["mutant:lies"]
    other = msgspec.structs.replace(run.cases[0], id="rfc8166/4.5.1/other")
    assert found_mutants(other, background) == ()


def test_devices_of_the_role_are_told_with_what_they_do(
    run: RunRecord, background: Background
) -> None:
    (row,) = device_rows(of(run, Verdict.FAIL), background)
    assert row.name == "server, Linux 6.1"
    assert [finding.why for finding in row.findings] == ["H-1 It <fails> as well"]
    (quiet,) = device_rows(of(run, Verdict.PASS), background)
    assert (quiet.findings, quiet.otherwise) == ((), "no deviation is known")


def test_evidence_is_told_by_its_kind_and_the_capture_by_a_command(run: RunRecord) -> None:
    names = ("evidence/a.jsonl", "evidence/a.pcapng", "evidence/a.console.log")
    case = msgspec.structs.replace(run.cases[0], evidence=names)
    assert [one.kind for one in evidence_files(case)] == ["trace", "capture", "console"]
    assert decode_command(case) == "rpcrdma decode evidence/a.pcapng"
    assert decode_command(msgspec.structs.replace(case, evidence=names[:1])) == ""
