"""What a release is without: recipes that are told to maintainers before they are published.

`withheld.toml` lists them: files and folders of the project, parts of its pages, and words that say
too much wherever they stand.  `conformance.proof.release` makes the copy.  SECURITY.md says which
findings are told first.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = [
    "WITHHELD",
    "PagePart",
    "Said",
    "Taken",
    "Withheld",
    "read_withheld",
    "without_part",
]

WITHHELD: Final = "withheld.toml"
"""The list, at the root of the project; no release has it."""

_HEADING: Final = re.compile(r"#+ ")


class Taken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file, or a folder with all that is in it, that holds a recipe.

    Attributes:
        finding: what it is a recipe for; several with commas between them.
        path: from the root of the project; of a folder with a slash at its end.
        why: what of it is the recipe, or needs one.
        until: when it may be published.
    """

    finding: str
    path: str
    why: str
    until: str

    def holds(self, path: str) -> bool:
        """Whether a file of the project is withheld by this."""
        return path == self.path or (self.path.endswith("/") and path.startswith(self.path))


class PagePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a page: what is below a heading, or one item of a list, or row of a table.

    Attributes:
        finding: as above.  path: of the page.  why: as above.  until: as above.
        begins: how its first line begins, which no other line of the page does.
        instead: what stands there in a release; may be empty.
    """

    finding: str
    path: str
    why: str
    until: str
    begins: str
    instead: str


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that say too much, in any page or list of the project.

    Attributes:
        finding: as above.  why: as above.  until: as above.
        words: as they stand there.
        instead: what is said in a release.
    """

    finding: str
    words: str
    why: str
    until: str
    instead: str


class Withheld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The list.

    Attributes:
        taken: files and folders.  part: parts of pages.  said: words.
    """

    taken: tuple[Taken, ...] = ()
    part: tuple[PagePart, ...] = ()
    said: tuple[Said, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether a file of the project, by its path from the root, is no part of a release."""
        return path == WITHHELD or any(one.holds(path) for one in self.taken)

    def edited(self, path: str, text: str) -> str:
        """The text of a file as a release has it.

        Raises:
            BadInput: a part that is to be left out is not there.
        """
        for part in self.part:
            if part.path == path:
                text = without_part(text, part)
        for one in self.said:
            text = text.replace(one.words, one.instead)
        return text

    def check(self, paths: Iterable[str]) -> None:
        """See that every entry is about something that is there.

        Args:
            paths: of the project's files, from its root.

        Raises:
            BadInput: one is not.
        """
        there = set(paths)
        gone = [one.path for one in self.taken if not any(map(one.holds, there))]
        gone += [one.path for one in self.part if one.path not in there]
        if gone:
            raise BadInput(f"{WITHHELD}: {', '.join(gone)} is not there; mend the list")


def read_withheld(root: Path) -> Withheld:
    """The list of a project.

    Raises:
        BadInput: the list is missing, as in a release, or it is not in form.
    """
    try:
        text = (root / WITHHELD).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadInput(
            f"{root} has no {WITHHELD}: it is a release; make one where that is"
        ) from error
    try:
        return msgspec.convert(tomllib.loads(text), Withheld)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInput(f"{WITHHELD}: {error}") from error


def without_part(text: str, part: PagePart) -> str:
    """A page with something else in the place of a part.

    What begins with a heading goes on to the next heading that is not below it; an item or a row
    goes on over the lines that are indented.

    Raises:
        BadInput: the part is not there, or not once.
    """
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith(part.begins)]
    if len(starts) != 1:
        raise BadInput(
            f"{WITHHELD}: {len(starts)} lines of {part.path} begin with `{part.begins}`; name one"
        )
    first = starts[0]
    end = next(_ends(lines, first), len(lines))
    return "".join((*lines[:first], part.instead, *lines[end:]))


def _ends(lines: list[str], first: int) -> Iterator[int]:
    """The lines before which the part that begins with line `first` may end."""
    heading = _HEADING.match(lines[first])
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if heading:
            other = _HEADING.match(line)
            if other and len(other[0]) <= len(heading[0]):
                yield number
        elif not line.startswith("  "):
            yield number
