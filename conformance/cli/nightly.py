"""`rpcrdma nightly`: everything within a time, and one page about what has changed."""

from __future__ import annotations

import argparse
import os
import shlex
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.cli.version import suite_version
from conformance.nightly.budget import allotted, duration, in_words
from conformance.nightly.changes import report_of
from conformance.nightly.night import NIGHTS, Night, night_before, prune, unfinished
from conformance.nightly.page import sentence_about, write_report
from conformance.nightly.plan import NightWish, plan
from conformance.nightly.record import NightRecord, read_night
from conformance.suite.interruption import signals_interrupt

if TYPE_CHECKING:
    from conformance.nightly.stage import NightStage

__all__ = ["add_parser", "run"]

_KEPT: Final = "kept"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `nightly` to the command line."""
    parser = subparsers.add_parser(
        "nightly",
        help="run everything within a time; one page says what has changed",
        description=(
            "Run everything there is within a budget, and compare it with the night before. For"
            " targets that are named: suite, exploration and live fuzzing. Without any: the suite"
            " against references and Linux, property tests, explorations and fuzzers of this"
            " project. Each stage is a process with a part of the time; one that hangs, dies or"
            " lacks what it needs costs the others nothing. A night that was interrupted goes on"
            " when the same command is given again within 18 hours."
        ),
        epilog=(
            "exit status: 0 all is clean; 1 something fails, got worse, or is missing that was"
            " named; 2 bad input; 3 no stage ran; 128 + N interrupted by signal N."
            " examples: rpcrdma nightly --budget 2h;"
            " rpcrdma nightly my-server.toml --baseline known.toml --budget 30m"
        ),
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="name or profile (.toml); default: what the project itself has",
    )
    parser.add_argument(
        "--budget",
        type=duration,
        default=7200.0,
        metavar="TIME",
        help="for all of it, such as 90m or 1h30m; default: 2h",
    )
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="KERNEL",
        help="release, image or build tree for the lab's targets; may be repeated",
    )
    parser.add_argument(
        "--baseline",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="known deviations of the target that the file names; may be repeated."
        " Default for Linux: those that this project has published",
    )
    for option, what in (("--only", "run these alone"), ("--exclude", "leave these out")):
        parser.add_argument(
            option,
            action="append",
            default=[],
            metavar="PATTERN",
            help=f"{what}: name of a stage, with * and ?; may be repeated",
        )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("rpcrdma-nightly"),
        metavar="DIR",
        help="page, records and corpora; the same each night; default: %(default)s",
    )
    parser.add_argument(
        "--seed", type=_seed, default=0, metavar="N", help="of all stages; default: a fresh one"
    )
    parser.add_argument(
        "--keep", type=_seed, default=7, metavar="N", help="nights that stay; default: %(default)s"
    )
    parser.add_argument(
        "--new", action="store_true", help="begin a night, whatever was interrupted"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the stages with their time, and run none"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run a night, or go on with one; returns the exit status."""
    wish = NightWish(
        tuple(arguments.targets),
        tuple(arguments.kernel),
        tuple(arguments.baseline),
        tuple(arguments.only),
        tuple(arguments.exclude),
    )
    stages = plan(wish)
    if arguments.list:
        _list(stages, arguments.budget)
        return 0
    with signals_interrupt():
        return _run(stages, arguments)


def _run(stages: tuple[NightStage, ...], arguments: argparse.Namespace) -> int:
    top: Path = arguments.output.resolve()
    nights = top / NIGHTS
    now = datetime.now().astimezone()
    seed = arguments.seed or int.from_bytes(os.urandom(3)) + 1
    record = NightRecord(
        now.isoformat(timespec="seconds"),
        suite_version(),
        seed,
        arguments.budget,
        _options(arguments),
        tuple(stage.name for stage in stages),
    )
    folder, left_because = (None, "") if arguments.new else unfinished(nights, record, now)
    if left_because:
        _say(left_because)
    if folder is None:
        folder = nights / now.strftime("%Y-%m-%dT%H-%M-%S-%f")
        before = night_before(nights, folder)
        known = before.known_afterwards() if before else {}
        record = msgspec.structs.replace(record, known=known)
        _say(f"a night of {len(stages)} stages, {in_words(arguments.budget)}, from seed {seed}")
    else:
        record = read_night(folder)
        done, left = len(record.results), in_words(record.budget - record.spent)
        _say(f"going on with the night of {record.started}: {done} stages done, {left} left")
    night = Night(stages, folder, top / _KEPT, record, _say)
    try:
        night.run()
    finally:
        status = _report(night, top, arguments)
    prune(nights, arguments.keep)
    return status


def _report(night: Night, top: Path, arguments: argparse.Namespace) -> int:
    """Write the page, of a night that was interrupted as well; the exit status of a whole one."""
    report = report_of(night.record, night_before(night.folder.parent, night.folder))
    again = shlex.join(["rpcrdma", *_words(arguments), "--seed", str(night.record.seed)])
    page = write_report(report, top, night.folder, again)
    for change in report.worse:
        _say(f"worse: {change.stage}: {change.what}: {change.before or 'new'} -> {change.now}")
    _say(sentence_about(report))
    _say(f"report: {page}")
    return report.exit_status


def _options(arguments: argparse.Namespace) -> str:
    """What must be the same for a night to go on; seed and budget are in the record."""
    return shlex.join([*_words(arguments), "--seed", str(arguments.seed)])


def _words(arguments: argparse.Namespace) -> list[str]:
    """The command, without its seed."""
    words = ["nightly", *arguments.targets, "--budget", f"{arguments.budget:.0f}s"]
    for option in ("kernel", "baseline", "only", "exclude"):
        words += [word for one in getattr(arguments, option) for word in (f"--{option}", str(one))]
    return words


def _list(stages: tuple[NightStage, ...], budget: float) -> None:
    """The stages, with the time that each has if all use theirs."""
    left = budget
    for number, stage in enumerate(stages):
        seconds = allotted(left, stages[number:])
        left -= seconds
        print(f"{stage.name:40} {in_words(seconds) if seconds else 'no time'}")
        print(f"    {shlex.join(stage.words)}")


def _seed(text: str) -> int:
    """A number from 1 on."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError("give a whole number from 1 on")
    return number


def _say(line: str) -> None:
    print(line, flush=True)
