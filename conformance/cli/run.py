"""`rpcrdma certify`: run the suite against a target and leave a report."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput, NothingSelected, at_least_one
from conformance.catalogue.interpretations import check_choices
from conformance.cli import listing, run_folder
from conformance.cli.background import background
from conformance.cli.origin import origin, tree_fact
from conformance.suite.guest import GuestOrder, certifier
from conformance.suite.in_lab import collect, lab_run, target_word
from conformance.suite.interruption import signals_interrupt, stop_at_first
from conformance.suite.limits import run_seconds
from conformance.suite.parallel import check_workers
from conformance.suite.runner import collect_cases, known_ids
from conformance.tester.weather import Weather
from reports.baseline import check_baseline, load_baseline
from reports.folder import render_all
from reports.printable import printable_line
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

    from conformance.suite.selection import Selection
    from reports.baseline import Baseline
    from reports.record import CaseRecord, RunRecord
    from targets.base import ClientTarget, Target
    from targets.profile import Profile

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `certify` to the command line."""
    parser = subparsers.add_parser(
        "certify",
        help="run the suite against a target",
        description=(
            "Run the suite and write records and evidence, report.html, report.json, junit.xml,"
            " report.tap, summary.txt and a badge; `rpcrdma export` has more formats."
            " A target that needs an RDMA device is run in the lab where this machine has none."
        ),
        epilog=(
            "exit status: 0 nothing failed; 1 something did, or is not as the baseline says; 2 bad"
            " input or surroundings; 3 nothing was judged, or some was not because the device did"
            " not serve; 4 the run was cut short; 128 + N signal N did that (130 Ctrl-C, 143"
            " SIGTERM)."
            " example: rpcrdma certify linux-server --section 4.5 --output results"
        ),
    )
    parser.add_argument(
        "target", metavar="TARGET", help="name, path of a profile (.toml), or mutant:<slug>"
    )
    listing.add_selection(parser)
    parser.add_argument(
        "--last-failed",
        action="store_true",
        help="of these, what failed or was not judged in the run that --output, or the newest"
        " rpcrdma-report-TARGET, holds",
    )
    parser.add_argument(
        "--stop-at-first",
        action="store_true",
        help="judge no more after a case that fails; one that the baseline lists does not count",
    )
    parser.add_argument(
        "--repeat",
        type=at_least_one,
        default=1,
        metavar="N",
        help="run all of it N times, into folders DIR/1 to DIR/N; `rpcrdma compare` shows where"
        " they differ",
    )
    parser.add_argument(
        "--output",
        type=_folder,
        metavar="DIR",
        help="default: rpcrdma-report-TARGET, or the first of -2, -3 ... that holds no run",
    )
    parser.add_argument(
        "--force", action="store_true", help="clear away the run that the folder holds"
    )
    parser.add_argument("--fabric", default="", choices=FABRICS)
    parser.add_argument(
        "--faults",
        type=_weather,
        metavar="TEXT",
        help="lose, double, exchange, delay or damage packets by chance, over roce or switch:"
        " seed=7,loss=0.01; sent.loss is that of what the tester sends, received.loss the other"
        " way; see rpcrdma/roce/link/faults.py",
    )
    parser.add_argument(
        "--kernel", default="", help="of the lab: release, image, or the tree in which it was built"
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="known deviations: exit status 0 if and only if the run is as the file says",
    )
    parser.add_argument(
        "-n",
        "--workers",
        type=at_least_one,
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
        " by the profile's [lab] or the number of cases",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for every case")
    parser.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class _Order:
    """What was asked for, once it is known that it can be done.

    Attributes:
        arguments: as they were given.  profile: of the target.  target: which device.
        place: where it is.  selection: of cases.  origin: the head of the record.
        baseline: what is known; None if no file was named.
    """

    arguments: argparse.Namespace
    profile: Profile
    target: Target | ClientTarget
    place: RunPlace
    selection: Selection
    origin: tuple[tuple[str, str], ...]
    baseline: Baseline | None

    @property
    def listed(self) -> frozenset[str]:
        """The cases that the baseline lists."""
        findings = self.baseline.finding if self.baseline else ()
        return frozenset(case.id for finding in findings for case in finding.case)

    def progress(self, console: Console) -> Progress:
        """What shows a run, begun by what makes it."""
        limit: float | None = self.arguments.time_limit
        head = dict(self.origin)
        return Progress(
            console,
            verbose=self.arguments.verbose,
            listed=self.listed,
            seconds=run_seconds if limit is None else lambda _planned: limit,
            head=f"suite {head['suite']}, {head['proof']}; profile {head['profile digest']}",
        )


def run(arguments: argparse.Namespace) -> int:
    """Certify; returns the exit status."""
    with signals_interrupt():
        order = _order(arguments)
        given: Path | None = arguments.output
        folder = given or run_folder.new_folder(arguments.target)
        if arguments.repeat == 1:
            folders = [folder]
        else:
            folders = [folder / str(number) for number in range(1, arguments.repeat + 1)]
        for one in (folder, *folders):
            run_folder.claim(one, force=arguments.force)
        return _certify_all(order, folders)


def _certify_all(order: _Order, folders: list[Path]) -> int:
    """Certify into each folder; the worst status, the first one that ends the runs."""
    worst = 0
    for folder in folders:
        certify = _in_lab if order.place is RunPlace.ALL_IN_GUEST else _beside
        status = certify(order, folder)
        worst = max(worst, status)
        if status > CUT_SHORT or (status and order.arguments.stop_at_first):
            break
    return worst


def _order(arguments: argparse.Namespace) -> _Order:
    """See that all can be done: what cannot is refused now, not after a boot."""
    profile = find_profile(arguments.target)
    check_choices(profile.extra.interpretations)
    selection = listing.selection_of(arguments, profile.claims.roles)
    if arguments.last_failed:
        selection = _failed(selection, arguments)
    if arguments.time_limit is None and profile.lab and profile.lab.time_limit:
        arguments.time_limit = profile.lab.time_limit
    target = find_any_target(arguments.target, arguments.fabric)
    baseline = load_baseline(arguments.baseline, profile.name) if arguments.baseline else None
    place = place_of(profile, arguments.fabric)
    check_workers(target, arguments.workers, place)
    weather: Weather | None = arguments.faults
    if place is RunPlace.ALL_IN_GUEST and weather is not None:
        raise weather.refusal("verbs")
    if place is RunPlace.HERE and arguments.kernel:
        raise BadInput(f"`{arguments.target}` runs in no guest of the lab; leave --kernel out")
    selected = [case for case in collect_cases() if selection.includes(case)]
    count = sum(case.role in profile.claims.roles for case in selected)
    made_by = origin(profile, arguments.command_line, count) + tree_fact(arguments.kernel)
    return _Order(arguments, profile, target, place, selection, made_by, baseline)


def _failed(selection: Selection, arguments: argparse.Namespace) -> Selection:
    """What of a selection failed in the last run."""
    folder: Path = arguments.output or run_folder.last_folder(arguments.target)
    failed = run_folder.failed_in(folder)
    wanted = [case.id for case in collect_cases() if case.id in failed and selection.includes(case)]
    if not wanted:
        raise NothingSelected(f"nothing that is selected failed in `{folder}`; select more")
    return replace(selection, cases=tuple(wanted))


def _beside(order: _Order, folder: Path) -> int:
    """The suite in this process, the device here or elsewhere."""
    console = Terminal()
    arguments = order.arguments
    stop = stop_at_first(order.listed)

    def judged(case: CaseRecord, _planned: int) -> None:
        progress.judged(case)
        if arguments.stop_at_first:
            stop(case)

    with (
        order.progress(console) as progress,
        placed(
            order.target,
            order.place,
            arguments.kernel,
            lambda end: progress.note(str(end)),
            testers=arguments.workers,
        ) as (device, facts),
    ):
        record = certifier(arguments.workers)(
            device,
            order.selection,
            folder,
            called=_called(arguments),
            facts=(*order.origin, *facts),
            weather=arguments.faults,
            time_limit=arguments.time_limit,
            on_begin=progress.begin,
            on_case=judged,
        )
    return _report(record, folder, console, order)


def _report(record: RunRecord, folder: Path, console: Console, order: _Order) -> int:
    """Write and print what there is to say."""
    check = None
    if order.baseline is not None:
        check = check_baseline(record, order.baseline, order.arguments.baseline, known_ids())
    html = render_all(record, folder, check, background())
    print_summary(console, record, check)
    console.print(f"report: {html}", highlight=False, soft_wrap=True)
    return exit_status(record, check)


def _minutes(text: str) -> float:
    """The argument of --time-limit, in seconds."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise argparse.ArgumentTypeError("give a number of minutes above 0")
    return minutes * 60


def _folder(text: str) -> Path:
    """The argument of --output."""
    if not text:
        raise argparse.ArgumentTypeError("name a folder")
    return Path(text)


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


def _in_lab(order: _Order, folder: Path) -> int:
    """The suite in a guest; its records are rendered here, complete or not."""
    arguments = order.arguments
    shared = folder.resolve()
    shared.mkdir(parents=True, exist_ok=True)
    asked = GuestOrder(
        target_word(arguments.target),
        arguments.fabric,
        str(shared),
        order.selection,
        called=_called(arguments),
        workers=arguments.workers,
        time_limit=arguments.time_limit,
        facts=order.origin,
        stop_at=arguments.stop_at_first,
        listed=tuple(sorted(order.listed)),
    )
    console = Terminal()
    with order.progress(console) as progress:
        lab = lab_run([asked], order.profile, arguments.kernel)
        record, problem = collect(lab, shared, progress)
    status = _report(record, folder, console, order)
    if problem:
        print(f"rpcrdma certify: {printable_line(problem)}", file=sys.stderr)
        return CUT_SHORT
    return status
