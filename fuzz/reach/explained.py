"""Why no input takes a branch: `results/fuzzing/explained.toml`, kept by hand.

An entry names functions, and may name a line in them, both as patterns (`*` is anything).  One that
matches no branch which is not taken is stale: somebody has to look again.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from fuzz.reach.measure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fuzz.reach.branches import Unreached

__all__ = ["EXPLAINED", "Why", "WhyUnreached", "explanation_of", "read_explained", "see_none_stale"]

EXPLAINED: Final = ROOT / "results" / "fuzzing" / "explained.toml"
"""The file."""


class Why(Enum):
    """What an explanation says."""

    UNREACHABLE = "unreachable"
    """No input can come there: something before it sees to that."""
    ELSEWHERE = "elsewhere"
    """It is not for inputs: another fabric, another application; the tests of the part reach it."""
    OPEN = "open"
    """An input could come there, and none does yet."""


@dataclass(frozen=True, slots=True)
class WhyUnreached:
    """Why some branches are not taken.

    Attributes:
        where: pattern of `Unreached.where`.  line: pattern of its line.
        kind: see `Why`.  why: one or more sentences.
    """

    where: str
    line: str
    kind: Why
    why: str

    def covers(self, branch: Unreached) -> bool:
        """Whether it is about this branch."""
        in_place = fnmatchcase(branch.where, self.where)
        return in_place and (not self.line or fnmatchcase(branch.line, self.line))

    def __str__(self) -> str:
        return f"{self.where}: {self.line}" if self.line else self.where


def read_explained(path: Path = EXPLAINED) -> tuple[WhyUnreached, ...]:
    """The explanations, in the order of the file; none where there is no file.

    Raises:
        BadInput: an entry lacks something.
    """
    if not path.exists():
        return ()
    try:
        entries = tomllib.loads(path.read_text("utf-8")).get("unreached", [])
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}") from error
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            why = " ".join(entry["why"].split())
            found.append(
                WhyUnreached(entry["where"], entry.get("line", ""), Why(entry["kind"]), why)
            )
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise BadInput(
                f"{path}: entry {number}: {error}; give where, kind and why, and line if only one"
                " is meant"
            ) from error
    return tuple(found)


def explanation_of(branch: Unreached, explained: Iterable[WhyUnreached]) -> WhyUnreached | None:
    """The first explanation of a branch; None if nobody has given one."""
    return next((one for one in explained if one.covers(branch)), None)


def see_none_stale(explained: Iterable[WhyUnreached], unreached: Iterable[Unreached]) -> None:
    """See that each explanation is the first one of some branch that is not taken.

    Raises:
        BadInput: one is of no branch; the message names it.
    """
    entries = tuple(explained)
    used = {explanation_of(branch, entries) for branch in unreached}
    stale = [str(one) for one in entries if one not in used]
    if stale:
        raise BadInput(
            f"{EXPLAINED.name} explains what is reached, or is no more: {'; '.join(stale)};"
            " take the entry out, or name the function and line as they are now"
        )
