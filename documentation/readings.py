"""The register of readings as a page of the site: each entry has its number for an anchor."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["readings_page"]

_HEADING: Final = re.compile(r"^(## ([DV]-\d+)  .*)$", re.MULTILINE)


def readings_page(text: str) -> str:
    """The rendered register, with anchors such as `#D-12`."""
    return _HEADING.sub(r"\1 {#\2}", text)
