"""Records the guest kernel's own trace events while a command runs: evidence from inside a target.

The kernel's `rpcrdma` and `sunrpc` events tell what its server decoded and why it dropped or
answered, such as `rpcrdma:svcrdma_decode_badvers`.  They go into `trace.txt` of the job folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from targets.lab.step import run_step, write_step

__all__ = ["recording"]

_TRACING: Final = Path("/sys/kernel/tracing")
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
    remedy = f"{tracing}/available_events lists what there is"
    # One write for all: opening the file anew forgets the events that were chosen before.
    chosen = "\n".join(event if ":" in event else f"{event}:*" for event in events)
    write_step(step, tracing / "set_event", f"{chosen}\n", remedy)
    try:
        yield
    finally:
        write_step(step, tracing / "tracing_on", "0")
        (job / "trace.txt").write_bytes((tracing / "trace").read_bytes())
