"""`rpcrdma certify`: run the suite against a target and leave a report."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from conformance import cli_list
from conformance.runner import RECORDS, certify
from reports.render import render_all
from reports.stream import read_run
from reports.summary import summarise
from reports.terminal import VERDICT_STYLE, print_summary
from targets.lab.lab import Ending, LabRun, is_native, run_in_lab, server_of
from targets.lab.setup import GuestSetup
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    import argparse

    from reports.record import CaseRecord, RunRecord
    from targets.profile import Profile

__all__ = ["add_parser", "run"]

_LAB_DEADLINE = 600.0
"""Seconds that a run in the lab may take, boot included."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `certify` to the command line."""
    parser = subparsers.add_parser(
        "certify",
        help="run the suite against a target",
        description=(
            "Run the suite and write records, report.html, report.json, junit.xml and evidence."
            " A target that needs an RDMA device is run in the lab where this machine has none."
        ),
        epilog="example: rpcrdma certify linux-server --section 4.5 --output results",
    )
    parser.add_argument(
        "target", metavar="TARGET", help="name, path of a profile (.toml), or mutant:<slug>"
    )
    cli_list.add_selection(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="default: rpcrdma-report-TARGET")
    parser.add_argument("--fabric", default="", choices=["loopback", "verbs"])
    parser.add_argument("--kernel", default="", help="release of the lab's kernel")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Certify; returns the exit status."""
    profile = find_profile(arguments.target)
    selection = cli_list.selection_of(arguments)
    folder: Path = arguments.output or Path(f"rpcrdma-report-{_file_name(arguments.target)}")
    on_device = profile.adapter == "network" or arguments.fabric == "verbs"
    if on_device and not is_native():
        return _in_lab(arguments, profile, folder)
    target = find_target(arguments.target, arguments.fabric)
    console = Console()

    def progress(case: CaseRecord, _planned: int) -> None:
        if console.is_terminal:
            style = VERDICT_STYLE[case.verdict]
            console.print(f"[{style}]{case.verdict.value:6}[/] ", end="", highlight=False)
            console.print(case.id, highlight=False, markup=False)

    record = certify(target, selection, folder, on_case=progress)
    return _report(record, folder, console)


def _report(record: RunRecord, folder: Path, console: Console) -> int:
    html, *_ = render_all(record, folder)
    print_summary(console, record)
    console.print(f"report: {html}", highlight=False, soft_wrap=True)
    return summarise(record).exit_status


def _in_lab(arguments: argparse.Namespace, profile: Profile, folder: Path) -> int:
    """The same command inside a guest; its records are rendered here, complete or not."""
    folder.mkdir(parents=True, exist_ok=True)
    shared = folder.resolve()
    (shared / RECORDS).unlink(missing_ok=True)
    command = [sys.executable, "-m", "conformance.cli", *_again(arguments, shared)]
    setup = GuestSetup(tuple(command), str(Path.cwd()), server=server_of(profile))
    wanted = LabRun(
        setup,
        deadline_s=_LAB_DEADLINE,
        kernel=arguments.kernel or (profile.lab.kernel if profile.lab else "") or None,
        writable=(shared,),
    )
    result = run_in_lab(wanted, lambda _line: None)
    if not (shared / RECORDS).exists():
        raise ValueError(f"the lab left no records: {result.ending.value}")
    record = read_run(shared / RECORDS)
    status = _report(record, folder, Console())
    return status if result.ending is Ending.EXITED and result.status is not None else 1


def _again(arguments: argparse.Namespace, folder: Path) -> list[str]:
    target = arguments.target
    again = ["certify", str(Path(target).resolve()) if target.endswith(".toml") else target]
    for name in ("document", "section", "role", "level", "fabric"):
        if getattr(arguments, name):
            again += [f"--{name}", getattr(arguments, name)]
    for case in arguments.case:
        again += ["--case", case]
    if arguments.destructive:
        again.append("--destructive")
    return [*again, "--output", str(folder)]


def _file_name(target: str) -> str:
    stem = Path(target).stem if target.endswith(".toml") else target
    return re.sub(r"[^A-Za-z0-9.-]+", "-", stem)
