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
from targets.fabrics import FABRICS
from targets.lab.lab import Ending, is_native, run_in_lab
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    import argparse

    from conformance.explore.explore import Exploration
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
            " make failing sequences smaller and keep them. Exit status 1 if there are any."
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
    on_device = profile.adapter == "network" or arguments.fabric == "verbs"
    seed: int = arguments.seed or int.from_bytes(os.urandom(3))
    if on_device and not is_native():
        return _in_lab(arguments, profile, seed)
    # Imported only now: hypothesis takes seconds to import in a machine without KVM.
    from conformance.explore.explore import Way, explore

    harness = Harness(find_target(arguments.target, arguments.fabric))
    print(f"exploring {arguments.target} by {arguments.way} from seed {seed}", flush=True)
    began = time.monotonic()
    try:
        found = explore(harness, Way(arguments.way), arguments.time, seed, _say)
    except Inconclusive as error:
        raise BadInput(f"{arguments.target}: {error}") from error
    finally:
        harness.close()
    return _report(found, time.monotonic() - began, arguments)


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
    return int(bool(found.findings))


def _in_lab(arguments: argparse.Namespace, profile: Profile, seed: int) -> int:
    """The same in a guest; findings land in the folder that was asked for."""
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
