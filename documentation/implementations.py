"""The published page of implementations by requirement, with all runs for it made anew.

    python -m documentation.implementations --output rpcrdma-implementations

The runs are stages of a night (`rpcrdma nightly`): within a time, and given again the same command
goes on where it was.  Kernels are fetched first (`rpcrdma lab kernel`).
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

__all__ = ["KERNELS", "main", "runs_of"]

KERNELS: Final = ("6.1@oldest", "6.1", "6.12", "newest")
"""Those that are compared, by the names that `rpcrdma lab kernel` takes.  Linux 5.10 is not among
them: its server died eight times in the first 540 cases, and each time a guest is booted."""

_ROOT: Final = Path(__file__).parents[1]
_PAGE: Final = _ROOT / "results" / "implementations.html"


def runs_of(top: Path) -> tuple[Path, ...]:
    """The runs of the newest night below a folder, in the order of its stages.

    Raises:
        BadInput: there is none.
    """
    night, record = next(nights_in(top / NIGHTS), (None, None))
    if night is None or record is None:
        raise BadInput(f"`{top}` has no night; leave --page-only out, and the runs are made")
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
        epilog="example: python -m documentation.implementations --kernel 6.12 --budget 20m",
    )
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="KERNEL",
        help=f"as `rpcrdma lab kernel` takes it; may be repeated; default: {', '.join(KERNELS)}",
    )
    parser.add_argument("--budget", default="3h", metavar="TIME", help="default: %(default)s")
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
    words = ["nightly", "--only", "certify-*", "--budget", options.budget, *named]
    status = command([*words, "--output", str(options.output)])
    # 1: something deviates or could not be tested, which is what the page is to tell.
    return 0 if status in (0, 1) else status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as error:
        sys.exit(f"documentation.implementations: {error}")
