"""`rpcrdma dev selfcheck`: whether the harnesses find what is known to be there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from conformance.bad_input import at_least_one
from conformance.explore.finding import load
from fuzz.campaign import Campaign
from fuzz.planted import PLANTED
from fuzz.structure.compare import Run, page, run_once

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]

_COMPARED: Final = ("v1-header", "v2-header")
"""Harnesses that are quick enough for many executions of each bug."""

_AT_ONCE: Final = 2
"""Runs at a time."""

_PAGE: Final = Path(__file__).parents[1] / "results" / "fuzzing" / "README.md"


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
        "--time", type=at_least_one, default=60, metavar="SECONDS", help="for each (default: 60)"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("findings"), metavar="DIR", help="default: findings"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer; 0 for a fresh one")
    parser.add_argument(
        "--compare", action="store_true", help="measure what structure is worth, raw against aware"
    )
    parser.add_argument(
        "--executions", type=at_least_one, default=20000, metavar="N", help="of each compared run"
    )
    parser.add_argument(
        "--seeds", type=at_least_one, default=3, metavar="N", help="how many runs of each kind"
    )
    parser.add_argument("--write", action="store_true", help="write results/fuzzing/README.md")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run every campaign; returns the exit status."""
    if options.compare:
        return _compare(options)
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


def _compare(options: argparse.Namespace) -> int:
    """Run each bug in a header, and each reference, raw and with structure; print the page."""
    seeds = range(1, options.seeds + 1)

    def both(harness: str, subject: str) -> tuple[list[Run], list[Run]]:
        def one(seed: int, raw: bool) -> Run:
            return run_once(harness, subject, options.executions, seed, raw=raw)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            raw, aware = (pool.map(one, seeds, repeat(kind)) for kind in (True, False))
            return list(raw), list(aware)

    compared = {
        (name, harness): both(harness, subject)
        for name, (harness, subject) in PLANTED.items()
        if harness in _COMPARED
    }
    text = page(compared, {name: both(name, "") for name in _COMPARED}, options.executions)
    print(text)
    if options.write:
        _PAGE.parent.mkdir(exist_ok=True)
        _PAGE.write_text(text, "utf-8")
    return 0
