"""Whether a QEMU can connect its guest with a tester outside of it.

-netdev dgram,...     QEMU 7.2: frames as datagrams, from one Unix socket to another
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LEAST_VERSION", "qemu_version"]

LEAST_VERSION: Final = (7, 2)
"""The first that has `-netdev dgram`."""

_DEADLINE_S: Final = 30.0
"""For telling a version, on a machine that is busy."""


def qemu_version(command: Path) -> tuple[int, ...] | None:
    """What the command says of its version, such as (7, 2, 22); None if it cannot."""
    try:
        told = subprocess.run(
            [command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"version (\d+(?:\.\d+)+)", told.stdout)
    return tuple(map(int, found[1].split("."))) if found else None
