"""`rpcrdma fuzz`: run a harness for a time, keep what it finds."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from conformance.bad_input import BadInput
from fuzz.campaign import HARNESSES, Campaign
from fuzz.finding import load
from fuzz.planted import PLANTED
from targets.tested_versions import ATHERIS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run", "seconds"]

_PULSE: Final = re.compile(r"^#\d+\s+(?:pulse|NEW|REDUCE|INITED|DONE)\b.*")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `fuzz` to the command line."""
    parser = subparsers.add_parser(
        "fuzz",
        help="fuzz a decoder or the reference Responder",
        description=(
            "Run one coverage-guided harness (atheris). Findings are minimised and kept, each with"
            " the command that replays it. Exit status 1 if there is one."
        ),
        epilog="example: rpcrdma fuzz v1-header --time 60",
    )
    parser.add_argument("harness", choices=sorted(HARNESSES), help="what to fuzz")
    parser.add_argument("--time", type=seconds, default=60, metavar="SECONDS", help="default: 60")
    parser.add_argument(
        "--findings", type=Path, default=Path("findings"), metavar="DIR", help="default: findings"
    )
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="keep interesting inputs here")
    parser.add_argument("--seed", type=int, default=0, help="of the fuzzer; 0 for a fresh one")
    subject = parser.add_mutually_exclusive_group()
    subject.add_argument(
        "--implementation",
        default="",
        metavar="MODULE:NAME",
        help="fuzz this instead of the reference; it makes an object with the same methods",
    )
    subject.add_argument(
        "--planted",
        choices=sorted(PLANTED),
        help="fuzz an implementation with this known bug, to see that the harness finds it",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Fuzz; returns the exit status."""
    implementation: str = arguments.implementation
    if arguments.planted:
        harness, implementation = PLANTED[arguments.planted]
        if harness != arguments.harness:
            raise BadInput(f"{arguments.planted} is for harness {harness}")
    objection = _look_at_atheris()
    console = Console()
    campaign = Campaign(
        arguments.harness,
        arguments.time,
        arguments.findings,
        implementation,
        arguments.corpus,
        arguments.seed,
    )
    with console.status(f"fuzzing {arguments.harness} for {arguments.time} s") as status:

        def progress(line: str) -> None:
            if _PULSE.match(line):
                status.update(f"{arguments.harness}: {line.expandtabs(1)}")

        result = campaign.run(progress)
    if result.failure:
        raise BadInput("; ".join(filter(None, (result.failure, objection))))
    print(f"{arguments.harness}: {result.executions} executions, {len(result.findings)} findings")
    for place in result.findings:
        _, manifest = load(place)
        if manifest:
            print(f"{manifest.invariant}: {manifest.detail}\n  replay: {manifest.replay}")
    return 1 if result.findings else 0


def _look_at_atheris() -> str:
    """See that there is a fuzzer, and warn of one that was not tested; the warning, or nothing.

    Raises:
        BadInput: there is none.
    """
    version = ATHERIS.installed()
    if version is None:
        raise BadInput(f"atheris, the fuzzer, is missing: {ATHERIS.remedy()}")
    objection = ATHERIS.objection(version)
    if objection:
        print(f"rpcrdma fuzz: {objection}", file=sys.stderr)
    return objection


def seconds(text: str) -> int:
    """An argument that is a time.

    Raises:
        ValueError: it is no positive number.
    """
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
