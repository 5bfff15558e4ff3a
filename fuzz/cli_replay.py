"""`rpcrdma replay`: a kept finding (or any octets) decoded, sent to a target, and judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.suite.in_lab import module_run, target_word
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from fuzz.engine import judge
from fuzz.finding import Finding, load
from fuzz.harnesses import v1_header, v1_responder, v2_header
from fuzz.replay import Step, replay
from fuzz.sequence import split
from reports.record import Verdict
from rpcrdma.wire import describe
from targets.lab.lab import Ending, is_native, run_in_lab
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from conformance.explore.firing import Fired
    from targets.profile import Profile

__all__ = ["add_parser", "run"]

_LAB_DEADLINE: Final = 180.0
"""Seconds that a replay in the lab may take, boot included."""

_CHECKS: Final[dict[str, Callable[[bytes], None]]] = {
    "v1-header": lambda octets: judge(v1_header.check, octets, v1_header.ReferenceCodec()),
    "v1-responder": lambda octets: judge(v1_responder.check, octets, v1_responder.reference()),
    "v2-header": lambda octets: judge(v2_header.check, octets, v2_header.ReferenceCodec()),
}
"""Harness -> its check of the reference, in this process."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `replay` to the command line."""
    parser = subparsers.add_parser(
        "replay",
        help="send a fuzz finding to a target and judge the answer",
        description=(
            "Decode an input of a fuzz harness, check the reference with it, send it to a target"
            " and judge each answer by the specification. Exit status 1 if something is wrong."
        ),
        epilog="example: rpcrdma replay findings/v1-responder-0123456789ab linux-server",
    )
    parser.add_argument(
        "file", type=Path, help="folder of a finding, .json file of `rpcrdma explore`, or octets"
    )
    parser.add_argument(
        "target",
        nargs="?",
        default="reference",
        help="name, profile or mutant (default: %(default)s)",
    )
    parser.add_argument(
        "--harness",
        choices=sorted(_CHECKS),
        help="what the octets are: one message (a header) or a sequence (v1-responder);"
        " a finding says so itself, a bare file is one message",
    )
    parser.add_argument("--fabric", default="", choices=["loopback", "verbs"])
    parser.add_argument("--kernel", default="", help="release of the lab's kernel")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay; returns the exit status."""
    if arguments.file.suffix == ".json":
        return _repeat(arguments)
    octets, manifest = load(arguments.file)
    harness: str = arguments.harness or (manifest.harness if manifest else "v1-header")
    profile = find_profile(arguments.target)
    on_device = profile.adapter == "network" or arguments.fabric == "verbs"
    if on_device and not is_native():
        return _in_lab(arguments, profile)
    print(f"{len(octets)} octets for {harness}")
    failed = _check_reference(harness, octets)
    messages = split(octets) if harness == "v1-responder" else [octets]
    return _send(arguments, messages) or int(failed)


def _repeat(arguments: argparse.Namespace) -> int:
    """Run a sequence of `rpcrdma explore` again."""
    profile = find_profile(arguments.target)
    on_device = profile.adapter == "network" or arguments.fabric == "verbs"
    if on_device and not is_native():
        return _in_lab(arguments, profile)
    # Imported only now: hypothesis is slow to import, and only needed for these.
    from conformance.explore import explore as exploration

    finding = exploration.load(arguments.file)
    count = len(finding.shots) + len(finding.steps)
    print(f"{count} steps of `{finding.way.value}`, found at {finding.target}: {finding.detail}")
    for step in finding.steps:
        print(f"  {step}")
    target = Harness(find_target(arguments.target, arguments.fabric))
    try:
        problems = exploration.repeat(target, finding, _print_fired)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    finally:
        target.close()
    for problem in problems:
        print(f"verdict   FAIL: {problem}")
    if not problems:
        print(f"\n{arguments.target}: keeps the rules")
    return int(bool(problems))


def _print_fired(fired: Fired) -> None:
    print(f"\nshot      {fired.what}")
    outcomes = (fired.outcome,)
    _print_step(Step(fired.octets, fired.allowed, outcomes, fired.verdict, fired.reason))


def _check_reference(harness: str, octets: bytes) -> bool:
    try:
        _CHECKS[harness](octets)
    except Finding as finding:
        print(f"reference: FAIL: {finding}")
        return True
    print("reference: keeps the invariant")
    return False


def _send(arguments: argparse.Namespace, messages: list[bytes]) -> int:
    target = Harness(find_target(arguments.target, arguments.fabric))
    steps: list[Step] = []

    def show(step: Step) -> None:
        steps.append(step)
        _print_step(step)

    try:
        target.begin()
        broken = replay(target, messages, show)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    finally:
        target.close()
    if broken is None:
        print(f"\n{arguments.target}: still serves a good call")
    else:
        show(broken)
    return int(any(step.verdict is Verdict.FAIL for step in steps))


def _print_step(step: Step) -> None:
    print(f"\nsent      {describe.one_line(step.octets)}\n{describe.indented(step.octets)}")
    print(f"allowed   {'; or '.join(step.allowed)}")
    for outcome in step.outcomes:
        print(f"came      {outcome}")
    print(f"verdict   {step.verdict.value}{': ' if step.reason else ''}{step.reason}")


def _in_lab(arguments: argparse.Namespace, profile: Profile) -> int:
    again = [
        *("conformance.cli.main", "replay", str(arguments.file.resolve())),
        target_word(arguments.target),
    ]
    for name in ("harness", "fabric"):
        if getattr(arguments, name):
            again += [f"--{name}", getattr(arguments, name)]
    result = run_in_lab(module_run(again, profile, arguments.kernel, _LAB_DEADLINE), print)
    if result.ending is Ending.EXITED and result.status is not None:
        return result.status
    print(f"verdict   FAIL: {result.describe()}")
    return 1
