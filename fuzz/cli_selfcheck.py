"""`rpcrdma dev selfcheck`: whether the harnesses find what is known to be there."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from conformance.explore.finding import load
from fuzz.campaign import Campaign
from fuzz.cli_fuzz import seconds
from fuzz.planted import PLANTED

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `selfcheck` to the project's tools."""
    parser = subparsers.add_parser(
        "selfcheck",
        help="fuzz every planted bug",
        description=(
            "Run the harness of every planted bug, each for a time. Exit status 1 if one is not"
            " found."
        ),
        epilog="example: rpcrdma dev selfcheck --time 60 --findings planted",
    )
    parser.add_argument(
        "--time", type=seconds, default=60, metavar="SECONDS", help="for each (default: 60)"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("findings"), metavar="DIR", help="default: findings"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer; 0 for a fresh one")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run every campaign; returns the exit status."""
    missed = 0
    for name, (harness, subject) in PLANTED.items():
        began = monotonic()
        folder = options.findings / name
        seed: int = options.seed
        campaign = Campaign(harness, options.time, folder, subject, seed=seed, to_first=True)
        result = campaign.run(lambda pulse: None)
        taken = monotonic() - began
        if not result.findings:
            missed += 1
            print(f"{name}: NOT FOUND by {harness} in {taken:.1f} s {result.failure}", flush=True)
            continue
        path = result.findings[0]
        what = f"{load(path).broken[0]}; rpcrdma replay {path}"
        print(f"{name}: found by {harness} in {taken:.1f} s: {what}", flush=True)
    return 1 if missed else 0
