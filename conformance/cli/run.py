"""`rpcrdma certify`: run the suite against a target and leave a report."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.catalogue.interpretations import check_choices
from conformance.cli import listing
from conformance.suite.guest import GuestOrder, certifier
from conformance.suite.in_lab import collect, lab_run, target_word
from conformance.suite.interruption import signals_interrupt
from conformance.suite.limits import run_seconds
from conformance.suite.parallel import check_workers
from conformance.suite.runner import known_ids
from conformance.tester.weather import Weather
from reports.baseline import check_baseline, load_baseline
from reports.render.folder import render_all
from reports.render.terminal import Progress, Terminal, print_summary
from reports.summary import CUT_SHORT, exit_status
from rpcrdma.errors import FabricError
from targets.base import TargetError
from targets.fabrics import FABRICS
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.registry import find_any_target, find_profile

if TYPE_CHECKING:
    from rich.console import Console

    from reports.baseline import Baseline
    from reports.record import RunRecord
    from targets.profile import Profile

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `certify` to the command line."""
    parser = subparsers.add_parser(
        "certify",
        help="run the suite against a target",
        description=(
            "Run the suite and write records, report.html, report.json, junit.xml and evidence."
            " A target that needs an RDMA device is run in the lab where this machine has none."
        ),
        epilog=(
            "exit status: 0 nothing failed; 1 something did, or is not as the baseline says; 2 bad"
            " input or surroundings; 3 nothing was judged; 4 the run was cut short; 128 + N signal"
            " N did that (130 Ctrl-C, 143 SIGTERM)."
            " example: rpcrdma certify linux-server --section 4.5 --output results"
        ),
    )
    parser.add_argument(
        "target", metavar="TARGET", help="name, path of a profile (.toml), or mutant:<slug>"
    )
    listing.add_selection(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="default: rpcrdma-report-TARGET")
    parser.add_argument("--fabric", default="", choices=FABRICS)
    parser.add_argument(
        "--faults",
        type=_weather,
        metavar="TEXT",
        help="lose, double, exchange, delay or damage packets by chance, over roce or switch:"
        " seed=7,loss=0.01; sent.loss is that of what the tester sends, received.loss the other"
        " way; see rpcrdma/roce/link/faults.py",
    )
    parser.add_argument("--kernel", default="", help="release of the lab's kernel, or its image")
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="known deviations: exit status 0 if and only if the run is as the file says",
    )
    parser.add_argument(
        "-n",
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="judge in N processes, if several testers may use the target at one time; a server"
        " in a guest of the lab is given a link for each of them",
    )
    parser.add_argument(
        "--time-limit",
        type=_minutes,
        metavar="MINUTES",
        help="judge no further case after so many; default: what is printed at the beginning,"
        " by the number of cases",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for every case")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Certify; returns the exit status."""
    with signals_interrupt():
        return _certify(arguments)


def _certify(arguments: argparse.Namespace) -> int:
    profile = find_profile(arguments.target)
    check_choices(profile.extra.interpretations)
    selection = listing.selection_of(arguments)
    folder: Path = arguments.output or Path(f"rpcrdma-report-{_file_name(arguments.target)}")
    # Refused now, not after a boot.
    target = find_any_target(arguments.target, arguments.fabric)
    baseline = load_baseline(arguments.baseline, profile.name) if arguments.baseline else None
    place = place_of(profile, arguments.fabric)
    check_workers(target, arguments.workers, place)
    weather: Weather | None = arguments.faults
    if place is RunPlace.ALL_IN_GUEST:
        if weather is not None:
            raise weather.refusal("verbs")
        return _in_lab(arguments, profile, folder, baseline)
    console = Terminal()
    with (
        _progress(console, arguments, baseline) as progress,
        placed(
            target,
            place,
            arguments.kernel,
            lambda end: progress.note(str(end)),
            testers=arguments.workers,
        ) as (device, facts),
    ):
        record = certifier(arguments.workers)(
            device,
            selection,
            folder,
            called=_called(arguments),
            facts=facts,
            weather=weather,
            time_limit=arguments.time_limit,
            on_begin=progress.begin,
            on_case=lambda case, _planned: progress.judged(case),
        )
    return _report(record, folder, console, baseline, arguments.baseline)


def _progress(
    console: Console, arguments: argparse.Namespace, baseline: Baseline | None
) -> Progress:
    findings = baseline.finding if baseline else ()
    listed = {case.id for finding in findings for case in finding.case}
    limit: float | None = arguments.time_limit
    return Progress(
        console,
        verbose=arguments.verbose,
        listed=listed,
        seconds=run_seconds if limit is None else lambda _planned: limit,
    )


def _report(
    record: RunRecord, folder: Path, console: Console, baseline: Baseline | None, file: Path
) -> int:
    """Write and print what there is to say; `file` is the baseline's, if there is one."""
    check = None
    if baseline is not None:
        check = check_baseline(record, baseline, file, known_ids())
    html, *_ = render_all(record, folder, check)
    print_summary(console, record, check)
    console.print(f"report: {html}", highlight=False, soft_wrap=True)
    return exit_status(record, check)


def _workers(text: str) -> int:
    """The argument of -n."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give at least 1")
    return number


def _minutes(text: str) -> float:
    """The argument of --time-limit, in seconds."""
    minutes = float(text)
    if not 0 < minutes < float("inf"):
        raise argparse.ArgumentTypeError("give a number of minutes above 0")
    return minutes * 60


def _weather(text: str) -> Weather:
    """The argument of --faults."""
    try:
        return Weather(text)
    except (FabricError, TargetError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _called(arguments: argparse.Namespace) -> str:
    """What a command that runs a case again says after `rpcrdma certify`."""
    words = [arguments.target]
    for option in ("fabric", "faults", "kernel"):
        if value := getattr(arguments, option):
            words += [f"--{option}", str(value)]
    return shlex.join(words)


def _in_lab(
    arguments: argparse.Namespace, profile: Profile, folder: Path, baseline: Baseline | None
) -> int:
    """The suite in a guest; its records are rendered here, complete or not."""
    shared = folder.resolve()
    shared.mkdir(parents=True, exist_ok=True)
    order = GuestOrder(
        target_word(arguments.target),
        arguments.fabric,
        str(shared),
        listing.selection_of(arguments),
        called=_called(arguments),
        workers=arguments.workers,
        time_limit=arguments.time_limit,
    )
    console = Terminal()
    with _progress(console, arguments, baseline) as progress:
        record, problem = collect(lab_run([order], profile, arguments.kernel), shared, progress)
    status = _report(record, folder, console, baseline, arguments.baseline)
    if problem:
        print(f"rpcrdma certify: {problem}", file=sys.stderr)
        return CUT_SHORT
    return status


def _file_name(target: str) -> str:
    stem = Path(target).stem if _is_file(target) else target
    return re.sub(r"[^A-Za-z0-9.-]+", "-", stem)


def _is_file(target: str) -> bool:
    return target.endswith(".toml")
