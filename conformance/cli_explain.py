"""`rpcrdma explain`: a requirement, a case or an interpretation, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.catalogue import load_catalogue
from conformance.interpretations import load_interpretations
from conformance.runner import collect_cases

if TYPE_CHECKING:
    import argparse

    from conformance.plugin import Case

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `explain` to the command line."""
    parser = subparsers.add_parser(
        "explain",
        help="explain a requirement, a case or an interpretation",
        description="Say what a requirement, a case or an interpretation is.",
        epilog="example: rpcrdma explain rfc8166.4.5.1.err-vers-range",
    )
    parser.add_argument("id", metavar="ID")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain.

    Raises:
        ValueError: nothing has this id.
    """
    identity: str = arguments.id
    catalogue, cases = load_catalogue(), collect_cases()
    readings = load_interpretations()
    named = [case for case in cases if identity in (case.id, case.id.partition("[")[0])]
    if identity in catalogue:
        _explain_requirement(identity, cases)
    elif named:
        _explain_case(named)
    elif identity in readings:
        reading = readings[identity]
        for field in reading.__struct_fields__:
            print(f"{field:15} {getattr(reading, field)}")
    else:
        raise ValueError(f"`{identity}` is no requirement, case or interpretation")
    return 0


def _explain_requirement(identity: str, cases: tuple[Case, ...]) -> None:
    entry = load_catalogue()[identity]
    print(f"{entry.id}\n{entry.document} section {entry.section}, {entry.level.value}")
    print(f"binds: {entry.role.value}; test: {entry.test.value} {entry.reason}".rstrip())
    print(entry.text)
    if entry.interpretations:
        print(f"read by: {', '.join(entry.interpretations)}")
    citing = sorted({case.id.partition("[")[0] for case in cases if identity in case.requirements})
    print("cases:" if citing else "no case cites it")
    for case in citing:
        print(f"  {case}")


def _explain_case(named: list[Case]) -> None:
    catalogue = load_catalogue()
    first = named[0]
    print(f"{first.id.partition('[')[0]} ({len(named)} cases)\n{first.title}")
    for requirement in first.requirements:
        entry = catalogue[requirement]
        print(f"  {entry.id} ({entry.level.value}): {entry.text}")
