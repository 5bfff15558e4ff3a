"""`rpcrdma lab`: a kernel in a virtual machine, with Soft-RoCE.

Its commands are run, shell, doctor, config, tree, up, status and down.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from conformance.bad_input import at_least_one, seconds_above_zero
from conformance.cli.lab_guest import add_guest_options, lab_run_of
from targets.base import TargetError
from targets.lab.console import Severity
from targets.lab.doctor import diagnose, install_command, kernel_advice, render
from targets.lab.errors import LabError
from targets.lab.export import fill_export
from targets.lab.kernel_config import DebugKind, fragment
from targets.lab.lab import (
    Ending,
    LabResult,
    is_native,
    run_in_lab,
    run_natively,
    run_shell,
)
from targets.registry import find_profile
from targets.standing.setup_of import setup_of
from targets.standing.stay import GuestState, bring_down, bring_up, death_of, find_guest

__all__ = ["add_parser", "run"]

_BAD_ENVIRONMENT: Final = 2
_CUT_SHORT: Final = 1

_EXAMPLES: Final = """\
examples:
  rpcrdma lab doctor
  rpcrdma lab run -- rdma link
  rpcrdma lab run --writable results -- rpcrdma certify linux-server --output results
  rpcrdma lab run --trace 'rpcrdma:*' --job evidence -- ./my-reproducer
  rpcrdma lab run --server my-server.toml --memory 8G -- ss --rdma
  rpcrdma lab run --kernel 6.12.117+deb12-amd64 -- uname -r
  rpcrdma lab shell
  rpcrdma lab up linux-server
"""

_RUN_HELP: Final = """\
Boots a kernel with this machine's file system, Soft-RoCE device rxe0 on 10.9.0.1 and nfsd listening
on RDMA port 20049, runs a command there, and ends with its exit status.  The command sees the same
files as here, read-only, but for the folders named with --writable.  Where this machine has an RDMA
device, the command runs here and nothing is set up (unless --vm)."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `lab` and its commands to the command line."""
    formatter = argparse.RawDescriptionHelpFormatter
    lab = subparsers.add_parser(
        "lab",
        help="a kernel with Soft-RoCE in a virtual machine",
        description=_RUN_HELP,
        epilog=_EXAMPLES,
        formatter_class=formatter,
    )
    lab.set_defaults(run=run)
    commands = lab.add_subparsers(dest="lab_command", required=True, metavar="COMMAND")

    one = commands.add_parser(
        "run",
        help="run one command in the lab",
        description=_RUN_HELP,
        epilog=_EXAMPLES,
        formatter_class=formatter,
    )
    add_guest_options(one)
    one.add_argument(
        "--deadline",
        type=seconds_above_zero,
        default=600,
        metavar="SECONDS",
        help="kill everything after so long, boot included (default: %(default)s)",
    )
    one.add_argument("--vm", action="store_true", help="boot even where there is an RDMA device")
    one.add_argument("command", nargs=argparse.REMAINDER, metavar="CMD", help="what to run")

    shell = commands.add_parser(
        "shell",
        help="a shell in the lab",
        description="Boots as `lab run` does and opens a shell; leave it to end the machine.",
        epilog="example:\n  rpcrdma lab shell",
        formatter_class=formatter,
    )
    add_guest_options(shell)

    doctor = commands.add_parser(
        "doctor",
        help="what the lab lacks here",
        description="Tells what the lab needs of this"
        " machine, what is missing, and the one command that installs it.",
        epilog="example:\n  rpcrdma lab doctor --install-command",
        formatter_class=formatter,
    )
    doctor.add_argument(
        "--kernel",
        metavar="PATH|RELEASE",
        help="the kernel that is to be booted: also which options it was built without",
    )
    doctor.add_argument(
        "--install-command",
        action="store_true",
        help="print only that command; nothing when all is there",
    )
    _add_config(commands)
    _add_tree(commands)
    _add_standing(commands)


def run(args: argparse.Namespace) -> int:
    """Execute the parsed command; the process's exit status."""
    try:
        match args.lab_command:
            case "doctor":
                return _doctor(args)
            case "config":
                print(fragment([kind for kind in DebugKind if getattr(args, kind.value)]))
                return 0
            case "shell":
                return _shell(args)
            case "tree":
                fill_export(args.folder)
                print(f"{args.folder} has the files that cases expect of an NFS server")
                return 0
            case "up":
                return _up(args)
            case "status":
                return _status()
            case "down":
                return _down()
            case _:
                return _run(args)
    except (LabError, TargetError) as error:
        print(f"rpcrdma lab: {error}", file=sys.stderr)
        return _BAD_ENVIRONMENT


def _add_config(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    config = commands.add_parser(
        "config",
        help="the options that a kernel of your own needs",
        description="Prints a fragment of a kernel's configuration, for merge_config.sh of its"
        " sources. `rpcrdma lab doctor --kernel TREE` says which of it a tree was built without.",
        epilog="example:\n  rpcrdma lab config --kasan --lockdep > lab.config\n"
        "  scripts/kconfig/merge_config.sh .config lab.config",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for kind, what in (
        (DebugKind.KASAN, "also what finds wrong uses of memory"),
        (DebugKind.KCOV, "also what counts the blocks that are executed"),
        (DebugKind.LOCKDEP, "also what finds orders of locks that can deadlock"),
    ):
        config.add_argument(f"--{kind.value}", action="store_true", help=what)


def _add_tree(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tree = commands.add_parser(
        "tree",
        help="the files that an NFS server under test must export",
        description="Makes the files, links and folders that cases expect below the root of an"
        " export, on this machine: 2.2 MiB, one symbolic link of 1,979 octets among it, which not"
        " every file system takes. What is there by the same names is made anew.",
        epilog="example:\n  rpcrdma lab tree /srv/export",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tree.add_argument("folder", metavar="DIR", type=Path, help="the folder; made if it is missing")


def _add_standing(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    up = commands.add_parser(
        "up",
        help="a guest that stays between runs",
        description="Boots a guest that holds a target's device and stays, so that the runs that"
        " follow need not boot one. The tester is outside of it. There is one at most. A run in"
        " which its kernel dies goes on in a guest of its own, and so do those that follow, until"
        " `lab down` and `lab up`.",
        epilog="example:\n  rpcrdma lab up linux-server --kernel 6.12.117+deb12-amd64",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    up.add_argument(
        "target",
        nargs="?",
        default="linux-server",
        metavar="TARGET",
        help="whose device it is to hold (default: %(default)s)",
    )
    up.add_argument(
        "--kernel",
        metavar="PATH|RELEASE",
        help="the kernel to boot, or the tree in which it was built (default: the profile's, or"
        " the newest in /boot that will do)",
    )
    up.add_argument(
        "-n",
        "--workers",
        type=at_least_one,
        default=1,
        metavar="N",
        help="give it a link for each process of `certify -n N` (default: %(default)s)",
    )
    for name, what in (("status", "which guest is up"), ("down", "end the guest that is up")):
        commands.add_parser(name, help=what, epilog=f"example:\n  rpcrdma lab {name}")


def _doctor(args: argparse.Namespace) -> int:
    checks = diagnose(kernel=args.kernel)
    if args.install_command:
        if command := install_command(checks):
            print(command)
        return 0
    print(render(checks))
    print(f"\n{kernel_advice()}")
    return 0 if all(check.present for check in checks) else _BAD_ENVIRONMENT


def _run(args: argparse.Namespace) -> int:
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise LabError("lab run", "no command was given", "for example `rpcrdma lab run rdma link`")
    wanted = lab_run_of(args, tuple(command), args.deadline)
    runner = run_natively if is_native() and not args.vm else run_in_lab
    result = runner(wanted, lambda line: print(line, flush=True))
    _tell(result)
    return _CUT_SHORT if result.status is None else result.status


def _shell(args: argparse.Namespace) -> int:
    if not sys.stdin.isatty():
        raise LabError("lab shell", "there is no terminal", "use `rpcrdma lab run CMD`")
    return run_shell(lab_run_of(args, ("bash", "--login"), 0))


def _up(args: argparse.Namespace) -> int:
    profile = find_profile(args.target)
    chosen = args.kernel or (profile.lab.kernel if profile.lab else "")
    state = bring_up(setup_of(profile, args.workers), profile.name, chosen or None)
    print(_described(state))
    return 0


def _status() -> int:
    state = find_guest()
    if state is None:
        print("no guest is up")
        return _CUT_SHORT
    death = death_of(state)
    print(_described(state) + (f", and no run uses it: {death}" if death else ""))
    return 0


def _down() -> int:
    state = bring_down()
    print(
        "no guest was up" if state is None else f"{state.target} on Linux {state.release} is down"
    )
    return 0


def _described(state: GuestState) -> str:
    return f"{state.target} on Linux {state.release} is up, in {state.folder}"


def _tell(result: LabResult) -> None:
    """Say on standard error what a person must not miss: an unnatural end, a kernel's complaint."""
    for fault in result.faults:
        if fault.severity is not Severity.WARNING:
            print(
                f"rpcrdma lab: {fault.severity.value} in the guest: {fault.text}", file=sys.stderr
            )
    if result.ending is not Ending.EXITED:
        print(f"rpcrdma lab: {result.describe()}", file=sys.stderr)
