"""`rpcrdma replay`: a kept finding (or any octets) decoded, sent to a target, and judged."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.explore.finding import load
from conformance.explore.replay import replay
from conformance.suite.in_lab import module_run, target_word
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from fuzz.bare_octets import refuse_other_files
from fuzz.engine import problem_with
from fuzz.live.causes import problems_of
from fuzz.live.client.recipes import WAY
from fuzz.live.client.replaying import replay_turns
from fuzz.live.server import steps
from fuzz.live.server.replaying import items_of, replay_steps
from fuzz.parsers.asked_codecs import asked_codec
from fuzz.parsers.options import add_parser_options, parser_dialogue
from fuzz.registry import FuzzHarness, find_harness, harness_names
from reports.pages.lab_logs import LOGS_FOLDER
from reports.printable import printable
from reports.record import Verdict
from rpcrdma.wire import describe
from targets.fabrics import FABRICS
from targets.lab.errors import LabError
from targets.lab.lab import Ending, run_in_lab
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.registry import find_any_target, find_profile, find_target, require_server

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from conformance.explore.finding import Finding
    from conformance.explore.firing import Fired
    from targets.base import ClientTarget, Target
    from targets.profile import Profile

__all__ = ["add_parser", "run"]

_LAB_DEADLINE: Final = 180.0
"""Seconds that a replay in the lab may take, boot included."""

_BARE: Final = "v1-header"
"""What octets of which nobody knows are taken for: one message."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `replay` to the command line."""
    parser = subparsers.add_parser(
        "replay",
        help="send a kept finding to a target and judge the answers",
        description=(
            "Decode what `rpcrdma explore` or `rpcrdma fuzz` has kept, check the reference with it"
            " if it is the input of a fuzz harness, send it to a target and judge each answer by"
            " the specification. Exit status 1 if something is wrong. A profile with [lab] is in a"
            " guest, and the tester outside of it, where this machine has no RDMA device; with"
            " --fabric verbs the guest holds both. With --library or --program only that parser is"
            " tried."
        ),
        epilog="example: rpcrdma replay findings/v1-header-round-trip-0123456789ab.json",
    )
    parser.add_argument("file", type=Path, help="kept finding, or bare octets")
    parser.add_argument(
        "target",
        nargs="?",
        default="reference",
        help="name, profile or mutant (default: %(default)s)",
    )
    parser.add_argument(
        "--harness",
        choices=harness_names(),
        help="for bare octets: the harness whose input they are; else they are one message",
    )
    add_parser_options(parser.add_mutually_exclusive_group())
    parser.add_argument(
        "--destructive",
        action="store_true",
        help="send also what may bring a device down or damage its data; see SECURITY.md",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="what a guest's kernel and server have printed is added to the files in DIR/lab;"
        " default: rpcrdma-replay-FILE",
    )
    parser.add_argument("--fabric", default="", choices=FABRICS)
    parser.add_argument(
        "--kernel", default="", help="of the lab: release, image, or the tree in which it was built"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay; returns the exit status."""
    finding = load(arguments.file)
    if not (finding.way or arguments.harness):
        refuse_other_files(arguments.file, finding.octets)
    if arguments.library or arguments.program:
        return _ask_parser(arguments, finding)
    profile = find_profile(arguments.target)
    is_of_client = finding.way == WAY
    find = find_any_target if is_of_client else find_target
    target = find(arguments.target, arguments.fabric)  # refused now, not after a boot
    if finding.way == steps.WAY:
        items_of(finding)  # likewise
    place = place_of(profile, arguments.fabric)
    logs = (arguments.output or Path(f"rpcrdma-replay-{arguments.file.stem}")) / LOGS_FOLDER
    try:
        if place is RunPlace.ALL_IN_GUEST:
            return _in_lab(arguments, profile, logs)
        with placed(target, place, arguments.kernel, print, logs=logs) as (device, _):
            if is_of_client:
                return _replay_turns(arguments, finding, device)
            if finding.way == steps.WAY:
                return _replay_lines(arguments, finding, require_server(device))
            return _replay(arguments, finding, require_server(device))
    finally:
        if logs.is_dir():
            print(f"logs      {logs}")


def _replay_lines(arguments: argparse.Namespace, finding: Finding, target: Target) -> int:
    try:
        execution = replay_steps(target, finding, destructive=arguments.destructive)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    for fired in execution.outcomes:
        if steps.step_of(fired.octets) is None:
            _print_fired(fired)
        else:
            print(f"\nstep      {fired.what}")
            _print_verdict(fired)
    print()
    if execution.kept_back:
        print(f"not done: {execution.kept_back}, which may do harm (--destructive)")
    return _tell_rules(arguments.target, problems_of(execution), "serves")


def _replay_turns(
    arguments: argparse.Namespace, finding: Finding, device: Target | ClientTarget
) -> int:
    try:
        execution = replay_turns(device, finding, destructive=arguments.destructive)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    for fired in execution.outcomes:
        print(f"\nturn      {fired.what}")
        _print_verdict(fired)
    print()
    if execution.kept_back:
        print(f"not done: {execution.kept_back} turns, which may do harm (--destructive)")
    return _tell_rules(arguments.target, problems_of(execution), "makes")


def _replay(arguments: argparse.Namespace, finding: Finding, target: Target) -> int:
    if finding.shots or finding.steps:
        count = len(finding.shots) + len(finding.steps)
        print(f"{count} steps of `{finding.way}`, found at {finding.target}: {finding.detail}")
        for step in finding.steps:
            print(f"  {step}")
        return _send(arguments, finding, [], target)
    name: str = arguments.harness or finding.way or _BARE
    harness = find_harness(name)
    harness.prepare()
    print(f"{len(finding.octets)} octets for {name}")
    failed = _check_reference(harness, finding.octets)
    return _send(arguments, finding, harness.messages(finding.octets), target) or int(failed)


def _ask_parser(arguments: argparse.Namespace, finding: Finding) -> int:
    """Try a parser of headers with a finding, which is sent to nobody."""
    name: str = arguments.harness or finding.way or _BARE
    harness = find_harness(name)
    library, program = arguments.library, arguments.program
    with closing(parser_dialogue(library, program)) as dialogue:
        problem = problem_with(harness.check, finding.octets, asked_codec(name, dialogue.ask))
    return int(_tell_problem(library or program, problem))


def _check_reference(harness: FuzzHarness, octets: bytes) -> bool:
    return _tell_problem("reference", problem_with(harness.check, octets, harness.reference()))


def _tell_problem(name: str, problem: str) -> bool:
    """Print whether the subject of that name has a problem; returns it."""
    print(f"{name}: FAIL: {problem}" if problem else f"{name}: keeps the invariant")
    return bool(problem)


def _send(
    arguments: argparse.Namespace, finding: Finding, messages: list[bytes], target: Target
) -> int:
    harness = Harness(target)
    kept_back: list[Fired] = []

    def tell(fired: Fired) -> None:
        if fired.verdict is Verdict.NA:
            kept_back.append(fired)
        else:
            _print_fired(fired)

    try:
        destructive: bool = arguments.destructive
        problems = replay(harness, finding, messages, tell, destructive=destructive)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    finally:
        harness.close()
    print()
    if kept_back:
        print(f"not sent: {len(kept_back)}, which may do harm to a real server (--destructive)")
    return _tell_rules(arguments.target, problems, "serves")


def _tell_rules(name: str, problems: Sequence[str], does: str) -> int:
    """Print what a device does wrong, or that it still `does` a good call; the exit status."""
    for problem in problems:
        print(printable(f"{name}: FAIL: {problem}"))
    if not problems:
        print(f"{name}: keeps the rules, and still {does} a good call")
    return int(bool(problems))


def _print_fired(fired: Fired) -> None:
    print(f"\nmessage   {fired.what}")
    print(f"sent      {describe.one_line(fired.octets)}\n{describe.indented(fired.octets)}")
    _print_verdict(fired)


def _print_verdict(fired: Fired) -> None:
    if fired.allowed:
        print(f"allowed   {'; or '.join(fired.allowed)}")
    for outcome in fired.outcomes:
        print(printable(f"came      {outcome}"))
    reason = f": {fired.reason}" if fired.reason else ""
    print(printable(f"verdict   {fired.verdict.value}{reason}"))


def _in_lab(arguments: argparse.Namespace, profile: Profile, logs: Path) -> int:
    again = [
        *("conformance.cli.main", "replay", str(arguments.file.resolve())),
        target_word(arguments.target),
    ]
    for name in ("harness", "fabric"):
        if getattr(arguments, name):
            again += [f"--{name}", getattr(arguments, name)]
    again += ["--destructive"] * arguments.destructive
    lab = module_run(again, profile, arguments.kernel, _LAB_DEADLINE)
    result = run_in_lab(replace(lab, logs=logs), print)
    if result.ending is Ending.EXITED and result.status is not None:
        return result.status
    if result.ending is not Ending.DEADLINE:
        print(f"verdict   FAIL: {result.describe()}")
        return 1
    cause = f"{result.describe()}; nothing is known of what {arguments.target} did"
    raise LabError("replaying in the lab", cause, "set RPCRDMA_TIMEOUT_FACTOR=3 and try again")
