"""`rpcrdma explore`: generated messages and exchanges against a target, for a given time."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.suite.in_lab import module_run, target_word
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from targets.base import TargetError
from targets.fabrics import FABRICS
from targets.lab.errors import LabError
from targets.lab.lab import Ending, run_in_lab
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.registry import find_profile, find_target, require_server

if TYPE_CHECKING:
    import argparse

    from conformance.explore.explore import Exploration
    from targets.base import Target
    from targets.profile import Profile

__all__ = ["add_parser", "run"]

_LAB_EXTRA: Final = 240.0
"""Seconds that booting, shrinking and shutting down may take beside the time asked for."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `explore` to the command line."""
    parser = subparsers.add_parser(
        "explore",
        help="send generated messages to a server for a given time; keep what it handles wrongly",
        description=(
            "Draw sequences of good and broken messages, judge each answer by the specification,"
            " make failing sequences smaller and keep them. Exit status 1 if there are any, or if"
            " the target serves no more. A profile with [lab] is explored in a guest, from outside"
            " of it, where this machine has no RDMA device; with --fabric verbs the guest holds the"
            " tester, too."
        ),
        epilog="example: rpcrdma explore linux-server --time 120 --seed 7",
    )
    parser.add_argument("target", metavar="TARGET", help="name, profile (.toml) or mutant:<slug>")
    parser.add_argument(
        "--time", type=float, default=60.0, metavar="SECONDS", help="default: %(default)s"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first round; 0: a fresh one")
    parser.add_argument(
        "--way",
        default="calls",
        choices=["calls", "exchanges"],
        help="single messages, or several clients at once (test program only);"
        " default: %(default)s",
    )
    parser.add_argument("--output", type=Path, default=Path("findings"), metavar="DIR")
    parser.add_argument("--fabric", default="", choices=FABRICS)
    parser.add_argument("--kernel", default="", help="release of the lab's kernel, or its image")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explore; returns the exit status."""
    if arguments.time <= 0:
        raise BadInput("--time must be more than 0 seconds")
    profile = find_profile(arguments.target)
    target = find_target(arguments.target, arguments.fabric)  # refused now, not after a boot
    seed: int = arguments.seed or int.from_bytes(os.urandom(3))
    place = place_of(profile, arguments.fabric)
    if place is RunPlace.ALL_IN_GUEST:
        return _in_lab(arguments, profile, seed)
    explored = _Explored(arguments, seed)
    with placed(target, place, arguments.kernel) as (device, _):
        explored.explore(require_server(device))
    while place is RunPlace.DEVICE_IN_GUEST and explored.may_go_on:
        print(f"{explored.found.stopped}; going on in a new guest", flush=True)
        try:
            with placed(target, place, arguments.kernel) as (device, _):
                explored.explore(require_server(device))
        except (LabError, TargetError) as error:
            explored.found.stopped = str(error)
            break
    return _report(explored.found, explored.seconds, arguments)


class _Explored:
    """What was found so far, in as many guests as it took."""

    def __init__(self, arguments: argparse.Namespace, seed: int) -> None:
        # Imported only now: hypothesis takes seconds to import in a machine without KVM.
        from conformance.explore.explore import Exploration

        self.found = Exploration()
        self._arguments = arguments
        self._seed = seed
        self._began = 0.0
        self._is_barren = False

    @property
    def seconds(self) -> float:
        """Since exploring began: when the target had been started for the first time."""
        return time.monotonic() - self._began

    @property
    def may_go_on(self) -> bool:
        """Whether the target serves no more, and one that is started anew would have time left."""
        is_stopped = bool(self.found.stopped) and not self._is_barren
        return is_stopped and self.seconds < self._arguments.time

    def explore(self, target: Target) -> None:
        """Explore a target for the time that is left."""
        from conformance.explore.explore import Way, explore

        arguments, found, tried = self._arguments, self.found, self.found.examples
        harness = Harness(target)
        if not self._began:
            self._began = time.monotonic()
            _say(f"exploring {arguments.target} by {arguments.way} from seed {self._seed}")
        left = arguments.time - self.seconds
        try:
            explore(harness, Way(arguments.way), left, self._seed, _say, earlier=found)
        except Inconclusive as error:
            raise BadInput(f"{arguments.target}: {error}") from error
        finally:
            harness.close()
        self._is_barren = found.examples == tried  # the guest is the one that serves no more


def _say(line: str) -> None:
    print(line, flush=True)


def _report(found: Exploration, seconds: float, arguments: argparse.Namespace) -> int:
    from conformance.explore.finding import keep

    rate = found.examples / seconds * 60
    print(
        f"{found.examples} sequences ({found.judged} steps) in {seconds:.0f} s,"
        f" {rate:.0f} a minute; {len(found.findings)} findings"
    )
    for finding in found.findings.values():
        path = keep(arguments.output, finding)
        print(f"  {', '.join(finding.broken)}\n    {finding.detail}")
        print(f"    again: {shlex.join(['rpcrdma', 'replay', str(path), arguments.target])}")
    if found.stopped:
        print(f"rpcrdma explore: {arguments.target}: {found.stopped}", file=sys.stderr)
    return int(bool(found.findings or found.stopped))


def _in_lab(arguments: argparse.Namespace, profile: Profile, seed: int) -> int:
    """All of it in a guest; findings land in the folder that was asked for."""
    folder: Path = arguments.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    again = [
        *("conformance.cli.main", "explore", target_word(arguments.target)),
        *("--time", str(arguments.time), "--seed", str(seed), "--way", arguments.way),
        *("--output", str(folder)),
    ]
    if arguments.fabric:
        again += ["--fabric", arguments.fabric]
    deadline = arguments.time + _LAB_EXTRA
    result = run_in_lab(module_run(again, profile, arguments.kernel, deadline, (folder,)), print)
    if result.ending is Ending.EXITED and result.status is not None:
        return result.status
    print(f"rpcrdma explore: {result.describe()}", file=sys.stderr)
    return 1
