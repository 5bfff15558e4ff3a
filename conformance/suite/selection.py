"""Which of the cases a run judges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from conformance.catalogue.entries import load_catalogue
from conformance.suite.case import case_id

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.suite.case import Case

__all__ = ["Selection", "is_pattern", "names"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cases to run; what is empty does not restrict.

    Attributes:
        document: short name; several with commas between them.
        section: number, subsections included; several likewise.  role: of the device.
        level: of one of the cited requirements.
        cases: ids; without brackets, all parameters; with * and ?, all that are spelled so.
        destructive: include the cases that may bring a device down; one that is named is.
        exclude: ids that are left out, as `cases`.
    """

    document: str = ""
    section: str = ""
    role: str = ""
    level: str = ""
    cases: tuple[str, ...] = ()
    destructive: bool = False
    exclude: tuple[str, ...] = ()

    def includes(self, case: Case) -> bool:
        """Whether the case is wanted."""
        document, section, _ = case.id.split("/", 2)
        return (
            (self.destructive or not case.destructive or self._is_named(case.id))
            and self._is_from(document, section)
            and self.role in ("", case.role)
            and (not self.level or self.level in _levels(case))
            and (not self.cases or any(names(name, case.id) for name in self.cases))
            and not any(names(name, case.id) for name in self.exclude)
        )

    def may_be_in(self, path: Path) -> bool:
        """Whether a scenario file may hold a case that is wanted; its name tells the section."""
        document, section, _ = case_id(path, "").split("/", 2)
        begin = f"{document}/{section}/"
        return self._is_from(document, section) and (
            not self.cases or any(_may_begin(name, begin) for name in self.cases)
        )

    def _is_named(self, identity: str) -> bool:
        return any(not is_pattern(name) and names(name, identity) for name in self.cases)

    def _is_from(self, document: str, section: str) -> bool:
        return (not self.document or document in self.document.split(",")) and (
            not self.section
            or any(f"{section}.".startswith(f"{one}.") for one in self.section.split(","))
        )


def is_pattern(name: str) -> bool:
    """Whether a name stands for all that are spelled so; the brackets of an id are no pattern."""
    return "*" in name or "?" in name


def names(name: str, identity: str) -> bool:
    """Whether a name, or pattern, means a case."""
    stem = identity.partition("[")[0]
    if not is_pattern(name):
        return name in (identity, stem)
    pattern = _compiled(name)
    return any(pattern.fullmatch(one) for one in (identity, stem))


@cache
def _compiled(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name).replace(r"\*", ".*").replace(r"\?", "."))


def _may_begin(name: str, begin: str) -> bool:
    """Whether a name may mean a case whose id begins so."""
    fixed = re.split(r"[*?]", name, maxsplit=1)[0] if is_pattern(name) else name
    return fixed.startswith(begin) or (is_pattern(name) and begin.startswith(fixed))


def _levels(case: Case) -> set[str]:
    catalogue = load_catalogue()
    return {catalogue[requirement].level.value for requirement in case.requirements}
