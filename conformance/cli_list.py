"""`rpcrdma cases` and `rpcrdma requirements`: what there is to test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.catalogue import Level, Role, load_catalogue
from conformance.runner import Selection, collect_cases

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "add_selection", "run_cases", "run_requirements", "selection_of"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands to the command line."""
    cases = subparsers.add_parser(
        "cases",
        help="list the cases",
        description="List the cases, one a line: id, level of its first requirement, title.",
        epilog="example: rpcrdma cases --document rfc8166 --section 4.5",
    )
    add_selection(cases)
    cases.set_defaults(run=run_cases)
    requirements = subparsers.add_parser(
        "requirements",
        help="list the requirements",
        description="List the catalogue, one requirement a line: id, level, role, test, text.",
        epilog="example: rpcrdma requirements --section 4.5 --level MUST",
    )
    _add_common(requirements)
    requirements.set_defaults(run=run_requirements)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select cases."""
    _add_common(parser)
    parser.add_argument(
        "--case", action="append", default=[], metavar="ID", help="this case only; may be repeated"
    )
    parser.add_argument(
        "--destructive", action="store_true", help="include cases that may bring a device down"
    )


def selection_of(arguments: argparse.Namespace) -> Selection:
    """The selection that the options describe.

    Raises:
        ValueError: a case is unknown.
    """
    known = {case.id for case in collect_cases()}
    known |= {identity.partition("[")[0] for identity in known}
    for identity in arguments.case:
        if identity not in known:
            raise ValueError(f"there is no case `{identity}`; `rpcrdma cases` lists them all")
    return Selection(
        document=arguments.document,
        section=arguments.section,
        role=arguments.role,
        level=arguments.level,
        cases=tuple(arguments.case),
        destructive=arguments.destructive or bool(arguments.case),
    )


def run_cases(arguments: argparse.Namespace) -> int:
    """Print the cases."""
    catalogue = load_catalogue()
    selection = selection_of(arguments)
    for case in collect_cases():
        if selection.includes(case):
            level = catalogue[case.requirements[0]].level.value
            print(f"{case.id}  {level}  {case.title}")
    return 0


def run_requirements(arguments: argparse.Namespace) -> int:
    """Print the requirements."""
    found = load_catalogue().select(
        document=arguments.document or None,
        section=arguments.section or None,
        role=Role(arguments.role) if arguments.role else None,
        level=Level(arguments.level) if arguments.level else None,
    )
    for entry in found:
        words = (entry.id, entry.level.value, entry.role.value, entry.test.value, entry.text)
        print("  ".join(words))
    return 0


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--document", default="", help="short name, rfc8166")
    parser.add_argument("--section", default="", help="number; its subsections are included")
    parser.add_argument("--role", default="", choices=["requester", "responder"])
    parser.add_argument("--level", default="", choices=[level.value for level in Level])
