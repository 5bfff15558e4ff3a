"""`rpcrdma target new|check`: a profile that explains itself, and whether a profile works."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.catalogue.interpretations import check_choices
from conformance.suite.trial import Trial, TrialEnd, trials
from reports.printable import printable_line
from targets.fabrics import FABRICS
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.profile_draft import KINDS, draft_profile, value_of
from targets.profile_problems import profile_problems
from targets.registry import find_any_target

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from targets.profile import Profile
    from targets.profile_draft import DeviceKind, Question
    from targets.standing.run_guest import GuestEnd

__all__ = ["add_parser", "check", "new"]

_FAILED: Final = 1
_BAD_PROFILE: Final = 2

_NEXT: Final = """\
written: {file}
  rpcrdma explain profile            what its keys mean
  rpcrdma target check {file}
  rpcrdma certify {file}"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `target` to the command line."""
    parser = subparsers.add_parser(
        "target",
        help="write the profile of a device, or try one",
        description="Write the profile of a device of your own, or see whether one works.",
        epilog="example: rpcrdma target new my-server.toml --kind server --address 192.0.2.7",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_new(commands)
    _add_check(commands)


def _add_new(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    kinds = "; ".join(f"{name}: {kind.title}" for name, kind in KINDS.items())
    parser = commands.add_parser(
        "new",
        help="write a profile that explains itself",
        description=(
            f"Write a profile that explains each of its keys. Kinds: {kinds}. What no option says"
            " is asked for at a terminal, and has its usual value elsewhere, if there is one. A"
            " parser of headers takes no profile: see targets/examples/parsers."
        ),
        epilog="example: rpcrdma target new my-server.toml --kind server --address 192.0.2.7",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="name ends in .toml")
    parser.add_argument("--kind", choices=KINDS, help="what is certified")
    questions = {one.option: one for kind in KINDS.values() for one in kind.questions}
    for option, question in questions.items():
        usual = f" (usually {question.usual})" if question.usual else ""
        parser.add_argument(option, dest=question.key, metavar="VALUE", help=question.text + usual)
    parser.set_defaults(run=new)


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


def new(arguments: argparse.Namespace) -> int:
    """Write a profile; returns the exit status.

    Raises:
        BadInput: the file is there, something was not said, or an answer cannot be used.
        OSError: the file cannot be written.
    """
    file = _named(arguments.file)
    if file.exists():
        raise BadInput(f"`{file}` is there already; name another file")
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    kind = KINDS[arguments.kind or _kind(asking=asking)]
    answers = _answers(kind, vars(arguments), asking=asking)
    file.write_text(draft_profile(kind, answers), encoding="utf-8")
    # An adapter is likely to be installed later than its profile is written.
    problems = [found for found in profile_problems(file) if found.key != "adapter"]
    if problems:
        file.unlink()
        raise BadInput(f"nothing was written: {'; '.join(map(str, problems))}")
    print(_NEXT.format(file=file if "/" in str(file) else f"./{file}"))
    return 0


def _named(file: Path) -> Path:
    if file.suffix != ".toml":
        raise BadInput(f"`{file}` must end in .toml, by which profiles are known")
    return file


def _kind(*, asking: bool) -> str:
    if not asking:
        raise BadInput(f"say what is certified by --kind: {', '.join(KINDS)}")
    for name, kind in KINDS.items():
        print(f"  {name:12} {kind.title}")
    answer = _asked("What is certified? ")
    if answer not in KINDS:
        raise BadInput(f"there is no kind `{answer}`; there are {', '.join(KINDS)}")
    return answer


def _answers(kind: DeviceKind, given: Mapping[str, str | None], *, asking: bool) -> dict[str, str]:
    """Dotted key -> value as it is written; the usual answers where nobody gives another."""
    found: dict[str, str] = {}
    asked = {question.key for question in kind.questions}
    other = {question.key: question for one in KINDS.values() for question in one.questions}
    for key, question in other.items():
        if given.get(key) is not None and key not in asked:
            raise BadInput(f"{question.option} means nothing for {kind.title}; leave it out")
    for question in kind.questions:
        answer = given.get(question.key)
        if answer is None and asking:
            usual = f" [{question.usual}]" if question.usual else ""
            answer = _asked(f"{question.text}{usual}: ")
        found[question.key] = _value(question, answer or question.usual)
    return found


def _asked(text: str) -> str:
    try:
        return input(text).strip()
    except EOFError as error:
        raise BadInput("the answers end here, and nothing was written") from error


def _value(question: Question, answer: str) -> str:
    if not answer:
        raise BadInput(f"say by {question.option}: {question.text}")
    try:
        return value_of(question.key, answer)
    except ValueError as error:
        raise BadInput(f"{question.option}: {error}") from error


def check(arguments: argparse.Namespace) -> int:
    """See whether a profile works; returns the exit status.

    Raises:
        BadInput: the file's name is none of a profile, or a reading is chosen that is not there.
    """
    file = _named(arguments.file)
    problems = profile_problems(file)
    for problem in problems:
        print(printable_line(str(problem)), file=sys.stderr)
    if problems:
        return _BAD_PROFILE
    target = find_any_target(str(file), arguments.fabric)
    profile = target.profile
    check_choices(profile.extra.interpretations)
    print(f"profile {file}: as it must be; {_claimed(profile)}")
    place = place_of(profile, arguments.fabric)
    if arguments.profile_only:
        return 0
    if place is RunPlace.ALL_IN_GUEST:
        came = "the tester would be in a guest as well; leave `verbs` out, or use an RDMA device"
        _print(Trial("the device", TrialEnd.NOT_TRIED, came))
        return 0
    failed = False
    with placed(target, place, arguments.kernel, _tell) as (device, _facts):
        for trial in trials(device):
            _print(trial)
            failed = failed or trial.end is TrialEnd.FAILED
    return _FAILED if failed else 0


def _tell(end: GuestEnd) -> None:
    print(printable_line(str(end)))


def _claimed(profile: Profile) -> str:
    claims = profile.claims
    versions = ", ".join(map(str, claims.versions))
    return f"{' and '.join(claims.roles)}, versions {versions}, {profile.binding.value}"


def _print(trial: Trial) -> None:
    print(f"{trial.end.value:10} {trial.what}: {printable_line(trial.came)}", flush=True)
