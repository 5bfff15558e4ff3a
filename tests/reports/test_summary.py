from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.record import CaseRecord, Citation, RunFooter, RunRecord, Verdict
from reports.summary import (
    CUT_SHORT,
    NOTHING_JUDGED,
    by_cause,
    counted,
    exit_status,
    ground,
    summarise,
    worst,
)

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck


def test_summary_counts_every_verdict_and_finds_the_missing_case(run: RunRecord) -> None:
    summary = summarise(run)
    assert set(summary.counts.values()) == {1}
    assert summary.total == len(Verdict)
    assert summary.missing == ("rfc8166/4.5.1/never-judged",)


def of(run: RunRecord, *verdicts: Verdict) -> RunRecord:
    cases = tuple(case for case in run.cases if case.verdict in verdicts)
    return msgspec.structs.replace(run, cases=cases)


def test_violated_requirement_takes_the_verdict_and_the_other_was_not_reached(
    run: RunRecord,
) -> None:
    summary = summarise(of(run, Verdict.FAIL, Verdict.NA))
    found = [
        (result.citation.id, result.verdict, result.reached) for result in summary.requirements
    ]
    assert found == [
        ("rfc8166.4.5.err-xid", Verdict.INCONC, False),
        ("rfc8166.4.5.1.err-vers-range", Verdict.FAIL, True),
    ]
    assert [result.citation.id for result in summary.not_reached] == ["rfc8166.4.5.err-xid"]


def test_a_case_that_reached_a_requirement_speaks_for_it(run: RunRecord) -> None:
    summary = summarise(of(run, Verdict.FAIL, Verdict.PASS))
    assert [result.verdict for result in summary.requirements] == [Verdict.PASS, Verdict.FAIL]
    assert summary.not_reached == ()


def test_what_a_failing_case_had_looked_at_before_is_met(run: RunRecord) -> None:
    (failed,) = of(run, Verdict.FAIL).cases
    at_its_end = msgspec.structs.replace(failed, not_reached=())
    summary = summarise(msgspec.structs.replace(run, cases=(at_its_end,)))
    assert [result.verdict for result in summary.requirements] == [Verdict.PASS, Verdict.FAIL]


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (Verdict.PASS, 0),
        (Verdict.WARN, 0),
        (Verdict.INCONC, NOTHING_JUDGED),
        (Verdict.NA, NOTHING_JUDGED),
        (Verdict.FAIL, 1),
        (Verdict.ERROR, 1),
    ],
)
def test_exit_status_is_zero_only_when_nothing_failed(
    run: RunRecord, verdict: Verdict, status: int
) -> None:
    case = CaseRecord("rfc8166/4.5/one", "One", verdict)
    header = msgspec.structs.replace(run.header, planned=(case.id,))
    assert summarise(RunRecord(header, (case,), RunFooter(1, 0.1))).exit_status == status


@pytest.mark.parametrize("footer", [None, RunFooter(1, 0.1, complete=False, reason="VM died")])
def test_run_that_was_cut_short_fails(run: RunRecord, footer: RunFooter | None) -> None:
    case = CaseRecord("rfc8166/4.5/one", "One", Verdict.PASS)
    header = msgspec.structs.replace(run.header, planned=(case.id,))
    assert summarise(RunRecord(header, (case,), footer)).exit_status == CUT_SHORT


def test_a_signal_has_its_own_status(run: RunRecord) -> None:
    ended = RunFooter(6, 1.0, complete=False, reason="interrupted", signal="SIGHUP")
    assert exit_status(msgspec.structs.replace(run, footer=ended)) == 128 + 1


def test_a_baseline_makes_nothing_judged_no_good_run(run: RunRecord, check: BaselineCheck) -> None:
    case = CaseRecord("rfc8166/4.5/one", "One", Verdict.NA)
    header = msgspec.structs.replace(run.header, planned=(case.id,))
    none = RunRecord(header, (case,), RunFooter(1, 0.1))
    assert exit_status(none, replace(check, problems=())) == NOTHING_JUDGED


def test_cases_that_violate_the_same_are_one_group_whatever_their_words(run: RunRecord) -> None:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    one, two = (msgspec.structs.replace(failed, id=name, reason=name) for name in ("one", "two"))
    warned = msgspec.structs.replace(one, verdict=Verdict.WARN)
    other = msgspec.structs.replace(one, violated=("another",))
    lost, late = (
        CaseRecord(name, "", Verdict.INCONC, reason=reason)
        for name, reason in (("three", "the connection was lost"), ("four", "no time is left"))
    )

    groups = by_cause((one, warned, lost, two, other, late))

    assert groups == ((one, two), (warned,), (lost,), (other,), (late,))


def test_where_no_answer_came_the_cause_is_another(run: RunRecord) -> None:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    silent = msgspec.structs.replace(failed, actual="nothing within 2 s")
    slow = msgspec.structs.replace(silent, actual="nothing within 5 s")
    gone = msgspec.structs.replace(failed, actual="the connection ended (by the device)")
    killed, fell, fell_again = (
        msgspec.structs.replace(gone, died=f"the server was ended by {how}")
        for how in ("SIGKILL", "SIGSEGV; it said last: 1", "SIGSEGV; it said last: 2")
    )

    groups = by_cause((failed, silent, gone, killed, slow, fell, fell_again))

    assert groups == ((failed,), (silent, slow), (gone,), (killed,), (fell, fell_again))


def test_worst_of_nothing_is_not_applicable() -> None:
    assert worst([]) is Verdict.NA
    assert worst([Verdict.PASS, Verdict.INCONC, Verdict.WARN]) is Verdict.INCONC


def test_a_baseline_decides_the_exit_status(run: RunRecord, check: BaselineCheck) -> None:
    judged = tuple(case.id for case in run.cases)
    whole = msgspec.structs.replace(run, header=msgspec.structs.replace(run.header, planned=judged))
    agreed = replace(check, problems=())
    assert exit_status(whole) == 1  # a FAIL
    assert exit_status(whole, agreed) == 0
    assert exit_status(whole, check) == 1
    assert exit_status(run, agreed) == CUT_SHORT  # a case was not judged
    assert exit_status(msgspec.structs.replace(whole, footer=None), agreed) == CUT_SHORT
    unfinished = RunFooter(6, 1.0, complete=False, reason="interrupted")
    assert exit_status(msgspec.structs.replace(whole, footer=unfinished), agreed) == CUT_SHORT


@pytest.mark.parametrize(("number", "text"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
def test_nouns_follow_their_numbers(number: int, text: str) -> None:
    assert counted(number, "case") == text


def test_notes_are_counted_and_change_neither_verdict_nor_exit_status(run: RunRecord) -> None:
    passed = of(run, Verdict.PASS)
    finished = msgspec.structs.replace(
        passed, header=msgspec.structs.replace(run.header, planned=(passed.cases[0].id,))
    )
    noted = msgspec.structs.replace(
        finished, cases=(msgspec.structs.replace(passed.cases[0], notes=("one", "two")),)
    )

    assert summarise(noted) == replace(
        summarise(finished), notes=2, requirements=summarise(noted).requirements
    )
    assert exit_status(noted) == 0


@pytest.mark.parametrize(
    ("verdict", "levels", "resting"),
    [
        (Verdict.FAIL, ("SHOULD", "MUST"), "a MUST"),
        (Verdict.FAIL, ("RULE",), "a rule without which the two ends cannot work"),
        (Verdict.FAIL, ("MAY",), "what the other end MAY do, and this one has to bear"),
        (Verdict.WARN, ("MUST", "SHOULD"), "a SHOULD"),
        (Verdict.WARN, ("ADVICE",), "an advisory rule (a lower-case should)"),
        (Verdict.WARN, ("MUST",), "what is tolerated in place of what is asked for"),
        (Verdict.PASS, ("MUST",), ""),
        (Verdict.INCONC, ("MUST",), ""),
    ],
)
def test_a_verdict_says_on_what_it_rests(
    verdict: Verdict, levels: tuple[str, ...], resting: str
) -> None:
    citations = tuple(
        Citation(f"rfc8166.4.{level}", level, "rfc8166", "4", "So it is.") for level in levels
    )
    broken = tuple(citation.id for citation in citations)

    assert ground(CaseRecord("a", "A.", verdict, citations=citations, violated=broken)) == resting


def test_what_was_cited_and_not_broken_is_no_ground() -> None:
    must = Citation("rfc8166.4.x", "MUST", "rfc8166", "4", "So it is.")
    should = Citation("rfc8166.4.y", "SHOULD", "rfc8166", "4", "So it is.")
    case = CaseRecord("a", "A.", Verdict.WARN, citations=(must, should), violated=(should.id,))

    assert ground(case) == "a SHOULD"
