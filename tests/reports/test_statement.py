from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.record import STOPPED, CaseRecord, Citation, RunFooter, Verdict
from reports.statement import NoStatement, NotTested, Statement, statement_of
from reports.totals import MetCount

if TYPE_CHECKING:
    from reports.record import RunRecord

MUST = Citation("rfc8166.4.5.1.err-vers-range", "MUST", "rfc8166", "4.5.1", "The range is its own.")
SHOULD = Citation("rfc8166.4.5.advice", "SHOULD", "rfc8166", "4.5", "It should.")


def case(verdict: Verdict, *citations: Citation, name: str = "case", **rest: object) -> CaseRecord:
    return CaseRecord(f"rfc8166/4.5.1/{name}", "Title.", verdict, citations=citations, **rest)  # type: ignore[arg-type]


def whole(run: RunRecord, *cases: CaseRecord) -> RunRecord:
    header = msgspec.structs.replace(run.header, planned=tuple(one.id for one in cases))
    footer = RunFooter(len(cases), 1.0)
    return msgspec.structs.replace(run, header=header, cases=cases, footer=footer)


def stated(run: RunRecord, *cases: CaseRecord, unselected: tuple[str, ...] = ()) -> Statement:
    titles = {"D-11": "The version in an error message"}
    return statement_of(whole(run, *cases), "sha256:0", 3, titles=titles, unselected=unselected)


def test_what_is_met_is_counted_by_document_and_level(run: RunRecord) -> None:
    statement = stated(run, case(Verdict.PASS, MUST, SHOULD))

    assert statement.result == "reference meets the one binding statement tested."
    assert statement.tallies == (
        ("rfc8166", "MUST", MetCount("rfc8166 MUST", met=1)),
        ("rfc8166", "SHOULD", MetCount("rfc8166 SHOULD", met=1)),
    )
    assert statement.violations == ()
    assert (statement.digest, statement.files) == ("sha256:0", 3)


def test_what_is_broken_stands_in_the_first_sentence_and_before_what_is_only_advised(
    run: RunRecord,
) -> None:
    statement = stated(
        run,
        case(Verdict.WARN, SHOULD, name="a", violated=(SHOULD.id,)),
        case(Verdict.FAIL, MUST, SHOULD, name="b", violated=(MUST.id,)),
        case(Verdict.PASS, MUST, name="c"),
    )

    assert statement.result == (
        "reference does not meet 1 binding statement of 1 tested;"
        " it does not follow 1 recommendation of 1 tested."
    )
    assert [(one.citation.id, one.verdict, one.cases) for one in statement.violations] == [
        (MUST.id, Verdict.FAIL, ("rfc8166/4.5.1/b",)),
        (SHOULD.id, Verdict.WARN, ("rfc8166/4.5.1/a",)),
    ]
    assert statement.tallies[0] == ("rfc8166", "MUST", MetCount("rfc8166 MUST", unmet=1))
    assert statement.tallies[1] == ("rfc8166", "SHOULD", MetCount("rfc8166 SHOULD", unmet=1))


def test_failure_that_names_no_binding_requirement_is_no_praise(run: RunRecord) -> None:
    statement = stated(run, case(Verdict.FAIL, SHOULD, violated=(SHOULD.id,)))
    assert statement.result.startswith("reference fails 1 case")


def test_what_was_not_selected_is_said_at_once(run: RunRecord) -> None:
    statement = stated(run, case(Verdict.PASS, MUST), unselected=("a", "b"))

    assert statement.result.endswith("tested. 2 cases of its roles had not been selected.")
    assert statement.not_tested == (NotTested("2 cases", "they were not selected", ("a", "b")),)


def test_what_says_nothing_of_the_device_is_told_by_why(run: RunRecord) -> None:
    statement = stated(
        run,
        case(Verdict.PASS, SHOULD, name="good"),
        case(Verdict.NA, MUST, name="a", reason="Not claimed."),
        case(Verdict.NA, MUST, name="b", reason="Not claimed."),
        case(Verdict.INCONC, MUST, name="c", reason="It did not come."),
        case(Verdict.ERROR, MUST, name="d", reason="Ours."),
        case(Verdict.FAIL, SHOULD, MUST, name="e", violated=(SHOULD.id,), not_reached=(MUST.id,)),
    )

    assert [(one.what, one.why) for one in statement.not_tested] == [
        ("1 case", "ERROR: Ours."),
        ("1 case", "INCONC: It did not come."),
        ("2 cases", "N/A: Not claimed."),
    ]
    assert statement.tallies[0][2].untested == 1


def test_reasons_that_differ_in_a_number_are_one(run: RunRecord) -> None:
    statement = stated(
        run,
        case(Verdict.PASS, MUST),
        case(Verdict.NA, MUST, name="a", reason="no version 2"),
        case(Verdict.NA, MUST, name="b", reason="`nfs4` has no call of 200 octets"),
        case(Verdict.NA, MUST, name="c", reason="`nfs4` has no call of 7 octets"),
    )

    assert [(one.what, one.why) for one in statement.not_tested] == [
        ("2 cases", "N/A: `nfs4` has no call of N octets"),
        ("1 case", "N/A: no version 2"),
    ]


def test_what_was_not_reached_is_told(run: RunRecord) -> None:
    statement = stated(
        run, case(Verdict.FAIL, SHOULD, MUST, violated=(SHOULD.id,), not_reached=(MUST.id,))
    )
    assert [one.ids for one in statement.not_tested] == [(MUST.id,)]
    assert statement.tallies[0] == ("rfc8166", "MUST", MetCount("rfc8166 MUST", untested=1))


def test_readings_and_facts_are_those_of_the_run(run: RunRecord) -> None:
    statement = stated(
        run,
        case(Verdict.PASS, MUST, interpretations=("D-100", "D-11")),
        case(Verdict.NA, MUST, name="other", interpretations=("D-12",)),
    )

    assert statement.readings == (("D-11", "The version in an error message"), ("D-100", ""))
    assert dict(statement.facts)["python"] == "3.11"
    assert dict(statement.facts)["cases"] == "1 PASS, 1 N/A"


def test_run_that_was_cut_short_gets_none(run: RunRecord) -> None:
    with pytest.raises(NoStatement, match="cut short, 6 of 7 cases judged"):
        statement_of(run, "", 0, titles={})
    cut = msgspec.structs.replace(whole(run, case(Verdict.PASS, MUST)), footer=None)
    with pytest.raises(NoStatement, match="cut short, 1 of 1 case judged"):
        statement_of(cut, "", 0, titles={})


def test_run_that_judged_nothing_gets_none(run: RunRecord) -> None:
    with pytest.raises(NoStatement, match="judged nothing"):
        stated(run, case(Verdict.NA, MUST))


def test_run_that_was_stopped_gets_none(run: RunRecord) -> None:
    stopped = msgspec.structs.replace(
        whole(run, case(Verdict.FAIL, MUST)),
        footer=RunFooter(1, 1.0, complete=False, reason=STOPPED),
    )
    with pytest.raises(NoStatement, match="stopped at its first failure"):
        statement_of(stopped, "", 0, titles={})
