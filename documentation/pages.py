"""The pages of the site that are not in `docs/`: made of the code, or files from elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from documentation.commands import commands_page
from documentation.fixtures import fixtures_page
from documentation.links import anchored, site_links
from documentation.profile_keys import profile_page
from documentation.readings import readings_page
from documentation.requirements import requirement_pages

__all__ = ["COPIED", "PICTURES", "ROOT", "made_pages"]

ROOT: Final = Path(__file__).parents[1]

COPIED: Final = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "rpcrdma/spec/INTERPRETATIONS.md": "reference/readings.md",
    "fuzz/DISAGREEMENTS.md": "results/disagreements.md",
    **{
        place: place
        for file in sorted((ROOT / "results").rglob("*.md"))
        for place in [file.relative_to(ROOT).as_posix()]
    },
}
"""File of the repository -> page of the site."""

PICTURES: Final = tuple(
    file.relative_to(ROOT).as_posix() for file in sorted((ROOT / "results").rglob("*.svg"))
)
"""Files of the repository that these pages show, and which keep their places."""


@cache
def made_pages() -> dict[str, str]:
    """Page of the site -> Markdown."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/profile.md": profile_page(),
        "reference/fixtures.md": fixtures_page(),
        **requirement_pages(),
    }
    for source, page in COPIED.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if page == "reference/readings.md":
            text = readings_page(text)
        pages[page] = anchored(site_links(text, source, page, COPIED))
    return pages
