"""`rpcrdma target new|check`: the profile of a device of one's own, and whether it works."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.catalogue.interpretations import check_choices
from conformance.cli.target_new import add_new, named
from conformance.suite.in_lab import module_run
from conformance.suite.trial import Trial, TrialEnd, trials
from reports.printable import printable, printable_line
from targets.fabrics import FABRICS
from targets.lab.errors import LabError
from targets.lab.lab import run_in_lab
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.profile_problems import profile_problems
from targets.registry import find_any_target

if TYPE_CHECKING:
    import argparse

    from targets.profile import Profile
    from targets.standing.run_guest import GuestEnd

__all__ = ["add_parser", "check"]

_FAILED: Final = 1
_BAD_PROFILE: Final = 2

_LAB_DEADLINE: Final = 600.0
"""Seconds that all of it may take in a guest, boot included; each trial has nearer deadlines."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `target` to the command line."""
    parser = subparsers.add_parser(
        "target",
        help="write the profile of a device, or try one",
        description="Write the profile of a device of your own, or see whether one works.",
        epilog="example: rpcrdma target new my-server.toml --kind server --address 192.0.2.7",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_new(commands)
    _add_check(commands)


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="see whether a profile works",
        description=(
            "Say everything that is wrong with a profile, then try it: reach a server, make one"
            " call of each kind, fetch every file that cases need; bring a client to connect and"
            " to act. A device that the lab starts is started in a guest."
        ),
        epilog=(
            "exit status: 0 all that was tried worked; 1 something did not; 2 the profile is not"
            " as it must be. example: rpcrdma target check my-server.toml"
        ),
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the profile")
    parser.add_argument("--profile-only", action="store_true", help="read it, and try nothing")
    parser.add_argument("--fabric", default="", choices=FABRICS)
    parser.add_argument("--kernel", default="", help="release of the lab's kernel, or its image")
    parser.set_defaults(run=check)


def check(arguments: argparse.Namespace) -> int:
    """See whether a profile works; returns the exit status.

    Raises:
        BadInput: the file's name is none of a profile, or a reading is chosen that is not there.
    """
    file = named(arguments.file)
    problems = profile_problems(file)
    for problem in problems:
        print(printable_line(str(problem)), file=sys.stderr)
    if problems:
        return _BAD_PROFILE
    target = find_any_target(str(file), arguments.fabric)
    profile = target.profile
    check_choices(profile.extra.interpretations)
    place = place_of(profile, arguments.fabric)
    if place is RunPlace.ALL_IN_GUEST and not arguments.profile_only:
        return _in_lab(arguments, profile)
    print(f"profile {file}: as it must be; {_claimed(profile)}")
    if arguments.profile_only:
        return 0
    failed = False
    with placed(target, place, arguments.kernel, _tell) as (device, _facts):
        for trial in trials(device):
            _print(trial)
            failed = failed or trial.end is TrialEnd.FAILED
    return _FAILED if failed else 0


def _in_lab(arguments: argparse.Namespace, profile: Profile) -> int:
    """All of it in a guest, which prints the same.

    Raises:
        LabError: the guest did not come to an end of it.
    """
    again = ["conformance.cli.main", "target", "check", str(arguments.file.resolve())]
    if arguments.fabric:
        again += ["--fabric", arguments.fabric]
    result = run_in_lab(module_run(again, profile, arguments.kernel, _LAB_DEADLINE), _say)
    if result.status is None:
        raise LabError("trying the target in the lab", result.describe())
    return result.status


def _say(line: str) -> None:
    print(printable(line), flush=True)


def _tell(end: GuestEnd) -> None:
    print(printable_line(str(end)))


def _claimed(profile: Profile) -> str:
    claims = profile.claims
    versions = ", ".join(map(str, claims.versions))
    return f"{' and '.join(claims.roles)}, versions {versions}, {profile.binding.value}"


def _print(trial: Trial) -> None:
    print(f"{trial.end.value:10} {trial.what}: {printable_line(trial.came)}", flush=True)
