"""What a guest, or a server that a profile starts, has left in a run: why it was silent, perhaps.

The logs stand in a folder of their own, whole; no record has them, and pages only lead to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOGS_FOLDER", "LabLog", "lab_logs"]

LOGS_FOLDER: Final = "lab"
"""Of the logs, in the folder of a run."""

_WORDS: Final = {
    "console.log": "what the guest's kernel printed",
    "server.log": "what the server printed",
}


@dataclass(frozen=True, slots=True)
class LabLog:
    """A log: what it is, in words, and where."""

    what: str
    file: Path


def lab_logs(run: Path) -> tuple[LabLog, ...]:
    """The logs that there are, by name.

    Args:
        run: the folder of the run.
    """
    files = sorted((run / LOGS_FOLDER).glob("*.log"))
    return tuple(LabLog(_WORDS.get(file.name, file.name), file) for file in files)
