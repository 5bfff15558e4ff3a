"""What a page is made of, for tests that look at pages as files."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from pathlib import Path

VOID = ("meta", "br", "link", "input")
UNCLOSED = ("tr", "td", "th", "dt", "dd", "li")
"""Tags whose end HTML leaves out as it likes."""


class Structure(HTMLParser):
    """Collects ids and links, and refuses tags that are not closed in order."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links |= {value for name, value in attrs if name in ("href", "src") and value}

    def handle_endtag(self, tag: str) -> None:
        while self.open[-1] != tag and self.open[-1] in UNCLOSED:
            self.open.pop()
        assert self.open.pop() == tag


def broken_links(page: Path) -> list[str]:
    """Relative links of a page that lead to no file, or to no anchor of the page they lead to."""
    return [link for link in Structure(page).links if "://" not in link and _broken(page, link)]


def _broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / unquote(path) if path else page
    if not target.is_file():
        return True
    return bool(anchor) and anchor not in Structure(target).ids
