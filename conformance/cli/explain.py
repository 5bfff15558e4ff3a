"""`rpcrdma explain`: a requirement, a case, an interpretation or a mutant, in words."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.catalogue.entries import Testability, load_catalogue
from conformance.catalogue.interpretations import load_changes, load_interpretations
from conformance.suite.runner import collect_cases
from targets.mutants.base import PREFIX, mutants

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from conformance.catalogue.interpretations import Interpretation
    from conformance.suite.plugin import Case
    from targets.mutants.base import Mutant

__all__ = ["add_parser", "run"]

_OFFERED: Final = 3
"""Most ids that are offered in place of an unknown one."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `explain` to the command line."""
    parser = subparsers.add_parser(
        "explain",
        help="explain a requirement, a case, an interpretation or a mutant",
        description="Say what a requirement, a case, an interpretation or a mutant is.",
        epilog="example: rpcrdma explain rfc8166.4.5.1.err-vers-range",
    )
    parser.add_argument("id", metavar="ID", help="as reports and the other commands print it")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain.

    Raises:
        BadInput: nothing has this id.
    """
    identity: str = arguments.id
    catalogue, cases = load_catalogue(), collect_cases()
    readings = load_interpretations()
    broken = {f"{PREFIX}{mutant.slug}": mutant for mutant in mutants()}
    named = [case for case in cases if identity in (case.id, _without_parameters(case))]
    if identity in catalogue:
        _explain_requirement(identity, cases, broken.values())
    elif named:
        _explain_case(identity, named)
    elif identity in readings:
        _explain_reading(readings[identity])
    elif identity in broken:
        _explain_mutant(broken[identity], cases)
    else:
        known = [entry.id for entry in catalogue]
        known += [*dict.fromkeys(map(_without_parameters, cases)), *readings, *broken]
        raise BadInput(
            f"`{identity}` is no requirement, case, interpretation or mutant;"
            f" {_offer(identity, known)}"
        )
    return 0


def _explain_requirement(identity: str, cases: tuple[Case, ...], broken: Iterable[Mutant]) -> None:
    entry = load_catalogue()[identity]
    print(f"{entry.id}\n{entry.document} section {entry.section}, {entry.level.value}")
    print(f"binds: {entry.role.value}")
    print(entry.text)
    if entry.test is not Testability.WIRE:
        print(f"not tested ({entry.test.value}): {entry.reason}")
    for role, reason in entry.unseen.items():
        print(f"not seen of a {role.value}: {reason}")
    if entry.interpretations:
        print(f"read by: {', '.join(entry.interpretations)}")
    citing = sorted({_without_parameters(case) for case in cases if identity in case.requirements})
    if citing or entry.test is Testability.WIRE:
        print("cases:" if citing else "no case cites it")
    for case in citing:
        print(f"  {case}")
    breaking = [mutant for mutant in broken if mutant.breaks == identity]
    if breaking:
        print("mutants that break it:")
    for mutant in breaking:
        print(f"  {PREFIX}{mutant.slug}: {mutant.deviation}")


def _explain_case(identity: str, named: list[Case]) -> None:
    catalogue = load_catalogue()
    first = named[0]
    print(f"{identity}\n{first.title}")
    if len(named) > 1:
        print(f"{len(named)} cases:")
        for case in named:
            print(f"  {case.id}")
    if first.needs:
        print(f"needs the profile to claim: {', '.join(first.needs)}")
    print("requirements:")
    for requirement in first.requirements:
        entry = catalogue[requirement]
        print(f"  {entry.id} ({entry.level.value}): {entry.text}")
    if first.interpretations:
        print(f"rests on: {', '.join(first.interpretations)}")
    device = "reference-client" if first.role == "requester" else "reference"
    print(f"run it: rpcrdma certify {device} --case '{identity}'")


def _explain_reading(reading: Interpretation) -> None:
    for field in reading.__struct_fields__:
        value = getattr(reading, field)
        if field == "options":
            value = ", ".join(value) or "none; a profile may not choose"
        print(f"{field:10} {value}")
    if reading.options:
        print(f'a profile chooses in [extra.interpretations]: {reading.id} = "{reading.default}"')
    for change in load_changes():
        if reading.id in change.concerns:
            print(f"in later drafts of Version Two ({change.subject}): {change.later}")


def _explain_mutant(mutant: Mutant, cases: tuple[Case, ...]) -> None:
    entry = load_catalogue()[mutant.breaks]
    print(f"{PREFIX}{mutant.slug}\nThe reference endpoint, but for one thing: {mutant.deviation}")
    print(f"breaks: {entry.id} ({entry.level.value}): {entry.text}")
    citing = sorted({_without_parameters(case) for case in cases if entry.id in case.requirements})
    print("cases that cite it:" if citing else "no case cites it")
    for case in citing:
        print(f"  {case}")


def _without_parameters(case: Case) -> str:
    return case.id.partition("[")[0]


def _offer(identity: str, known: list[str]) -> str:
    """Ids like an unknown one: those that contain it, or else those spelt like it."""
    wanted = identity.lower()
    near = [one for one in known if wanted and wanted in one.lower()]
    near = near or get_close_matches(identity, known, n=_OFFERED)
    # Slugs alone are much more alike than whole ids, which share their beginnings.
    slugs = {one.rpartition("/")[2].rpartition(".")[2]: one for one in known}
    near = near or [slugs[one] for one in get_close_matches(wanted, slugs, n=_OFFERED)]
    if near:
        return f"did you mean {' or '.join(near[:_OFFERED])}?"
    return "`rpcrdma requirements`, `rpcrdma cases` and `rpcrdma targets` list them all"
