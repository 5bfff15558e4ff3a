from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from reports.pages.background import NO_BACKGROUND, Background
from reports.pages.front import attention, causes, document_totals, role_totals
from reports.record import RunRecord, Verdict

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck


def test_what_needs_attention_comes_worst_first(run: RunRecord) -> None:
    found = [case.verdict for case in attention(run)]
    assert found == [Verdict.ERROR, Verdict.FAIL, Verdict.WARN, Verdict.INCONC]


def test_what_is_known_needs_none(run: RunRecord, check: BaselineCheck) -> None:
    assert Verdict.FAIL not in [case.verdict for case in attention(run, check)]


def test_one_cause_is_told_once_with_all_its_cases(run: RunRecord, background: Background) -> None:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    many = [msgspec.structs.replace(failed, id=f"a/1/{number}") for number in range(20)]

    (cause,) = causes(many, background)

    assert cause.example.id == "a/1/0"
    assert (len(cause.shown), len(cause.folded), cause.unnamed) == (12, 8, 0)
    (violated,) = cause.violated
    assert violated[0].id == "rfc8166.4.5.1.err-vers-range"
    assert violated[1] == "https://rfc.test/rfc8166#section-4.5.1"
    assert cause.ground == "a MUST"


def test_of_very_many_cases_not_all_are_named(run: RunRecord, background: Background) -> None:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    many = [msgspec.structs.replace(failed, id=f"a/1/{number}") for number in range(1000)]

    (cause,) = causes(many, background)

    assert (len(cause.shown), len(cause.folded), cause.unnamed) == (12, 600, 388)


def test_totals_go_by_document_and_level_and_by_section(
    run: RunRecord, background: Background
) -> None:
    good = msgspec.structs.replace(
        run, cases=tuple(case for case in run.cases if case.verdict is Verdict.PASS)
    )
    (document,) = document_totals(good, background)
    assert document.title == "RFC 8166: Transport"
    assert {level: one.met for level, one in document.levels.items()} == {"MUST": 2}
    assert [(one.name, one.met, address) for one, address in document.sections] == [
        ("4.5", 1, "https://rfc.test/rfc8166#section-4.5"),
        ("4.5.1", 1, "https://rfc.test/rfc8166#section-4.5.1"),
    ]


def test_totals_by_role_are_of_what_is_known_to_bind_somebody(
    run: RunRecord, background: Background
) -> None:
    assert [one.name for one in role_totals(run, background)] == ["responder"]
    assert role_totals(run, NO_BACKGROUND) == ()
