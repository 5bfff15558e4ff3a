"""`rpcrdma lab kernel`: fetch a kernel of Debian's, and say where it is."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from targets.lab.errors import LabError
from targets.lab.kernel_cache import cache_folder
from targets.lab.kernel_fetch import available_kernels, fetch_kernel

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["add_kernel", "run_kernel"]

_DESCRIPTION = """\
Fetches kernels of Debian's and prints the path of each image. It is unpacked into a folder below
$XDG_CACHE_HOME (~/.cache), with its modules, and not installed. Once it is there, --kernel of every
command takes the same name, and this command ends at once."""

_EXAMPLES = """\
what can be named:
  6.12            the newest package of a line, once; --update looks for a newer one
  6.1@oldest      the oldest package of a line that Debian still has
  newest          the newest of all, backports included
  6.1.0-47-amd64  a release
  6.1.170-3       the version of a package

examples:
  rpcrdma lab kernel 6.12
  rpcrdma certify linux-server --kernel 6.12
  rpcrdma lab kernel 5.10 6.1@oldest newest
  rpcrdma lab kernel --list"""


def add_kernel(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `kernel` to the commands of `lab`."""
    parser = commands.add_parser(
        "kernel",
        help="fetch a kernel of Debian's to be booted",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="which; see below")
    parser.add_argument("--list", action="store_true", help="list all that there are")
    parser.add_argument(
        "--update", action="store_true", help="ask Debian again what a name means now"
    )


def run_kernel(args: argparse.Namespace) -> int:
    """Fetch, or list; the process's exit status.

    Raises:
        LabError: a kernel is not to be had, or no kernel was named.
    """
    folder = cache_folder()
    if args.list:
        return _list(folder)
    if not args.kernels:
        raise LabError("lab kernel", "no kernel was named", "for example `rpcrdma lab kernel 6.12`")
    for name in args.kernels:
        print(fetch_kernel(name, folder, _say, again=args.update), flush=True)
    return 0


def _list(folder: Path) -> int:
    packages, missing = available_kernels(folder)
    for one in packages:
        print(f"{one.release:32} {one.version:24} {one.suite}")
    if missing:
        _say(f"not to be had here: {', '.join(missing)}")
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
