from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import msgspec

from reports.baseline import BaselineCheck, Known
from reports.record import Exchange, Verdict
from reports.render.html import write_html

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from reports.record import RunRecord


class Structure(HTMLParser):
    """Collects ids and local links, and refuses tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.ids |= {value for name, value in attrs if name == "id" and value}
        self.links |= {value for name, value in attrs if name == "href" and value}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_well_formed_and_every_inner_link_has_its_anchor(
    run: RunRecord, tmp_path: Path
) -> None:
    write_html(run, tmp_path / "report.html")
    structure = Structure()
    structure.feed((tmp_path / "report.html").read_text())
    assert structure.open == []
    inner = {link[1:] for link in structure.links if link.startswith("#")}
    assert inner
    assert inner <= structure.ids
    assert "evidence/case.pcapng" in structure.links


def test_html_escapes_what_a_device_sent(run: RunRecord, tmp_path: Path) -> None:
    write_html(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<ERR_VERS>" not in page
    assert "&lt;ERR_VERS&gt;" in page


def test_html_shows_octets_in_words_beside_their_meaning(run: RunRecord, tmp_path: Path) -> None:
    write_html(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "0000  00000001 00000001 00000001 00000001\n0010  00000001" in page


def test_html_says_that_a_run_was_cut_short(run: RunRecord, tmp_path: Path) -> None:
    write_html(msgspec.structs.replace(run, footer=None), tmp_path / "report.html")
    assert "The run was cut short" in (tmp_path / "report.html").read_text()


def exchange(number: int, direction: str = "sent", octets: int = 20) -> Exchange:
    detail = "" if direction == "event" else f"message {number}"
    return Exchange(0.0, 1, direction, "summary", detail, f"{number:02x}" * octets, octets)


def with_exchanges(run: RunRecord, *exchanges: Exchange) -> RunRecord:
    """A run with these exchanges in its first case and none elsewhere."""
    cases = [msgspec.structs.replace(case, exchanges=()) for case in run.cases]
    cases[0] = msgspec.structs.replace(cases[0], exchanges=exchanges)
    return msgspec.structs.replace(run, cases=tuple(cases))


def test_html_decodes_the_same_octets_once_and_links_to_them(
    run: RunRecord, tmp_path: Path
) -> None:
    twice = with_exchanges(run, exchange(1), exchange(2, "received"), exchange(1))

    write_html(twice, tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text()
    assert page.count("message 1") == page.count("message 2") == 1
    assert 'href="#c1-1">decoded</a>' in page


def test_html_shows_the_beginning_of_what_is_large_and_says_so(
    run: RunRecord, tmp_path: Path
) -> None:
    write_html(with_exchanges(run, exchange(1, octets=5000)), tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text()
    assert "first 64 of 5000 octets" in page
    assert "01" * 4 + "\n0040" not in page


def test_html_leaves_out_the_middle_of_a_long_case_and_says_how_much(
    run: RunRecord, tmp_path: Path
) -> None:
    many = [exchange(number % 256) for number in range(100)]

    write_html(with_exchanges(run, *many), tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text()
    assert page.count('<div class="s"') == 32
    assert "68 exchanges more, in the trace" in page


def test_html_lists_what_needs_attention_before_the_cases(run: RunRecord, tmp_path: Path) -> None:
    write_html(run, tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text()
    first = page[page.index("What needs attention") : page.index("<h2>Cases</h2>")]
    shown = [name for name in ("ERROR", "FAIL", "WARN", "INCONC", "PASS", "NA") if name in first]
    assert shown == ["ERROR", "FAIL", "WARN", "INCONC"]


def test_html_says_one_cause_once(run: RunRecord, tmp_path: Path) -> None:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    many = tuple(msgspec.structs.replace(failed, id=f"a/1/{number}") for number in range(4))

    write_html(msgspec.structs.replace(run, cases=many), tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text()
    assert "<summary>4 cases, 1 cause</summary>" in page
    assert "by the same cause 3 cases more" in page


def test_html_tells_known_deviations_with_their_finding_and_the_rest(
    run: RunRecord, check: BaselineCheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    write_html(run, tmp_path / "out" / "report.html", check)
    page = (tmp_path / "out" / "report.html").read_text()
    known = 'F-1 It fails &amp; nobody minds (<a href="../known/findings.md#f-1">finding</a>)'
    assert page.count(known) == 2
    assert "1 known deviation, listed in <code>known/server.toml</code>" in page
    assert page.count("The suite has no such case any more.") == 1
    assert page.count("WARN is not in the baseline.") == 2
    attention = page.partition("What needs attention")[2].partition("</ul>")[0]
    assert "case[WARN]" in attention
    assert "case[FAIL]" not in attention


def test_html_leaves_addresses_as_they_are(run: RunRecord, tmp_path: Path) -> None:
    known = {"rfc8166/4.5.1/case[FAIL]": Known("F-1", "https://example.org/1")}
    write_html(run, tmp_path / "report.html", BaselineCheck("b.toml", known, ()))
    assert '<a href="https://example.org/1">finding</a>' in (tmp_path / "report.html").read_text()


def test_html_shows_and_counts_notes_and_the_level_of_each_verdict(
    run: RunRecord, tmp_path: Path
) -> None:
    noted = msgspec.structs.replace(
        run, cases=tuple(msgspec.structs.replace(case, notes=("Seen.",)) for case in run.cases)
    )
    write_html(noted, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")

    assert "<b>6</b><span>notes</span>" in page
    assert page.count("<dd>Seen.</dd>") == 6
    assert "<dd>FAIL rests on a MUST</dd>" in page
