"""What a device on the tester's own machine holds: a program, or the kernel of the lab's guest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from targets.lab.guest import INSIDE
from targets.lab.held import held
from targets.usage import Resource, group_of, usage_of_processes

if TYPE_CHECKING:
    from targets.usage import Usage

__all__ = ["held_here"]


def held_here(process: int = 0) -> Usage | None:
    """What a device on this machine holds; None if that cannot be told.

    Args:
        process: the device's, whose group is looked at; 0 if the device is the kernel, of which a
            guest alone can tell.
    """
    if INSIDE in os.environ:
        # The memory that the machine has left is the tester's matter, too.
        return held(process).without(Resource.MACHINE)
    return usage_of_processes(group_of(process)) if process else None
