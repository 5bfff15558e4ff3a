from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.pages.overview import write_overview
from reports.record import Verdict
from tests.reports.pages.structure import broken_links

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord

MEGABYTE = 1_000_000


def better(run: RunRecord) -> RunRecord:
    """The same target a day later: what failed passes, and nothing else is judged."""
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    passed = msgspec.structs.replace(failed, verdict=Verdict.PASS, violated=(), not_reached=())
    header = msgspec.structs.replace(run.header, started="2026-01-02T00:00:00+00:00")
    return msgspec.structs.replace(run, header=header, cases=(passed,))


def test_every_page_of_every_run_is_linked_and_every_link_leads_somewhere(
    run: RunRecord, tmp_path: Path
) -> None:
    places = [tmp_path / "a", tmp_path / "b"]
    for place in places:
        (place / "evidence").mkdir(parents=True)
        (place / "evidence" / "case.pcapng").touch()

    first = write_overview(list(zip(places, (run, better(run)), strict=True)), tmp_path / "out")

    found = list((tmp_path / "out").rglob("*.html"))
    assert first in found
    assert {link for page in found for link in broken_links(page)} == set()
    assert sum(page.name == "report.html" for page in found) == 3


def test_the_first_page_says_what_each_run_says_and_what_changed(
    run: RunRecord, tmp_path: Path
) -> None:
    page = write_overview([(tmp_path, run), (tmp_path / "b", better(run))], tmp_path).read_text()
    assert "reference does not meet 1 binding statement of 1 tested" in page
    assert "What changed in reference: 1 case" in page
    assert "5 cases judged by one of the two alone" in page
    changed = page[page.index("What changed") : page.index("Requirements that a run")]
    assert changed.count('class="FAIL"') == changed.count('class="PASS"') == 1


def test_runs_that_say_the_same_say_so(run: RunRecord, tmp_path: Path) -> None:
    page = write_overview([(tmp_path / "a", run), (tmp_path / "b", run)], tmp_path).read_text()
    assert "Every case that both judged has the verdict and the reason that it had before." in page


@pytest.mark.long
def test_no_page_of_many_large_runs_is_larger_than_a_megabyte(
    run: RunRecord, tmp_path: Path
) -> None:
    one = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    cases = tuple(
        msgspec.structs.replace(
            one,
            id=f"rfc8166/{number % 9}/responder-{'does-what-is-asked-' * 4}[{number}]",
            citations=(msgspec.structs.replace(one.citations[0], id=f"rfc8166.1.x{number}"),),
            violated=(f"rfc8166.1.x{number}",),
        )
        for number in range(400)
    )
    large = msgspec.structs.replace(run, cases=cases)
    runs = [(tmp_path / str(number), large) for number in range(8)]
    write_overview(runs, tmp_path / "out")
    sizes = {page: page.stat().st_size for page in (tmp_path / "out").rglob("*.html")}
    assert [page for page, size in sizes.items() if size > MEGABYTE] == []
