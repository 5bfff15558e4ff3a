"""`rpcrdma report`: pages of one run, whole or cut, and of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from conformance.suite.runner import RECORDS, certify
from conformance.suite.selection import Selection
from targets.registry import find_target
from tests.reports.pages.structure import broken_links

if TYPE_CHECKING:
    from pathlib import Path

CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the reference and one of a mutant, without reports."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("reference", "mutant:grants-zero"):
        certify(find_target(name), Selection(cases=(CASE,)), folder / name)
    return folder


def test_one_run_gets_its_reports_into_its_folder(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = runs / "mutant:grants-zero"
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"report: {folder / 'report.html'}\n"
    assert "does not meet" in (folder / "report.html").read_text()
    assert (folder / "junit.xml").is_file()
    assert {link for page in folder.rglob("*.html") for link in broken_links(page)} == set()


def test_the_background_of_a_case_is_on_its_page(runs: Path, tmp_path: Path) -> None:
    main(["report", str(runs / "mutant:grants-zero"), "--output", str(tmp_path)])
    pages = (tmp_path / "report").glob("rfc8166-3.3.1-responder-never-grants*.html")
    page = next(iter(pages)).read_text()
    assert "https://www.rfc-editor.org/rfc/rfc8166#section-3.3.1" in page
    assert "Grants no credit in any reply." in page
    assert "linux-server, Linux 6.12" in page


def test_a_run_that_was_killed_gets_its_pages_from_what_is_there(
    runs: Path, tmp_path: Path
) -> None:
    whole = (runs / "reference" / RECORDS).read_bytes()
    begun = whole.splitlines(keepends=True)[:-1]
    (tmp_path / RECORDS).write_bytes(b"".join(begun) + b'{"type":"case","id":"half')

    assert main(["report", str(tmp_path / RECORDS)]) == 0

    assert "its records have no end" in (tmp_path / "report.html").read_text()


def test_a_run_that_was_killed_in_a_guest_gets_its_captures_and_exchanges(tmp_path: Path) -> None:
    target = find_target("mutant:grants-zero")
    certify(target, Selection(cases=(CASE,)), tmp_path, captures=False)
    assert list((tmp_path / "evidence").glob("*.pcapng")) == []

    assert main(["report", str(tmp_path)]) == 0

    pages = list((tmp_path / "report").glob("rfc8166-3.3.1-*.html"))
    assert len(list((tmp_path / "evidence").glob("*.pcapng"))) == len(pages)
    assert all("What was exchanged" in page.read_text() for page in pages)


def test_records_alone_are_enough(runs: Path, tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_bytes((runs / "reference" / RECORDS).read_bytes())

    assert main(["report", str(tmp_path)]) == 0

    assert (tmp_path / "report.html").is_file()


def test_several_runs_stand_side_by_side(runs: Path, tmp_path: Path) -> None:
    places = [str(runs / name) for name in ("reference", "mutant:grants-zero")]
    assert main(["report", *places, "--output", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "RPC-over-RDMA conformance: 2 runs" in page
    assert "rfc8166.3.3.1.grant-is-never-zero" in page
    assert {link for found in tmp_path.rglob("*.html") for link in broken_links(found)} == set()


def test_a_baseline_is_told_of_one_run(runs: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text('target = "reference"\n')
    place = str(runs / "reference")
    out = ["--output", str(tmp_path / "out"), "--baseline", str(known)]
    assert main(["report", place, *out]) == 0
    assert "the baseline expects the same" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{run}", "{run}"], "is named twice; name each run once"),
        (["{run}", "{other}", "--baseline", "x"], "a baseline is for one run; leave --baseline"),
        (["{run}/nothing"], "No such file or directory"),
        (["{run}", "--output", "{other}"], "holds a run, whose pages would go; name another"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_sentence(
    runs: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    places = {"run": runs / "reference", "other": runs / "mutant:grants-zero"}
    assert main(["report", *(word.format(**places) for word in words)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def test_one_page_leads_to_the_findings_of_the_baseline_for_the_target(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, target in (("other", "linux-server"), ("grants", "reference")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "baseline.toml").write_text(
            f'target = "{target}"\n[[finding]]\nwhy = "{name}-1 Grants nothing"\nlink = "x.md#y"\n'
            f'[[finding.case]]\nid = "{CASE}[0]"\nverdict = "FAIL"\ntext = "at least one credit"\n'
        )
    page = tmp_path / "page.html"
    words = [str(runs / name) for name in ("reference", "mutant:grants-zero")]
    assert main(["report", *words, "--page", str(page), "--baselines", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"report: {page}\n"
    assert '<a href="grants/x.md#y" title="grants-1 Grants nothing">grants-1</a>' in (
        page.read_text()
    )
    assert "other-1" not in page.read_text()
