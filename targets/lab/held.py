"""What a device in this machine holds, where this machine is a guest of the lab.

    held(server.process)     of a program
    held()                   of the kernel

rdma-resource(8)  Viewing resources: objects of a program have its number, those of the kernel none
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.step import run_step
from targets.usage import group_of, usage_in_meminfo, usage_in_objects, usage_of_processes

if TYPE_CHECKING:
    from targets.usage import Usage

__all__ = ["held"]

_KINDS: Final = "".join(f"resource show {kind}\n" for kind in ("qp", "mr", "cq", "pd", "cm_id"))

_MEMINFO: Final = Path("/proc/meminfo")


def held(process: int = 0) -> Usage:
    """What a program in this guest holds, and the guest's kernel.

    Args:
        process: of the program, whose group is looked at: it may be a shell that has started it;
            0 if the kernel is the device.
    """
    usage = usage_in_meminfo(_MEMINFO.read_text(encoding="ascii", errors="replace"))
    group = group_of(process) if process else ()
    if process and not group:
        return usage  # the program has ended
    try:
        # One program for all: each costs a tenth of a second under TCG.
        listed = run_step("asking for RDMA objects", ["rdma", "-b", "-"], text=_KINDS)
    except LabError:
        pass  # then nothing is known of them
    else:
        usage = usage.with_more(usage_in_objects(listed, group))
    own = usage_of_processes(group)
    return usage if own is None else usage.with_more(own)
