"""`rpcrdma dev detect`: how many faults made by machine the suite finds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput, at_least_one
from conformance.proof.detect import page
from conformance.proof.detect.explained import read_explained, stale
from conformance.proof.detect.faults import ENDPOINT, draw
from conformance.proof.detect.results import read_results
from conformance.proof.detect.run import Plan, find_faults, try_all
from conformance.proof.kept_results import write_kept

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from conformance.proof.detect.explained import Explanation
    from conformance.proof.detect.results import Head, Tried

__all__ = ["add_parser"]


def add_parser(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the tool to `rpcrdma dev`."""
    parser = tools.add_parser(
        "detect",
        help="how many faults made by machine the suite finds",
        description=(
            "Make faults by machine in the reference endpoint, and judge each by the cases that"
            " execute its place. Of one that is not found it is told in which of them the device"
            " does anything else than the reference, and what that is first. A run that is started"
            " again goes on where it ended. Exit status 1 if a fault was not found and nobody has"
            " explained why."
        ),
        epilog="example: rpcrdma dev detect --sample 120 --seed 7 -n 2",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of the sample: %(default)s"
    )
    parser.add_argument(
        "--sample", type=at_least_one, metavar="N", help="how many, over all modules; default: all"
    )
    parser.add_argument(
        "--module", default=ENDPOINT, metavar="NAME", help="in one module or package alone"
    )
    parser.add_argument(
        "--again",
        nargs="?",
        type=Path,
        const=page.RECORD,
        metavar="FILE",
        help=(
            "in place of a sample, the faults that were not found and are not explained as no"
            f" defect in FILE; default: in what is published, {page.RECORD.name}"
        ),
    )
    parser.add_argument("--list", action="store_true", help="print the faults, and try none")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("rpcrdma-detection"),
        metavar="DIR",
        help="where results are kept: %(default)s",
    )
    parser.add_argument(
        "-n",
        "--processes",
        type=at_least_one,
        default=1,
        metavar="N",
        help="side by side: %(default)s",
    )
    parser.add_argument(
        "--write", action="store_true", help=f"publish what came of it in {page.FOLDER.name}"
    )
    parser.add_argument(
        "--page", action="store_true", help="render what is published anew, and try nothing"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    explained = read_explained()
    if options.list:
        return _list(options)
    if options.page:
        head, tried = read_results(page.RECORD)
        return _finish(head, tried, explained, write=True)
    if options.again is not None:
        return _try_again(options, explained)
    plan = Plan(options.output, options.seed, options.sample, options.module, options.processes)
    head, tried = try_all(plan, _progress, _recording)
    return _finish(head, tried, explained, write=options.write)


def _try_again(options: argparse.Namespace, explained: Mapping[str, Explanation]) -> int:
    """Try what an earlier run has not found."""
    if options.write:
        raise BadInput("--write publishes a whole sample, and --again tries a part of one")
    head, before = read_results(options.again)
    missed = tuple(one.fingerprint for one in page.not_found(before, explained))
    plan = Plan(options.output, head.seed, None, head.under, options.processes, fingerprints=missed)
    head, tried = try_all(plan, _progress, _recording)
    for gone in set(missed) - {one.fingerprint for one in tried}:
        print(f"GONE {gone}: the code of its function has changed")
    return _finish(head, tried, explained, write=False)


def _finish(
    head: Head, tried: Sequence[Tried], explained: Mapping[str, Explanation], *, write: bool
) -> int:
    """Print what was not found, and publish everything if that is wanted."""
    if write:
        write_kept(page.RECORD, head, tried)
        page.PAGE.write_text(page.render(head, tried, explained), encoding="utf-8")
    missed = page.open_faults(tried, explained)
    for one in missed:
        print(f"{one.outcome.value.upper()} {one.id} {one.fingerprint} {one.function}: {one.what}")
        if one.seen:
            print(f"  shows in {one.seen} cases; in {one.seen_in[0]}: {one.difference}")
    for one in page.contradicted(tried, explained):
        print(f"SHOWS {one.id} {one.fingerprint}: {one.difference}; its explanation is wrong")
    known = [fault.fingerprint for fault in find_faults(ENDPOINT)]
    for old in stale(explained, known):
        print(f"STALE {old.fingerprint}: the code of `{old.fault}` has changed; look again")
    print(page.summary(tried, explained))
    return 1 if missed else 0


def _list(options: argparse.Namespace) -> int:
    for fault in draw(find_faults(options.module), options.seed, options.sample):
        print(f"{fault.id} {fault.fingerprint} {fault.function}: {fault.what}")
    return 0


def _recording() -> None:
    print("recording which cases execute which lines", file=sys.stderr)


def _progress(tried: Tried, done: int, size: int) -> None:
    """One line for each, which a terminal overwrites."""
    end = "\r" if sys.stderr.isatty() else "\n"
    line = f"{done}/{size} {tried.outcome.value:9} {tried.seconds:6.1f} s  {tried.id}"
    print(f"{line:100.100}" if end == "\r" else line, end=end, file=sys.stderr, flush=True)
