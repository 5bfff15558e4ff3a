from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from reports.pages.background import NO_BACKGROUND
from reports.pages.requirement_pages import cut_into_pages, requirement_pages
from reports.record import RunRecord, Verdict

if TYPE_CHECKING:
    from reports.pages.background import Background


def test_a_row_tells_the_worst_case_first_and_what_was_not_reached(
    run: RunRecord, background: Background
) -> None:
    (page,) = requirement_pages(run, background)
    assert (page.file, page.title) == ("requirements-rfc8166.html", "RFC 8166: Transport")
    echoed, ranged = page.rows
    assert [verdict for verdict, _ in ranged.cases] == [
        Verdict.ERROR,
        Verdict.FAIL,
        Verdict.INCONC,
        Verdict.WARN,
        Verdict.PASS,
    ]
    assert ranged.unclaimed == 1
    assert [case.verdict for case in echoed.unreached] == [Verdict.WARN, Verdict.FAIL]
    assert (ranged.bound, ranged.address) == (
        "responder",
        "https://rfc.test/rfc8166#section-4.5.1",
    )


def test_a_document_that_is_too_large_for_a_page_gets_several(
    run: RunRecord, background: Background
) -> None:
    first = run.cases[0]
    cases = [msgspec.structs.replace(first, id=f"d/1/{number}") for number in range(2000)]
    pages = requirement_pages(msgspec.structs.replace(run, cases=tuple(cases)), background)
    assert [page.file for page in pages] == [
        "requirements-rfc8166.html",
        "requirements-rfc8166-2.html",
    ]
    assert [(page.part, page.parts) for page in pages] == [(1, 2), (2, 2)]


def test_no_document_leads_into_another_folder(run: RunRecord) -> None:
    citation = msgspec.structs.replace(run.cases[0].citations[0], document="../../x y")
    odd = msgspec.structs.replace(run.cases[0], citations=(citation,))
    (page,) = requirement_pages(msgspec.structs.replace(run, cases=(odd,)), NO_BACKGROUND)
    assert page.file == "requirements-..-..-x-y.html"


@given(st.lists(st.integers(1, 9)), st.integers(1, 20))
def test_pages_keep_every_row_in_its_order_and_none_is_too_heavy_with_another(
    rows: list[int], room: int
) -> None:
    pages = cut_into_pages(rows, lambda row: row, room)
    assert [row for page in pages for row in page] == rows
    assert all(sum(page) <= room or len(page) == 1 for page in pages)
