"""What mkdocs calls: it gets the pages that are made of the code, and links that hold on the site.

Pages in `docs/` link to files of the repository as forges do, `../README.md`; on the site some of
these files are pages, too.  A link to any other file becomes its text: the site has no such file.
Pages in `docs/reference` are made here; a link to one holds on the site alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mkdocs.structure.files import File

from documentation.links import forge_anchor, site_links
from documentation.pages import COPIED, PICTURES, ROOT, made_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["on_config", "on_files", "on_page_markdown"]

_FILLED: Final = {"Requirements": "reference/requirements/", "Findings": "results/"}
"""Title of a section that is empty in mkdocs.yml -> beginning of the pages that are put there."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the sections whose pages are made here, and have anchors as forges make them."""
    config.mdx_configs["toc"]["slugify"] = lambda title, _separator: forge_anchor(title)
    _fill(config.nav or [])
    return config


def _fill(entries: list[Any]) -> None:
    """Fill sections in a part of the navigation: a list of pages, and of sections by title."""
    for entry in entries:
        for title, below in entry.items() if isinstance(entry, dict) else ():
            if title in _FILLED and not below:
                below += [page for page in made_pages() if page.startswith(_FILLED[title])]
            elif isinstance(below, list):
                _fill(below)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in `docs/`, and the pictures of the findings."""
    for page, text in made_pages().items():
        files.append(File.generated(config, page, content=text))
    for place in PICTURES:
        files.append(File.generated(config, place, abs_src_path=str(ROOT / place)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Make the links of a page in `docs/` those of the site."""
    if page.file.generated_by:
        return markdown
    place = page.file.src_uri
    return site_links(markdown, f"docs/{place}", place, COPIED)
