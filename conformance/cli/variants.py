"""`rpcrdma dev variants`: the verdicts on lawful devices, over packets or verbs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import at_least_one
from conformance.proof.kept_results import write_kept
from conformance.proof.variants import page
from conformance.proof.variants.run import SAMPLE, WORKERS, VariantPlan, judge_all
from targets.fabrics import BETWEEN
from targets.variants.base import find_variant, variants

if TYPE_CHECKING:
    import argparse

    from conformance.proof.variants.results import Judged

__all__ = ["add_parser"]


def add_parser(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the tool to `rpcrdma dev`."""
    parser = tools.add_parser(
        "variants",
        help="the verdicts on lawful devices, over packets or verbs",
        description=(
            "Judge each variant over a fabric between processes, by the cases that its choice"
            " concerns and a sample of the others, and compare that with loopback. A run that is"
            " started again goes on where it ended. Exit status 1 if anything differs from"
            " loopback, or is held against a variant."
        ),
        epilog="examples: rpcrdma dev variants --fabric roce --write;"
        " rpcrdma dev variants --fabric roce --write --again NAME",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="of variants; default: all")
    parser.add_argument("--fabric", choices=BETWEEN, default="roce", help="default: %(default)s")
    parser.add_argument(
        "--sample",
        type=at_least_one,
        default=SAMPLE,
        metavar="N",
        help="cases beside those that a choice concerns: %(default)s",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of it: %(default)s")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("rpcrdma-variants"),
        metavar="DIR",
        help="where results are kept: %(default)s",
    )
    parser.add_argument(
        "-n",
        "--workers",
        type=at_least_one,
        default=WORKERS,
        metavar="N",
        help="processes that share the cases of a variant: %(default)s",
    )
    parser.add_argument(
        "--write", action="store_true", help=f"publish what came of it in {page.PAGE.parent.name}"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="with --write: publish beside what there is, which is of older code",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    chosen = tuple(map(find_variant, options.names)) or tuple(
        one for one in variants() if one.runs_between_processes
    )
    plan = VariantPlan(
        options.output, options.fabric, chosen, options.sample, options.seed, options.workers
    )
    head, judged = judge_all(plan, _progress)
    if options.write:
        own = [one for one in judged if one.fabric == options.fabric]
        record = f"{options.fabric}-again" if options.again else options.fabric
        write_kept(page.record_of(record), head, own)
        page.PAGE.write_text(page.render(page.published()), encoding="utf-8")
    print(page.summary(judged))
    return 0 if all(one.is_clean for one in judged) else 1


def _progress(judged: Judged, left: int) -> None:
    """A line for each variant, and one for each verdict that should be another."""
    passed = f"{judged.passed} of {judged.cases} passed"
    print(f"{judged.variant}: {passed}, {judged.seconds:.0f} s; {left} left", file=sys.stderr)
    for other in {*judged.held, *judged.unlike_loopback}:
        verdicts = f"{other.found.value}, not {other.expected.value}"
        print(f"    {other.case}: {verdicts}: {other.reason}", file=sys.stderr)
    if judged.problem:
        print(f"    {judged.problem}", file=sys.stderr)
