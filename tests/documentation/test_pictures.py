"""Pictures of a report are taken of pages that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from documentation import pictures
from documentation.pages import ROOT
from documentation.pictures import Picture, main, pictures_of, take
from reports.pages.overview import write_overview
from reports.record import Verdict
from tests.reports.pages.known import known
from tests.reports.test_baseline import Judged, run_of

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = """#!/bin/sh
for word; do case $word in --screenshot=*) printf %s "$*" > "${word#*=}";; esac; done
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    runs = [
        (tmp_path / "good", run_of(Judged("rfc8166/4.5.1/x", Verdict.PASS, ""))),
        (tmp_path / "bad", run_of(Judged("rfc8166/4.5.1/x", Verdict.FAIL, "Nothing came."))),
    ]
    write_overview(runs, tmp_path / "all", known())
    return tmp_path / "all"


def test_a_run_that_failed_and_its_case_are_shown(report: Path) -> None:
    shown = {picture.name: picture.page for picture in pictures_of(report)}
    assert set(shown) == {"runs", "matrix", "run", "case"}
    assert shown["run"].parent.name.startswith("2-")
    assert "Nothing came." in shown["case"].read_text(encoding="utf-8")


def test_the_documentation_has_each_of_them(report: Path) -> None:
    there = {file.stem for file in (ROOT / "docs" / "pictures").glob("*.png")}
    assert there == {picture.name for picture in pictures_of(report)}


def test_the_browser_is_told_what_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "bin" / "chromium"
    browser.parent.mkdir()
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{browser.parent}:/usr/bin:/bin")

    file = take(Picture("case", tmp_path / "page.html", 800, 600), tmp_path / "out")

    said = file.read_text()
    assert "--window-size=800,600" in said
    assert (tmp_path / "page.html").as_uri() in said


def test_bad_input_gets_one_sentence(
    report: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main([str(tmp_path), str(tmp_path)]) == 2
    assert "has no report.html" in capsys.readouterr().err
    for page in report.glob("2-*/report.html"):
        page.unlink()
    with pytest.raises(BadInput, match="add a run of a mutant"):
        pictures_of(report)
    monkeypatch.setattr(pictures, "_BROWSER", "no-such-browser")
    with pytest.raises(BadInput, match="apt-get install"):
        take(Picture("case", tmp_path / "page.html", 800, 600), tmp_path)
