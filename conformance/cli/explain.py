"""`rpcrdma explain`: a requirement, case, interpretation, mutant or key of a profile, in words."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.catalogue.entries import Testability, load_catalogue
from conformance.catalogue.interpretations import load_changes, load_interpretations
from conformance.proof import places, rules
from conformance.suite.runner import collect_cases
from targets.mutants.base import PREFIX, mutants
from targets.profile_keys import profile_keys, profile_tables

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from conformance.catalogue.interpretations import Interpretation
    from conformance.proof.places import Place
    from conformance.suite.case import Case
    from targets.mutants.base import Mutant
    from targets.profile_keys import ProfileKey

__all__ = ["add_parser", "run"]

_PROFILE: Final = "profile"
"""What stands for all keys of target profiles."""

_OFFERED: Final = 3
"""Most ids that are offered in place of an unknown one."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `explain` to the command line."""
    parser = subparsers.add_parser(
        "explain",
        help="explain a requirement, a case, an interpretation, a mutant or a profile's keys",
        description=(
            "Say what a requirement, a case, an interpretation or a mutant is, with file and line"
            " of all that belongs to it: the catalogue's entry, the cases, the mutants, the rules"
            " of the oracle and the code of the endpoint. `profile` lists the keys of target"
            " profiles, a key such as claims.versions what it means."
        ),
        epilog="example: rpcrdma explain rfc8166.4.5.1.err-vers-range",
    )
    parser.add_argument(
        "id", metavar="ID", help="as reports and the other commands print it, or `profile`"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain.

    Raises:
        BadInput: nothing has this id.
    """
    identity: str = arguments.id
    if identity == _PROFILE:
        _explain_profile()
        return 0
    if key := profile_keys().get(identity):
        _print_key(key)
        return 0
    broken = {f"{PREFIX}{mutant.slug}": mutant for mutant in mutants()}
    if identity in load_catalogue():
        _explain_requirement(identity, broken.values())
    elif identity in load_interpretations():
        _explain_reading(load_interpretations()[identity])
    elif identity in broken:
        _explain_mutant(broken[identity])
    elif named := _cases_named(identity):
        _explain_case(identity, named)
    else:
        known = [entry.id for entry in load_catalogue()]
        known += dict.fromkeys(map(_without_parameters, collect_cases()))
        raise BadInput(
            f"`{identity}` is no requirement, case, interpretation or mutant;"
            f" {_offer(identity, [*known, *load_interpretations(), *broken, *profile_keys()])}"
        )
    return 0


def _explain_profile() -> None:
    """The reference of profile keys, table by table."""
    print("A target profile is a TOML file with these keys. `rpcrdma target new` writes one.")
    for table in profile_tables():
        head = f"[{table.name}]  " if table.name else ""
        print(f"\n{head}{table.meaning}")
        for key in table.keys:
            _print_key(key)


def _print_key(key: ProfileKey) -> None:
    needed = "required" if key.required else f"default {key.default}" if key.default else "optional"
    print(f"  {key.dotted}  ({key.kind}; {needed})\n      {key.meaning}")
    for word, meaning in key.choices:
        print(f"      {word or 'empty'}: {meaning}")


def _explain_requirement(identity: str, broken: Iterable[Mutant]) -> None:
    entry = load_catalogue()[identity]
    print(f"{entry.id}\n{entry.document} section {entry.section}, {entry.level.value}")
    print(f"binds: {entry.role.value}")
    print(entry.text)
    if entry.test is not Testability.WIRE:
        print(f"not tested ({entry.test.value}): {entry.reason}")
    if entry.needed:
        print(f"binds all the same: {entry.needed}")
    for role, reason in entry.unseen.items():
        print(f"not seen of a {role.value}: {reason}")
    if entry.interpretations:
        print(f"read by: {', '.join(entry.interpretations)}")
    _print_places("catalogue:", [places.of_requirement(identity)])
    cited = _citing(identity)
    if cited or entry.test is Testability.WIRE:
        _print_cases("cases:", cited)
    breaking = [mutant for mutant in broken if mutant.breaks == identity]
    if breaking:
        print("mutants that break it:")
    for mutant in breaking:
        print(f"  {PREFIX}{mutant.slug}: {mutant.deviation}\n    {places.of_mutant(mutant)}")
    _print_rules(identity, cited)
    _print_places(
        "endpoint code that keeps it:",
        rules.endpoint_code(identity),
    )


def _print_rules(identity: str, cited: list[str]) -> None:
    """What judges a requirement: its own rules, those it inherits, or what its cases call."""
    own = rules.rules(identity)
    _print_places("rules that judge it:", own)
    inherited = [(one, found) for one in rules.origins(identity) if (found := rules.rules(one))]
    for origin, found in inherited:
        _print_places(f"judged as {origin}, which it inherits:", found)
    cases = collect_cases(*places.files_with(identity)) if cited else ()
    for rule in rules.stand_for(identity, cases):
        title = f"judged as {rule}, which means it in one of its cases:"
        _print_places(title, rules.rules(rule))
    if not own and not inherited:
        called = {place for case in cited for place in rules.called_by(case)}
        _print_places("no rule names it; its cases judge it, by:", sorted(called))


def _explain_case(identity: str, named: list[Case]) -> None:
    catalogue = load_catalogue()
    first = named[0]
    print(f"{identity}\n{first.title}\n{places.of_case(identity)}")
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
        print(f"    {places.of_requirement(entry.id)}")
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
    _print_places("register:", [places.of_reading(reading.id)])
    _explain_users(reading.id)


def _explain_users(reading: str) -> None:
    """What rests on an interpretation."""
    resting = [entry.id for entry in load_catalogue() if reading in entry.interpretations]
    if resting:
        print("requirements that are read by it:")
    for identity in resting:
        print(f"  {identity}\n    {places.of_requirement(identity)}")
    files = places.files_with(reading)
    cases = collect_cases(*files) if files else ()
    named = {_without_parameters(case) for case in cases if reading in case.interpretations}
    if named:
        _print_cases("cases that rest on it:", sorted(named))
    _print_places("judges and endpoint:", rules.mentions(reading))


def _explain_mutant(mutant: Mutant) -> None:
    entry = load_catalogue()[mutant.breaks]
    print(f"{PREFIX}{mutant.slug}\nThe reference endpoint, but for one thing: {mutant.deviation}")
    _print_places("class:", [places.of_mutant(mutant)])
    _print_places("overrides:", [places.overridden(mutant)])
    print(f"breaks: {entry.id} ({entry.level.value}): {entry.text}")
    print(f"  {places.of_requirement(entry.id)}")
    _print_cases("cases that cite it:", _citing(entry.id))


def _print_cases(title: str, cases: Iterable[str]) -> None:
    found = list(cases)
    print(title if found else "no case cites it")
    for case in found:
        print(f"  {case}\n    {places.of_case(case)}")


def _print_places(title: str, found: Iterable[Place]) -> None:
    """A title and a line for each place; no lines without places."""
    lines = [f"  {place}" for place in found]
    if lines:
        print("\n".join((title, *lines)))


def _citing(requirement: str) -> list[str]:
    """The cases that cite a requirement, without parameters, by name."""
    files = places.files_with(requirement)
    cases = collect_cases(*files) if files else ()
    return sorted({_without_parameters(case) for case in cases if requirement in case.requirements})


def _cases_named(identity: str) -> list[Case]:
    """The case with this id, or every parameter of the case."""
    files = places.files_with_case(identity)
    cases = collect_cases(*files) if files else ()
    return [case for case in cases if identity in (case.id, _without_parameters(case))]


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
