"""Whether a QEMU can connect its guest with a tester outside of it.

-netdev dgram,...     QEMU 7.2: frames as datagrams, from one Unix socket to another
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from targets.lab.programs import told_version

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LEAST_VERSION", "qemu_version"]

LEAST_VERSION: Final = (7, 2)
"""The first that has `-netdev dgram`."""


def qemu_version(command: Path) -> tuple[int, ...] | None:
    """What the command says of its version, such as (7, 2, 22); None if it cannot."""
    found = re.search(r"version (\d+(?:\.\d+)+)", told_version(command))
    return tuple(map(int, found[1].split("."))) if found else None
