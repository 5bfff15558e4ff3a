"""Records the guest kernel's own trace events while a command runs: evidence from inside a target.

The kernel's `rpcrdma` and `sunrpc` events tell what its server decoded and why it dropped or
answered, such as `rpcrdma:svcrdma_decode_badvers`.  They go into `trace.txt` of the job folder.
"""

from __future__ import annotations

import fnmatch
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.step import run_step, write_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["recording"]

_TRACING: Final = Path("/sys/kernel/tracing")
_SYSTEMS: Final = frozenset(("rpcrdma", "sunrpc", "nfsd", "rdma_core", "rdma_cma", "ib_mad"))
"""The subsystems whose events tell about NFS/RDMA."""

_BUFFER_KILOBYTES: Final = 8192
"""For each processor; a full buffer loses its oldest events."""


@contextmanager
def recording(events: Sequence[str], job: Path, tracing: Path = _TRACING) -> Iterator[None]:
    """Record `events` (such as `rpcrdma:*`) meanwhile, into `job`/trace.txt.

    Raises:
        LabError: the kernel has no such event, or cannot trace.
    """
    if not events:
        yield
        return
    step = "recording trace events"
    if not (tracing / "set_event").exists():
        run_step(step, ["mount", "-t", "tracefs", "tracefs", str(tracing)])
    write_step(step, tracing / "buffer_size_kb", str(_BUFFER_KILOBYTES))
    chosen = _matching(step, tracing, events)
    # One write for all: opening the file anew forgets the events that were chosen before.
    write_step(step, tracing / "set_event", "\n".join((*chosen, "")))
    try:
        yield
    finally:
        write_step(step, tracing / "tracing_on", "0")
        (job / "trace.txt").write_bytes((tracing / "trace").read_bytes())


def _matching(step: str, tracing: Path, patterns: Sequence[str]) -> list[str]:
    """The kernel's events that match; its own file takes no patterns within a name."""
    known = (tracing / "available_events").read_text(encoding="ascii").split()
    chosen = []
    for pattern in patterns:
        found = fnmatch.filter(known, pattern if ":" in pattern else f"{pattern}:*")
        if not found:
            systems = sorted({event.partition(":")[0] for event in known} & _SYSTEMS)
            remedy = f"it has those of {', '.join(systems)}" if systems else ""
            raise LabError(step, f"the kernel has no event {pattern}", remedy)
        chosen.extend(found)
    return list(dict.fromkeys(chosen))
