from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import msgspec

from reports.html import write_html

if TYPE_CHECKING:
    from pathlib import Path

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
