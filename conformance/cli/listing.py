"""`rpcrdma cases` and `rpcrdma requirements`: what there is to test."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput, NothingSelected, meant
from conformance.catalogue.entries import Level, Role, Testability, load_catalogue
from conformance.proof.coverage import ROLES, coverage
from conformance.suite.runner import collect_cases
from conformance.suite.selection import Selection, names
from reports.summary import counted
from targets.mutants.base import PREFIX, mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conformance.catalogue.entries import Requirement
    from conformance.proof.coverage import Coverage

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
        description=(
            "List the catalogue: each requirement with its level, whom it binds, the cases that"
            " cite it and the mutants that break it, or why the wire does not show it."
        ),
        epilog="example: rpcrdma requirements --section 4.5 --role responder --level MUST",
    )
    _add_common(requirements)
    requirements.set_defaults(run=run_requirements)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select cases."""
    _add_common(parser)
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="ID",
        help="this case; without brackets, all its variants; * and ? stand for any characters",
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="ID", help="not this case; as --case"
    )
    parser.add_argument(
        "--destructive", action="store_true", help="include cases that may bring a device down"
    )


def selection_of(
    arguments: argparse.Namespace, roles: Sequence[str] = ("requester", "responder")
) -> Selection:
    """The selection that the options describe.

    Args:
        arguments: as they were given.
        roles: of the device.

    Raises:
        BadInput: a case is unknown.
        NothingSelected: no case is selected that is about one of the roles.
    """
    cases = collect_cases()
    known = {case.id for case in cases}
    known |= {identity.partition("[")[0] for identity in known}
    for identity in (*arguments.case, *arguments.exclude):
        if not any(names(identity, one) for one in known):
            near = meant(identity, known)
            raise BadInput(f"there is no case `{identity}`; `rpcrdma cases` lists them all{near}")
    selection = Selection(
        document=",".join(arguments.document),
        section=",".join(arguments.section),
        role=arguments.role,
        level=arguments.level,
        cases=tuple(arguments.case),
        destructive=arguments.destructive,
        exclude=tuple(arguments.exclude),
    )
    selected = [case for case in cases if selection.includes(case)]
    if not selected:
        hint = _hint(selection.document, known)
        raise NothingSelected(f"no case is selected{_by(arguments)}; {hint}")
    if not any(case.role in roles for case in selected):
        raise NothingSelected(
            f"no case for the role {' or '.join(roles)}, which the target has, is selected"
            f"{_by(arguments)}; `rpcrdma cases --role {roles[0]}` lists them all"
        )
    return selection


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
    """Print the requirements.

    Raises:
        NothingSelected: none is.
    """
    selected = load_catalogue().select(
        role=Role(arguments.role) if arguments.role else None,
        level=Level(arguments.level) if arguments.level else None,
    )
    found = [
        entry
        for entry in selected
        if (not arguments.document or entry.document in arguments.document)
        and (not arguments.section or _is_within(entry.section, arguments.section))
    ]
    if not found:
        raise NothingSelected(
            f"no requirement is selected{_by(arguments)}; `rpcrdma requirements` lists them all"
        )
    cited = _gathered(
        (requirement, case.id.partition("[")[0])
        for case in collect_cases()
        for requirement in case.requirements
    )
    broken = _gathered((mutant.breaks, f"{PREFIX}{mutant.slug}") for mutant in mutants())
    having = coverage()
    for entry in found:
        _print_requirement(entry, cited.get(entry.id, {}), broken.get(entry.id, {}), having)
    wire = [entry for entry in found if entry.test is Testability.WIRE]
    print(f"{counted(len(found), 'requirement')}: {len(wire)} can be tested on the wire")
    for role in ROLES:
        if arguments.role in ("", role.value):
            lacks = [having.lacks(entry.id, role) for entry in wire if role in entry.seen_of]
            print(
                f"of a {role.value}: {len(lacks)}, {sum('case' in lack for lack in lacks)} without"
                f" a case, {sum('mutant' in lack for lack in lacks)} without a mutant"
            )
    return 0


def _print_requirement(
    entry: Requirement,
    cases: Mapping[str, int],
    mutants_of: Mapping[str, int],
    having: Coverage,
) -> None:
    print(f"{entry.id}  {entry.level.value}  binds: {entry.role.value}")
    print(f"    {entry.text}")
    if entry.test is not Testability.WIRE:
        print(f"    not tested ({entry.test.value}): {entry.reason}")
    for role in ROLES:
        if reason := entry.unseen.get(role):
            print(f"    not seen of a {role.value}: {reason}")
        elif role in entry.seen_of and (lack := having.lacks(entry.id, role)):
            print(f"    of a {role.value}: {lack}")
    for case, count in cases.items():
        print(f"    case    {case}" + (f" ({count} variants)" if count > 1 else ""))
    for mutant in mutants_of:
        print(f"    mutant  {mutant}")
    print()


def _gathered(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """For each first item, how often each second item came with it."""
    found: dict[str, dict[str, int]] = {}
    for key, value in pairs:
        counts = found.setdefault(key, {})
        counts[value] = counts.get(value, 0) + 1
    return found


def _by(arguments: argparse.Namespace) -> str:
    """The options that restrict a selection, as they were given."""
    given = [
        f"--{name} {value}"
        for name in ("document", "section", "role", "level", "case", "exclude")
        for value in _values(getattr(arguments, name, ()))
    ]
    return f" by {' '.join(given)}" if given else ""


def _is_within(section: str, wanted: Iterable[str]) -> bool:
    return any(f"{section}.".startswith(f"{one}.") for one in wanted)


def _values(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) and given else given


def _hint(documents: str, known: Iterable[str]) -> str:
    """Where to look: at the requirements of documents that no case is about, or at the cases."""
    begins = tuple(f"{name}/" for name in documents.split(","))
    if any(identity.startswith(begins) for identity in known) or not documents:
        return "`rpcrdma cases` lists them all"
    return f"none is about it yet, `rpcrdma requirements --document {documents}` lists what it says"


def _documents(text: str) -> list[str]:
    """The argument of --document, if there are such documents."""
    known = [part.document for part in load_catalogue().documents]
    wanted = text.split(",")
    for name in wanted:
        if name not in known:
            raise argparse.ArgumentTypeError(f"no document `{name}`; there are {', '.join(known)}")
    return wanted


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--document",
        action="extend",
        default=[],
        type=_documents,
        metavar="NAME[,NAME...]",
        help="short names, rfc8166,bidir; given again, these too",
    )
    parser.add_argument(
        "--section",
        action="extend",
        default=[],
        type=lambda text: text.split(","),
        metavar="NUMBER[,NUMBER...]",
        help="its subsections are included; given again, these too",
    )
    parser.add_argument("--role", default="", choices=["requester", "responder"])
    levels = [level.value for level in Level]
    parser.add_argument("--level", default="", type=str.upper, choices=levels)
