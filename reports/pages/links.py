"""Where pages are and what they link to: names of files, sections of documents, paths."""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reports.pages.background import Background

__all__ = ["FIRST_PAGE", "FOLDER", "file_stem", "page_names", "section_address", "seen_from"]

FIRST_PAGE: Final = "report.html"
"""Name of the page that a reader opens."""

FOLDER: Final = "report"
"""Name of the folder beside it that has the other pages."""

_LONGEST: Final = 200
"""Characters of a page's name without its ending; file systems take 255 octets."""


def page_names(cases: Iterable[str]) -> dict[str, str]:
    """The name of each case's page, by the case's id; the same in every run that has the case.

    Two ids that differ in characters alone that file names lack get names that differ by a digest.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for case in cases:
        stem = file_stem(case)
        if stem.lower() in taken or not 0 < len(stem) <= _LONGEST:
            stem = f"{stem[:_LONGEST]}-{hashlib.sha256(case.encode()).hexdigest()[:8]}"
        taken.add(stem.lower())
        names[case] = f"{stem}.html"
    return names


def file_stem(text: str) -> str:
    """A text as a part of a file's name: whatever a record says, it leads into no other folder."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text).strip("-.")


def section_address(background: Background, document: str, section: str) -> str:
    """The address of a section, or nothing where that of the document is not known."""
    known = background.documents.get(document)
    if known is None:
        return ""
    kind = "section" if section[:1].isdigit() else "appendix"
    return f"{known.address}#{kind}-{section}"


def seen_from(folder: Path, link: str | Path) -> str:
    """A link as it is written in a page of that folder: addresses stay, paths go from there."""
    text = str(link)
    return text if "://" in text else quote(os.path.relpath(text, folder), safe="/#")
