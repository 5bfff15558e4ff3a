"""Which requirements have a case, section by section, and which are still open.

    python -m conformance.coverage [--write]

The table counts what the wire shows of a Responder.  `open_requirements.toml` beside this module
lists every MUST and MUST NOT of these that no case cites, each with the reason; a test compares it
with the suite, so that a requirement that gains or loses its last case shows in review.  `--write`
brings the file up to date and keeps the reasons that it has.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.catalogue import Level, Role, Testability, load_catalogue
from conformance.runner import collect_cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.catalogue import Requirement

__all__ = ["OPEN", "Section", "cited", "listed", "main", "open_requirements", "render", "sections"]

OPEN: Final = Path(__file__).with_name("open_requirements.toml")
"""The checked-in list."""

_BINDING: Final = frozenset({Level.MUST, Level.MUST_NOT})
_NO_REASON: Final = "No case has been written yet."

_HEAD: Final = """\
# What a Responder MUST or MUST NOT do and the wire shows, but no case cites, with the reason.
# `python -m conformance.coverage --write` brings the list up to date; reasons are written by hand.
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document, and its requirements that the wire shows of a Responder.

    Attributes:
        document: short name.  section: number.
        requirements: how many there are.  without: ids of those that no case cites.
    """

    document: str
    section: str
    requirements: int
    without: tuple[str, ...]


def cited() -> frozenset[str]:
    """Ids of the requirements that some case cites."""
    return frozenset(name for case in collect_cases() for name in case.requirements)


def sections(entries: Iterable[Requirement], covered: frozenset[str]) -> tuple[Section, ...]:
    """The requirements by section, in the order of the catalogue."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        if entry.test is Testability.WIRE and Role.RESPONDER in entry.binds:
            grouped.setdefault((entry.document, entry.section), []).append(entry.id)
    return tuple(
        Section(*key, len(ids), tuple(one for one in ids if one not in covered))
        for key, ids in grouped.items()
    )


def open_requirements(
    entries: Iterable[Requirement], covered: frozenset[str]
) -> tuple[Requirement, ...]:
    """What a Responder MUST or MUST NOT do, what the wire shows, and what no case cites."""
    return tuple(
        entry
        for entry in entries
        if entry.level in _BINDING
        and entry.test is Testability.WIRE
        and Role.RESPONDER in entry.binds
        and entry.id not in covered
    )


def listed(path: Path = OPEN) -> dict[str, str]:
    """The checked-in list: id and reason."""
    raw: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return raw


def render(entries: Iterable[Requirement], reasons: Mapping[str, str]) -> str:
    """The list as a file, with the reasons that are known."""
    lines = (f'"{entry.id}" = "{reasons.get(entry.id, _NO_REASON)}"' for entry in entries)
    return _HEAD + "\n" + "".join(f"{line}\n" for line in lines)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; with `--write`, write the list."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.coverage",
        description="Which requirements of a Responder have a case, section by section.",
        epilog="example: python -m conformance.coverage --write",
    )
    parser.add_argument("--write", action="store_true", help=f"bring {OPEN.name} up to date")
    chosen = parser.parse_args(arguments)
    catalogue, covered = load_catalogue(), cited()
    table = sections(catalogue, covered)
    sys.stdout.write("document  section   requirements  with cases  without\n")
    for row in table:
        count, without = row.requirements, len(row.without)
        sys.stdout.write(
            f"{row.document:9} {row.section:9} {count:12} {count - without:11} {without:8}\n"
        )
        sys.stdout.writelines(f"          {identity}\n" for identity in row.without)
    total, lacking = sum(row.requirements for row in table), sum(len(row.without) for row in table)
    found = open_requirements(catalogue, covered)
    sys.stdout.write(
        f"{total} requirements, {total - lacking} with cases, {lacking} without;"
        f" {len(found)} of these are a MUST or MUST NOT\n"
    )
    if chosen.write:
        OPEN.write_text(render(found, listed() if OPEN.exists() else {}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
