"""What a guest leaves to be read afterwards: what its kernel printed, and what its server said.

The folders that these are written in go with the guest; they are kept in the folder of a run, where
its report leads to them (`reports.pages.lab_logs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["CONSOLE_LOG", "SERVER_LOG", "keep_logs"]

CONSOLE_LOG: Final = "console.log"
"""What the guest's kernel printed, and QEMU or virtme-ng beside it."""

SERVER_LOG: Final = "server.log"
"""Standard output and standard error of the server that a profile starts."""


def keep_logs(logs: Iterable[Path], folder: Path) -> None:
    """Add logs to those that a folder has, each to the one of its name.

    Args:
        logs: files; those that are missing or empty are passed over.
        folder: made if there is something to keep.

    Raises:
        OSError: one cannot be read or written.
    """
    for log in logs:
        if log.is_file() and (octets := log.read_bytes()):
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / log.name).open("ab") as kept:
                kept.write(octets)
