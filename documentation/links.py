"""Links of the repository's pages, as they must be on the site."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["anchored", "forge_anchor", "site_links"]

_LINK: Final = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^()\s]+)\)")
_DOCS: Final = "docs/"

_WIDE_HEADING: Final = re.compile(r"^#+ (?P<title>\S.*?  [^{]*?)$", re.MULTILINE)
"""One with two blanks within, which become two dashes on a forge; mkdocs is told of one blank."""


def site_links(text: str, source: str, page: str, copied: Mapping[str, str]) -> str:
    """A text with its links changed.

    Args:
        text: Markdown.
        source: the file of the repository that it is, `docs/lab.md`.
        page: the page of the site that it becomes, `lab.md`.
        copied: file of the repository -> page of the site, for files outside of `docs/`.
    """

    def changed(found: re.Match[str]) -> str:
        words, target = found["text"], found["target"]
        path, mark, anchor = target.partition("#")
        if not path or "://" in target:
            return found[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        place = copied.get(file)
        if place is None and file.startswith(_DOCS) and file.endswith(".md"):
            place = file.removeprefix(_DOCS)
        if place is None:
            return words if "`" in words or words == file else f"{words} (`{file}`)"
        link = posixpath.relpath(place, posixpath.dirname(page) or ".")
        return f"[{words}]({link}{mark}{anchor})"

    return _LINK.sub(changed, text)


def forge_anchor(title: str) -> str:
    """The anchor that a forge gives a heading."""
    return re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-")


def anchored(text: str) -> str:
    """A text whose headings with two blanks say which anchor they have."""
    return _WIDE_HEADING.sub(lambda one: f"{one[0]} {{#{forge_anchor(one['title'])}}}", text)
