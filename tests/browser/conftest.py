"""A run's pages in headless Chromium, opened from disk as a reader opens them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.sync_api import sync_playwright

from reports.pages.overview import write_overview
from reports.pages.run_pages import write_run_pages
from reports.record import (
    FORMAT_VERSION,
    CaseRecord,
    Citation,
    Exchange,
    Field,
    RunFooter,
    RunHeader,
    RunRecord,
    Verdict,
)
from tests.reports.pages.known import known

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page


CASES = 2000
UNBROKEN = "0123456789abcdef" * 8
"""What no line can be broken in without being told to."""

RANGE = Citation(
    "rfc8166.4.5.1.err-vers-range", "MUST", "rfc8166", "4.5.1", "ERR_VERS carries the own range."
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; nothing is downloaded."""
    found = shutil.which("chromium")
    assert found, "the browser lane needs Debian's chromium: apt-get install chromium"
    # Chromium's own sandbox wants a user that is not root.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=options)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without network, whose errors are errors of the test."""
    context = browser.new_context(offline=True)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    opened.set_default_timeout(10_000)
    yield opened
    context.close()
    assert errors == []


def judged(number: int) -> CaseRecord:
    """One case in fifty fails, by an answer whose version is wrong."""
    failed = number % 50 == 0
    fields = (
        Field(0, 4, 0, "rdma_xid", "0x00000001"),
        Field(4, 4, 0, "rdma_vers", "7", "is none that the tester speaks"),
    )
    sent = Exchange(0.0, 1, "sent", "NULL", "", "0000000100000001", 8, "Send", "tester", 8)
    came = Exchange(
        0.1, 1, "received", "Reply", "", "0000000100000007", 8, "Send", "device", 32, fields
    )
    read = Exchange(0.1, 1, "event", "RDMA Read by device", kind="RDMA Read", by="device")
    return CaseRecord(
        id=f"rfc8166/4.{number % 5}/responder-does-what-is-asked[{number}]",
        title="A Call in version 2 gets ERR_VERS.",
        verdict=Verdict.FAIL if failed else Verdict.PASS,
        reason="The Reply is in version 7." if failed else "",
        expected=("a Reply in version 1",),
        actual=f"a Reply in version 7, {UNBROKEN}" if failed else "a Reply in version 1",
        citations=(RANGE,),
        violated=(RANGE.id,) if failed else (),
        interpretations=("D-11",),
        exchanges=(sent, read, came) if failed else (),
        evidence=("evidence/case.pcapng",),
        rerun="rpcrdma certify reference --case 'x'",
    )


@pytest.fixture(scope="session")
def run() -> RunRecord:
    """Two thousand cases."""
    cases = tuple(map(judged, range(CASES)))
    planned = tuple(case.id for case in cases)
    header = RunHeader(
        FORMAT_VERSION,
        "mine",
        "mine",
        "loopback",
        planned,
        (("profile digest", f"sha256:{UNBROKEN}"),),
        "",
    )
    return RunRecord(header, cases, RunFooter(len(cases), 12.0))


@pytest.fixture(scope="session")
def pages(run: RunRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pages of that run are, with their background."""
    folder = tmp_path_factory.mktemp("run")
    write_run_pages(run, folder, background=known())
    return folder


@pytest.fixture(scope="session")
def side_by_side(run: RunRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pages of two runs are: the newer one has mended every second failure."""
    folder = tmp_path_factory.mktemp("runs")
    less = run.cases[:200]
    mended = tuple(
        msgspec.structs.replace(case, verdict=Verdict.PASS, violated=()) if number % 100 else case
        for number, case in enumerate(less)
    )
    header = msgspec.structs.replace(run.header, started="2026-01-02")
    older = msgspec.structs.replace(run, cases=less)
    newer = RunRecord(header, mended, run.footer)
    write_overview([(folder / "a", older), (folder / "b", newer)], folder, known())
    return folder
