"""The published page of implementations by requirement, with all runs for it made anew.

    python -m documentation.implementations --output rpcrdma-implementations

The runs are stages of two nights (`rpcrdma nightly`), of kernels and of bindings: within a time,
and given again the same command goes on where it was.  Kernels are fetched first (`rpcrdma lab
kernel`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.cli.main import main as rpcrdma
from conformance.nightly.night import NIGHTS
from conformance.nightly.record import nights_in
from conformance.suite.runner import RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["BINDINGS", "KERNELS", "main", "runs_of"]

KERNELS: Final = ("5.10", "6.1@oldest", "6.1", "6.12", "newest")
"""Those that are compared, by the names that `rpcrdma lab kernel` takes."""

BINDINGS: Final = (
    *("linux-client-nfs40", "linux-client-nfs41", "linux-client-nfs42", "linux-client-krb5"),
    *("linux-server-nfs3", "linux-server-nfs41", "linux-server-krb5"),
)
"""Profiles of the kernel's client and server beside the usual two, on the lab's usual kernel."""

_OF_BINDINGS: Final = "bindings"
"""Folder of their night, within that of all runs."""

_ROOT: Final = Path(__file__).parents[1]
_PAGE: Final = _ROOT / "results" / "implementations.html"


def runs_of(top: Path) -> tuple[Path, ...]:
    """The runs of the newest nights below a folder, in the order of their stages.

    Raises:
        BadInput: there is none.
    """
    runs = (*_runs_of_night(top), *_runs_of_night(top / _OF_BINDINGS))
    if not runs:
        raise BadInput(f"`{top}` has no night; leave --page-only out, and the runs are made")
    return runs


def _runs_of_night(top: Path) -> tuple[Path, ...]:
    night, record = next(nights_in(top / NIGHTS), (None, None))
    if night is None or record is None:
        return ()
    records = {file.parent.parent.name: file.parent for file in night.glob(f"*/run/{RECORDS}")}
    return tuple(records[name] for name in record.plan if name in records)


def main(
    words: Sequence[str] | None = None, command: Callable[[Sequence[str]], int] = rpcrdma
) -> int:
    """Make the runs and the page.

    Args:
        words: the command line.
        command: `rpcrdma`.

    Returns:
        0 if the page is there, whatever the verdicts; or the status of what could not be done.

    Raises:
        BadInput: there is no run to be shown.
    """
    parser = argparse.ArgumentParser(
        prog="python -m documentation.implementations",
        description="Run the suite against references and kernels, and make one page of it.",
        epilog="example: python -m documentation.implementations --kernel 6.12 --budget 40m",
    )
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="KERNEL",
        help=f"as `rpcrdma lab kernel` takes it; may be repeated; default: {', '.join(KERNELS)}",
    )
    parser.add_argument(
        "--budget", default="90m", metavar="TIME", help="of each of both; default: %(default)s"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("rpcrdma-implementations"),
        metavar="DIR",
        help="of the runs; the same to go on; default: %(default)s",
    )
    parser.add_argument(
        "--page",
        type=Path,
        default=_PAGE,
        metavar="FILE",
        help="default: results/implementations.html",
    )
    parser.add_argument(
        "--page-only", action="store_true", help="make the page of the runs that are there"
    )
    options = parser.parse_args(words)
    if not options.page_only and (status := _run(options, command)):
        return status
    shown = [str(run) for run in runs_of(options.output)]
    baselines = ("--baselines", str(_ROOT / "results"))
    return command(["report", *shown, "--page", str(options.page), *baselines])


def _run(options: argparse.Namespace, command: Callable[[Sequence[str]], int]) -> int:
    """Fetch the kernels and run the stages; not 0 if there is nothing to go on with."""
    kernels = options.kernel or KERNELS
    if status := command(["lab", "kernel", *kernels]):
        return status
    named = [word for kernel in kernels for word in ("--kernel", kernel)]
    words = ["nightly", "--only", "certify-*", "--budget", options.budget, "--output"]
    for more in ([str(options.output), *named], [str(options.output / _OF_BINDINGS), *BINDINGS]):
        # 1: something deviates or could not be tested, which is what the page is to tell.
        if (status := command([*words, *more])) not in (0, 1):
            return status
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as error:
        sys.exit(f"documentation.implementations: {error}")
