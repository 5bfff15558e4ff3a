"""The XDR lines of a specification text: those that its authors marked with `///`.

rfc8166 section 4.1.2 shows the shell commands that do the same.
"""

from __future__ import annotations

import re
from typing import Final

# A fourth slash can only be that of a comment's head: xcharext 5.2 puts no blank in between (D-02).
_MARKED: Final = re.compile(r"^ *///(?!/(?!\*)) ?(.*)$")


def extract(text: str) -> str:
    """The marked lines without their mark; empty if there are none."""
    found = (_MARKED.match(line) for line in text.splitlines())
    lines = [match.group(1).rstrip() for match in found if match]
    return "".join(f"{line}\n" for line in lines)
