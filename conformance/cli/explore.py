"""`rpcrdma explore`: generated messages and exchanges against a target, for a given time."""

from __future__ import annotations

import os
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput, seconds_above_zero
from conformance.suite.in_lab import module_run, target_word
from conformance.tester.case import Inconclusive
from conformance.tester.client.harness import Harness
from reports.pages.lab_logs import LOGS_FOLDER
from reports.printable import printable, printable_line
from reports.summary import CUT_SHORT, counted
from targets.fabrics import FABRICS
from targets.lab.lab import Ending, run_in_lab
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.registry import find_profile, find_target, require_server

if TYPE_CHECKING:
    import argparse

    from conformance.explore.explore import Exploration
    from targets.base import Target
    from targets.profile import Profile
    from targets.standing.run_guest import GuestEnd

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
        "--time",
        type=seconds_above_zero,
        default=60.0,
        metavar="SECONDS",
        help="default: %(default)s",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first round; 0: a fresh one")
    parser.add_argument(
        "--way",
        default="calls",
        choices=["calls", "exchanges"],
        help="single messages, or several clients at once (test program only);"
        " default: %(default)s",
    )
    parser.add_argument(
        "--destructive",
        action="store_true",
        help="draw also what may bring a server down or damage its data; see SECURITY.md",
    )
    parser.add_argument("--output", type=Path, default=Path("findings"), metavar="DIR")
    parser.add_argument("--fabric", default="", choices=FABRICS)
    parser.add_argument(
        "--kernel", default="", help="of the lab: release, image, or the tree in which it was built"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explore; returns the exit status."""
    profile = find_profile(arguments.target)
    target = find_target(arguments.target, arguments.fabric)  # refused now, not after a boot
    seed: int = arguments.seed or int.from_bytes(os.urandom(3))
    place = place_of(profile, arguments.fabric)
    if place is RunPlace.ALL_IN_GUEST:
        return _in_lab(arguments, profile, seed)
    told = _Told(arguments.output)
    logs = arguments.output / LOGS_FOLDER
    with placed(target, place, arguments.kernel, told, logs=logs) as (device, _):
        return max(_explore(arguments, require_server(device), seed), told.status)


class _Told:
    """Says that a guest was replaced, and keeps what its kernel had printed.

    Attributes:
        status: 1 if any was: no server should bring its machine to that.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self.status = 0

    def __call__(self, end: GuestEnd) -> None:
        """A guest is of no use any more."""
        _say(str(end))
        if not end.log:
            return
        self.status = 1
        self._count += 1
        file = self._folder / f"guest-{self._count}.console.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(end.log, encoding="utf-8")
        _say(f"what its kernel had printed: {file}")


def _explore(arguments: argparse.Namespace, target: Target, seed: int) -> int:
    """Explore a target for the time that was asked for; it begins when the target has started."""
    # Imported only now: hypothesis takes seconds to import in a machine without KVM.
    from conformance.explore.explore import Way, explore

    harness = Harness(target)
    began = time.monotonic()
    _say(f"exploring {arguments.target} by {arguments.way} from seed {seed}")
    try:
        way, destructive = Way(arguments.way), arguments.destructive
        found = explore(harness, way, arguments.time, seed, _say, destructive=destructive)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    finally:
        harness.close()
    return _report(found, time.monotonic() - began, arguments)


def _say(line: str) -> None:
    print(printable(line), flush=True)  # a device may have said part of it


def _report(found: Exploration, seconds: float, arguments: argparse.Namespace) -> int:
    from conformance.explore.finding import keep

    rate = found.examples / seconds * 60
    print(
        f"{found.examples} sequences ({found.judged} steps) in {seconds:.0f} s,"
        f" {rate:.0f} a minute; {counted(len(found.findings), 'finding')}"
    )
    for finding in found.findings.values():
        path = keep(arguments.output, finding)
        _say(f"  {', '.join(finding.broken)}\n    {finding.detail}")
        words = ["rpcrdma", "replay", str(path), arguments.target]
        words += ["--destructive"] * arguments.destructive
        print(f"    again: {shlex.join(words)}")
    if found.stopped:
        problem = printable_line(found.stopped)
        print(f"rpcrdma explore: {arguments.target}: {problem}", file=sys.stderr)
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
    again += ["--destructive"] * arguments.destructive
    deadline = arguments.time + _LAB_EXTRA
    lab = module_run(again, profile, arguments.kernel, deadline, (folder,))
    result = run_in_lab(replace(lab, logs=folder / LOGS_FOLDER), print)
    if result.ending is Ending.EXITED and result.status is not None:
        return result.status
    print(f"rpcrdma explore: {result.describe()}", file=sys.stderr)
    return CUT_SHORT if result.ending is Ending.DEADLINE else 1
