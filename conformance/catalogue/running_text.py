"""A copy of a specification that was filled as running text, brought back into lines.

Some copies have lost their layout: the table of contents runs on, a heading stands in one line
with the text before and after it, and lists, code and tables are words among words.  The table
of contents still says what the headings are, and the grammar of XDR where code ends.  With both,
`running_lines` gives a line to each heading and a block to each paragraph that can be told, as
`conformance.catalogue.sentences` needs them.  A text that has kept its lines is not changed.

Where a paragraph ends without a full stop, its last sentence runs on into the next one.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["running_lines"]

_NUMBER: Final = r"\d+(?:\.\d+)*\."
_LEADER: Final = r"(?:\.\s+){2,}\d+"
_ENTRY: Final = re.compile(rf"({_NUMBER}\s+[A-Z][^.]*?)\s+{_LEADER}(?=\s)")
"""An entry of the table of contents: number and title, leader, page."""

_RUNS_ON: Final = re.compile(rf"{_LEADER} +{_NUMBER} +[A-Z]")
"""The end of an entry, and the next one in the same line."""

_CODE: Final = re.compile(
    r"^ {4}(?:(?:const|typedef)\b[^;]*;"
    r"|(?:(?:struct|enum) \w+ \{|union \w+ switch\()[^}]*\}(?:\s*;)?)",
    re.MULTILINE,
)
"""A declaration; copies drop the brace that opens a union."""

_TABLE: Final = re.compile(r"\+--[-+]*\+.*?Table \d+", re.DOTALL)
_BULLET: Final = re.compile(r"(?<!\S)o\s+(?=\S)")
_NUMBERED: Final = re.compile(r"(\s[a-z]\w*:?)\s+(?=[1-9]\. [A-Z])")
"""An item of a numbered list, after a word that is none of `Table` and `Section`."""

_HYPHEN: Final = re.compile(r"(?<=\w)- +(?!and\b|or\b)(?=\w)")
"""A hyphen that ended a line of the text from which the copy was made."""


def running_lines(text: str) -> str:
    """The text with a line for each heading and a block for each paragraph.

    What stands before the first section is left out, unless the text comes back as it is.
    """
    if _RUNS_ON.search(text) is None:
        return text
    entries = list(_ENTRY.finditer(text))
    rest = text[entries[-1].end() :]
    heading, parts = "", []
    for entry in entries:
        words = r"\s+".join(map(re.escape, entry[1].split()))
        before, *after = re.split(rf"(?<!\S){words}(?!\S)", rest, maxsplit=1)
        if after:  # a title that the table of contents alone has is passed over
            parts += [heading, _blocks(before)] if heading else []
            heading, rest = " ".join(entry[1].split()), after[0]
    return "\n\n".join((*parts, heading, _blocks(rest)))


def _blocks(text: str) -> str:
    """What stands between two headings, cut where code, a table or an item begins or ends.

    Its lines are indented: none that begins with a number is taken for a heading.
    """
    text = _without_extract(text)
    for pattern in (_CODE, _TABLE):
        text = pattern.sub("\n\n", text)
    text = _BULLET.sub("\n\no  ", text)
    text = _HYPHEN.sub("-", _NUMBERED.sub(r"\1\n\n", text))
    return "\n".join(f"   {line}" if line.strip() else "" for line in text.splitlines())


def _without_extract(text: str) -> str:
    """The text without the lines between two of the XDR that is to be extracted."""
    lines = text.splitlines()
    around = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
    return "\n".join(
        line
        for before, line, after in around
        if not (before.startswith("///") and after.startswith("///"))
    )
