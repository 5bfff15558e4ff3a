"""The options of `rpcrdma lab run` and `lab shell` that say which guest is booted."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.bad_input import at_least_one, seconds_above_zero
from targets.lab.errors import LabError
from targets.lab.lab import LabRun, server_of
from targets.lab.resources import resources_of
from targets.lab.setup import GuestSetup, LabServer, ServerKind
from targets.profile import Lab
from targets.registry import find_profile

if TYPE_CHECKING:
    import argparse

__all__ = ["add_guest_options", "lab_run_of"]


def add_guest_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which guest is booted, and with what."""
    parser.add_argument(
        "--kernel",
        metavar="PATH|RELEASE",
        help="the kernel to boot, or the tree in which it was built (default: the newest in /boot"
        " that will do)",
    )
    parser.add_argument(
        "--writable",
        metavar="FOLDER",
        type=Path,
        action="append",
        default=[],
        help="share this folder for writing; may be repeated",
    )
    parser.add_argument(
        "--job",
        metavar="FOLDER",
        type=Path,
        help="keep the guest's console, logs and trace in this folder",
    )
    parser.add_argument(
        "--trace",
        metavar="EVENT",
        action="append",
        default=[],
        help="record these kernel trace events, such as 'rpcrdma:*'; needs --job",
    )
    parser.add_argument(
        "--server",
        metavar="CMD|PROFILE",
        help="start this server instead of nfsd: a command, what [lab] of a profile (.toml) says,"
        " or 'none'",
    )
    parser.add_argument(
        "--ready",
        type=seconds_above_zero,
        metavar="SECONDS",
        help="until that server must listen (default: what the profile says, or 30)",
    )
    parser.add_argument(
        "--memory", metavar="SIZE", help="of the guest, such as 8G (default: the profile's, or 2G)"
    )
    parser.add_argument(
        "--processors",
        type=at_least_one,
        metavar="N",
        help="of the guest (default: the profile's, or 2)",
    )
    parser.add_argument(
        "--parameter",
        metavar="WORD",
        action="append",
        default=[],
        help="give the guest's kernel this word at boot, beside the profile's; may be repeated",
    )


def lab_run_of(args: argparse.Namespace, command: tuple[str, ...], deadline_s: float) -> LabRun:
    """What the lab is asked to do by these options.

    Args:
        args: as they were parsed.
        command: to run in the guest.
        deadline_s: seconds that all of it may take.

    Raises:
        LabError: an option says what cannot be done.
        TargetError: --server names no profile.
    """
    if args.trace and args.job is None:
        raise LabError(
            "lab run", "--trace needs a folder to leave the trace in", "add --job FOLDER"
        )
    server, lab = _server(args.server, args.ready)
    setup = GuestSetup(
        command=command,
        folder=str(Path.cwd()),
        server=server,
        interactive=args.lab_command == "shell",
        trace=tuple(args.trace),
        shares=lab.shares,
    )
    writable = tuple(folder.resolve() for folder in args.writable)
    kernel = args.kernel or lab.kernel or None
    given = resources_of(_with_options(lab, args))
    return LabRun(setup, deadline_s, kernel, writable, args.job, resources=given)


def _server(word: str | None, ready_s: float | None) -> tuple[LabServer, Lab]:
    """What --server and --ready say, and the `[lab]` of the profile that is named."""
    lab = Lab()
    if word is None:
        server = LabServer()
    elif word == "none":
        server = LabServer(ServerKind.NONE)
    elif word.endswith(".toml"):
        profile = find_profile(word)
        server, lab = server_of(profile), profile.lab or lab
    else:
        server = LabServer(ServerKind.COMMAND, tuple(shlex.split(word)))
    return (replace(server, ready_s=ready_s) if ready_s else server), lab


def _with_options(lab: Lab, args: argparse.Namespace) -> Lab:
    """A profile's `[lab]`, where no option says otherwise.

    Raises:
        LabError: an option says what no profile may.
    """
    try:
        return Lab(
            memory=args.memory or lab.memory,
            processors=args.processors or lab.processors,
            parameters=(*lab.parameters, *args.parameter),
            shares=lab.shares,
            boot=lab.boot,
        )
    except ValueError as error:
        raise LabError("lab run", str(error).replace("`memory`", "--memory")) from error
