"""Which requirements have a case and a mutant, section by section, and what is still open.

    rpcrdma dev coverage [--document NAME] [--role NAME] [--write]

Every requirement that the wire shows needs, for each role of which it shows it
(`Requirement.seen_of`), a case of that role that cites it, and a mutant of that role that breaks it
and that such a case finds.  `tests/targets/mutants/test_mutants.py` has every mutant found by a
case that cites what it breaks, so counting the mutants is enough here.

`open_requirements.toml` beside this module lists what is missing, by role; `--write` brings it up
to date.  A test holds it against the suite, so that a requirement that loses its last case or
mutant shows.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import Role, load_catalogue
from conformance.suite.runner import collect_cases
from targets.mutants.base import mutants

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    from conformance.catalogue.entries import Requirement

__all__ = [
    "OPEN",
    "ROLES",
    "Coverage",
    "Section",
    "add_arguments",
    "coverage",
    "lacking",
    "listed",
    "render",
    "run",
    "sections",
]

OPEN: Final = Path(__file__).with_name("open_requirements.toml")
"""The checked-in list."""

ROLES: Final = (Role.RESPONDER, Role.REQUESTER)
"""The roles of a device under test."""

_HEAD: Final = """\
# What the wire shows of a device in a role, and for which there is no case, no mutant, or neither.
# Written by `rpcrdma dev coverage --write`; nothing here is kept by hand.
"""

Lacks = dict[str, dict[str, str]]
"""Role -> id of a requirement -> what it lacks, in words."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the suite has: ids of requirements, each with a role.

    Attributes:
        cases: that some case of the role cites.
        mutants: that some mutant of the role breaks.
    """

    cases: frozenset[tuple[str, str]]
    mutants: frozenset[tuple[str, str]]

    def lacks(self, requirement: str, role: Role) -> str:
        """What a requirement lacks for a role, in words; empty if it has both."""
        key = (requirement, role.value)
        missing = [
            name
            for name, having in (("case", self.cases), ("mutant", self.mutants))
            if key not in having
        ]
        return f"no {' and no '.join(missing)}" if missing else ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document, and its requirements that the wire shows of a role.

    Attributes:
        document: short name.  section: number.  role: of the device.
        requirements: how many there are.
        lacking: id and what it lacks, for those that lack anything.
    """

    document: str
    section: str
    role: Role
    requirements: int
    lacking: tuple[tuple[str, str], ...]


def coverage() -> Coverage:
    """What the cases cite and the mutants break."""
    return Coverage(
        frozenset((name, case.role) for case in collect_cases() for name in case.requirements),
        frozenset((mutant.breaks, mutant.role) for mutant in mutants()),
    )


def sections(entries: Iterable[Requirement], having: Coverage, role: Role) -> tuple[Section, ...]:
    """The requirements by section, in the order of the catalogue."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        if role in entry.seen_of:
            grouped.setdefault((entry.document, entry.section), []).append(entry.id)
    return tuple(
        Section(
            *key,
            role,
            len(ids),
            tuple((one, lack) for one in ids if (lack := having.lacks(one, role))),
        )
        for key, ids in grouped.items()
    )


def lacking(entries: Iterable[Requirement], having: Coverage) -> Lacks:
    """What is open, by role, in the order of the catalogue."""
    known = tuple(entries)
    return {
        role.value: {
            entry.id: lack
            for entry in known
            if role in entry.seen_of and (lack := having.lacks(entry.id, role))
        }
        for role in ROLES
    }


def listed(path: Path = OPEN) -> Lacks:
    """The checked-in list."""
    raw: Lacks = tomllib.loads(path.read_text(encoding="utf-8"))
    return raw


def render(found: Mapping[str, Mapping[str, str]]) -> str:
    """The list as a file."""
    parts = (
        f"[{role}]\n" + "".join(f'"{one}" = "{lack}"\n' for one, lack in lacks.items())
        for role, lacks in found.items()
    )
    return "\n".join((_HEAD, *parts))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `run` takes to a command line."""
    documents = [part.document for part in load_catalogue().documents]
    parser.add_argument("--document", default="", choices=documents, help="short name")
    parser.add_argument("--role", default="", choices=[role.value for role in ROLES])
    parser.add_argument("--write", action="store_true", help=f"bring {OPEN.name} up to date")


def run(chosen: argparse.Namespace) -> int:
    """Print the table; with `--write`, write the list."""
    catalogue, having = load_catalogue(), coverage()
    selected = catalogue.select(document=chosen.document or None)
    sys.stdout.write("role       document  section   requirements  lacking\n")
    for role in ROLES:
        if chosen.role in ("", role.value):
            sys.stdout.writelines(_table(sections(selected, having, role), role))
    if chosen.write:
        OPEN.write_text(render(lacking(catalogue, having)), encoding="utf-8")
    return 0


def _table(rows: tuple[Section, ...], role: Role) -> Iterator[str]:
    for row in rows:
        yield (
            f"{role.value:10} {row.document:9} {row.section:9}"
            f" {row.requirements:12} {len(row.lacking):8}\n"
        )
        yield from (f"           {one}: {lack}\n" for one, lack in row.lacking)
    lacks = [lack for row in rows for _, lack in row.lacking]
    yield (
        f"{role.value}: {sum(row.requirements for row in rows)} requirements,"
        f" {sum('case' in lack for lack in lacks)} without a case,"
        f" {sum('mutant' in lack for lack in lacks)} without a mutant\n"
    )
