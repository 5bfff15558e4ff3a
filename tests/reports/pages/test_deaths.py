"""Deaths are listed on the first page of a run that has some, and on no other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.pages.deaths import listed_deaths
from reports.pages.lab_logs import LabLog
from reports.pages.run_pages import write_run_pages
from reports.record import CaseRecord, RunRecord, Verdict
from tests.reports.pages.structure import Structure, broken_links

if TYPE_CHECKING:
    from reports.pages.background import Background

HOW = "the server was ended by SIGSEGV"
DIED = f"{HOW}; it said last: no slot / abort <3>"


def record(identity: str, reason: str = "", notes: tuple[str, ...] = ()) -> CaseRecord:
    return CaseRecord(identity, "It.", Verdict.FAIL, reason=reason, notes=notes, died=DIED)


@pytest.mark.parametrize(
    ("case", "where"),
    [
        (record("a/1/in", f"The device died: {DIED}."), ("", "")),
        (record("a/1/lives", f"The device died after a/1/x and before a/2/y: {DIED}."), ("x", "y")),
        (record("a/2/y", "", (f"The device died before a/2/y: {DIED}.",)), ("", "y")),
        (record("a/2/z", "It died before noon: of boredom.", ("A note.",)), ("", "")),
    ],
)
def test_a_death_is_in_a_case_or_between_two(case: CaseRecord, where: tuple[str, str]) -> None:
    (death,) = listed_deaths((case,), Path("run"), ())

    assert (death.after.rpartition("/")[2], death.before.rpartition("/")[2]) == where
    assert (death.case, death.how, death.said) == (case.id, HOW, "no slot / abort <3>")


def test_what_said_nothing_has_no_last_words() -> None:
    silent = msgspec.structs.replace(record("a/1/in"), died=HOW)

    (death,) = listed_deaths((silent,), Path("run"), ())

    assert (death.how, death.said) == (HOW, "")


def test_logs_are_those_of_the_case_and_of_the_run() -> None:
    case = msgspec.structs.replace(
        record("a/1/in"), evidence=("evidence/in.jsonl", "evidence/in.console.log")
    )
    server = LabLog("what the server printed", Path("run/lab/server.log"))

    (death,) = listed_deaths((case,), Path("run"), (server,))

    assert [str(log.file) for log in death.logs] == [
        "run/evidence/in.console.log",
        "run/lab/server.log",
    ]


def with_deaths(run: RunRecord, count: int) -> RunRecord:
    """The run, in which the device died in its FAIL, and between two cases, so many times."""
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    first = msgspec.structs.replace(failed, died=DIED)
    between = f"The device died after {failed.id} and before {run.cases[0].id}: {DIED}."
    others = (
        msgspec.structs.replace(failed, id=f"rfc8166/4.5.1/d{number}", reason=between, died=DIED)
        for number in range(count - 1)
    )
    cases = tuple(first if case is failed else case for case in run.cases)
    return msgspec.structs.replace(run, cases=(*cases, *others))


@pytest.mark.parametrize("count", [2, 30])
def test_the_first_page_lists_them_with_cases_and_logs(
    run: RunRecord, background: Background, tmp_path: Path, count: int
) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "server.log").touch()
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "case.pcapng").touch()

    first = write_run_pages(with_deaths(run, count), tmp_path, background=background)

    page = first.read_text()
    listed = page.partition('<section id="deaths">')[2].partition("</section>")[0]
    assert f"The device died {count} times" in listed
    assert listed.count("ended by SIGSEGV") == count
    assert listed.count("no slot / abort &lt;3&gt;") == count
    assert listed.count('href="lab/server.log"') == count
    assert 'href="report/rfc8166-4.5.1-case-FAIL.html"' in listed
    assert "between" in listed
    assert {link for link in broken_links(first) if "findings.md" not in link} == set()
    assert len(Structure(first).ids) == len(set(Structure(first).ids))


def test_a_run_without_any_has_no_such_list(
    run: RunRecord, background: Background, tmp_path: Path
) -> None:
    first = write_run_pages(run, tmp_path, background=background)

    assert "deaths" not in first.read_text()
    assert "died" not in first.read_text()
