"""What `rpcrdma certify` runs inside the lab's guest: the suite alone, and nothing but records.

    python -m conformance.suite.guest ORDER...

Everything that can be done afterwards (reports, captures) is done on the host: in a guest without
KVM each module that is imported costs, and the host has time.  Each line of output is for the host:
`begin`, the number of planned cases, and the case.  A last line that begins with `stop` says in one
sentence why nothing could be run.
"""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.suite.interruption import stop_at_first
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import certify
from conformance.suite.selection import Selection  # noqa: TC001  # msgspec reads it
from rpcrdma.errors import FabricError
from targets.base import TargetError, Unsupported
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reports.record import RunRecord

__all__ = ["BEGIN", "STOP", "GuestOrder", "certifier", "main"]

BEGIN: Final = "begin"
STOP: Final = "stop"

_BAD_SURROUNDINGS: Final = 2


class GuestOrder(msgspec.Struct, frozen=True):
    """What to run.

    Attributes:
        target: as named on the command line; the path of a profile is absolute.
        fabric: `verbs`, or empty for the target's usual one.
        folder: where records and traces go.
        selection: which cases.
        called: what a command that runs a case again says after `rpcrdma certify`.
        workers: in how many processes.
        time_limit: seconds after which no further case is judged.
        facts: for the head of the records.
        stop_at: whether the first case that fails ends the run.
        listed: cases that do not, since a baseline lists them.
    """

    target: str
    fabric: str
    folder: str
    selection: Selection
    called: str = ""
    workers: int = 1
    time_limit: float | None = None
    facts: tuple[tuple[str, str], ...] = ()
    stop_at: bool = False
    listed: tuple[str, ...] = ()


def main(arguments: Sequence[str]) -> int:
    """Run the suite once for each order; the worst status."""
    return max(_execute(msgspec.json.decode(text, type=GuestOrder)) for text in arguments)


def _execute(order: GuestOrder) -> int:
    stop = stop_at_first(order.listed)
    try:
        certifier(order.workers)(
            find_any_target(order.target, order.fabric),
            order.selection,
            Path(order.folder),
            called=order.called or shlex.quote(order.target),
            captures=False,
            facts=order.facts,
            time_limit=order.time_limit,
            on_begin=lambda case, planned: _tell(f"{BEGIN} {planned} {case}"),
            on_case=lambda case, _planned: stop(case) if order.stop_at else None,
        )
    except (FabricError, OSError, SuiteError, TargetError, Unsupported) as error:
        _tell(f"{STOP} {' '.join(str(error).split())}")
        return _BAD_SURROUNDINGS
    return 0


def certifier(workers: int) -> Callable[..., RunRecord]:
    """What runs the suite in one process or in several."""
    if workers == 1:
        return certify
    # Only where it is wanted: each module that is imported costs.
    from conformance.suite.parallel import certify_parallel

    return partial(certify_parallel, workers=workers)


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
