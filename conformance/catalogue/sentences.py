"""Sentences of a specification text, so that the catalogue can point at one without carrying it.

A requirement's `fingerprint` is the SHA-256 of the sentence that it rests on.  The catalogue holds
the fingerprint and our paraphrase; whoever has the document can find the sentence again, and sees
when a sentence with a requirement keyword has no entry.

How a text becomes sentences (deterministic, and indifferent to how the lines are filled):

1.  Form feeds, page footers (`[Page n]`) and running page heads go.  Lines between CODE BEGINS and
    CODE ENDS, lines that start with `///` and lines of a drawing (a bar between blanks) go.
2.  A section starts at a line that begins in the first column with its number (`4.5.1.` or `A.2.`)
    and a blank.  What stands before the first section, the table of contents too (indented, or
    with tabs), is left out.
3.  Blank lines end a block, and so does a bullet (`o` and two blanks, with or without a hyphen
    before it).  Blank lines that came with a page break end it only if the text before them ends
    in `.`, `:`, `;`, `?` or `!`.
4.  In a block, a hyphen at the end of a line joins the next line; all other white space becomes
    one blank; grave accents, with which some copies mark names, go.
5.  A block is cut after `.`, `?` or `!` (and a closing quote or bracket) where white space and a
    capital, a digit, a quote or an opening bracket follow.

A copy that has lost its lines is given them back first (`conformance.catalogue.running_text`).

`rpcrdma dev sentences TEXT WORDS...` prints section, fingerprint and text of every sentence in
which all the words occur.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.catalogue.running_text import running_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["Sentence", "fingerprint", "read_sentences", "split_sentences"]

_FOOTER: Final = re.compile(r"\[Page \d+\]\s*$")
_PAGE_HEAD: Final = re.compile(r"^(RFC \d+|Internet-Draft)\s{2,}\S.*\d{4}\s*$")
_SECTION: Final = re.compile(r"^(\d+(?:\.\d+)*|[A-Z](?:\.\d+)+)\. +\S")
_BULLET: Final = re.compile(r"^\s*(?:-\s+o\s+|-\s{2,}|o\s{2,})")
_DRAWING: Final = re.compile(r"^\s*(\S+\s+)?\|\s.*\|")
_END_OF_SENTENCE: Final = re.compile(r"(?<=[.?!])([\")\]]*)\s+(?=[A-Z0-9\"(\[])")
_KEYWORD: Final = re.compile(
    r"\b(MUST NOT|SHALL NOT|SHOULD NOT|NOT RECOMMENDED|MUST|SHALL|REQUIRED|SHOULD|RECOMMENDED|"
    r"MAY|OPTIONAL)\b"
)
_LEVEL_OF_KEYWORD: Final = {
    "MUST": "MUST",
    "SHALL": "MUST",
    "REQUIRED": "MUST",
    "MUST NOT": "MUST NOT",
    "SHALL NOT": "MUST NOT",
    "SHOULD": "SHOULD",
    "RECOMMENDED": "SHOULD",
    "SHOULD NOT": "SHOULD NOT",
    "NOT RECOMMENDED": "SHOULD NOT",
    "MAY": "MAY",
    "OPTIONAL": "MAY",
}
_BOILERPLATE: Final = re.compile(r"key ?words? .*to be interpreted as described")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a document: the number of its section, and its text, white space squeezed."""

    section: str
    text: str

    @property
    def fingerprint(self) -> str:
        """What a catalogue entry stores instead of the text."""
        return fingerprint(self.text)

    @property
    def levels(self) -> frozenset[str]:
        """The requirement levels (BCP 14, capitals only) named in it.

        Empty for the paragraph that says how the keywords are to be read.
        """
        if _BOILERPLATE.search(self.text):
            return frozenset()
        return frozenset(_LEVEL_OF_KEYWORD[word] for word in _KEYWORD.findall(self.text))


def fingerprint(sentence: str) -> str:
    """The fingerprint of a sentence: `sha256:` and 64 hexadecimal digits."""
    squeezed = " ".join(sentence.replace("`", "").split())
    return "sha256:" + hashlib.sha256(squeezed.encode()).hexdigest()


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """The sentences of the specification text in a file."""
    return split_sentences(path.read_text(encoding="utf-8", errors="replace"))


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a specification text, in order."""
    found: list[Sentence] = []
    for section, block in _blocks(running_lines(text)):
        joined = re.sub(r"(?<=\w)-\n\s*(?=\w)", "-", block)
        marked = _END_OF_SENTENCE.sub("\\1\n\n", " ".join(joined.replace("`", "").split()))
        found.extend(Sentence(section, piece) for piece in marked.split("\n\n") if piece)
    return tuple(found)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Section number and text of each paragraph or bullet."""
    section = ""
    lines: list[str] = []
    blank = page_break = False

    for line in [*_content_lines(text), None]:
        heading = None if line is None else _SECTION.match(line)
        ends = line is None or heading is not None or _starts_block(line, lines, blank, page_break)
        if ends and lines:
            if section:
                yield section, "\n".join(lines)
            lines = []
        if line is None or heading is not None:
            section = heading.group(1) if heading is not None else section
            blank = page_break = False
        elif line == "\f":
            page_break = True
        elif not line.strip():
            blank = True
        else:
            lines.append(_BULLET.sub("", line))
            blank = page_break = False


def _starts_block(line: str, before: Sequence[str], blank: bool, page_break: bool) -> bool:
    if not before or line == "\f" or not line.strip():
        return False
    if _BULLET.match(line):
        return True
    if page_break:
        return before[-1].rstrip().endswith((".", ":", ";", "?", "!"))
    return blank


def _content_lines(text: str) -> Iterator[str]:
    """The lines that carry prose; a page break becomes one line that holds a form feed."""
    in_code = False
    for raw in text.splitlines():
        line = raw.replace("\f", "").rstrip()
        if "<CODE BEGINS>" in line or "<CODE ENDS>" in line:
            in_code = "<CODE BEGINS>" in line
        elif _FOOTER.search(line) or _PAGE_HEAD.match(line):
            yield "\f"
        elif not (in_code or line.lstrip().startswith("///") or _DRAWING.match(line)):
            yield line
