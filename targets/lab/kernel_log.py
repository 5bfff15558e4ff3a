"""This machine's kernel log, read along: how a client or server that is the kernel tells its death.

Only what is printed from the beginning of the reading on counts.  A machine that does not let us
read its log tells nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from targets.lab.console import Severity, find_faults

__all__ = ["KernelLog"]

_DEVICE: Final = Path("/dev/kmsg")
_RECORD: Final = 8192
"""Octets: the longest record that the kernel hands out."""

_ENDS_A_PROCESS: Final = ("Killed process", ": segfault at ", "] general protection fault")
"""As in `Out of memory: Killed process 99 (server) ...`, whatever group of processes it was for; as
in `server[99]: segfault at 8 ip ...`; as in `traps: server[99] general protection fault ip:...`."""

_DEADLY: Final = (Severity.PANIC, Severity.OOPS)


class KernelLog:
    """Reads along from now on."""

    def __init__(self, device: Path = _DEVICE) -> None:
        self._death: str | None = None
        self._killed = ""
        try:
            self._file = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            self._file = -1
            return
        os.lseek(self._file, 0, os.SEEK_END)

    def death(self) -> str | None:
        """The first line that tells of a panic or an Oops; None while there is none.

        Does not block.
        """
        self._read()
        return self._death

    def killed(self) -> str:
        """The first line by which the kernel says that it ended a process, and why.

        For want of memory, or for the use of what is not there.  Does not block; empty while there
        is none.
        """
        self._read()
        return self._killed

    def close(self) -> None:
        """Read no longer.  Twice is allowed."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _read(self) -> None:
        while record := self._next():
            # The kernel's Documentation/ABI/testing/dev-kmsg: `level,number,time,flags;text`.
            text = record.partition(";")[2].partition("\n")[0]
            if not self._killed and any(words in text for words in _ENDS_A_PROCESS):
                self._killed = text
            faults = [fault for fault in find_faults((text,)) if fault.severity in _DEADLY]
            if faults and self._death is None:
                self._death = f"{faults[0].severity.value} in the kernel: {faults[0].text}"

    def _next(self) -> str:
        """The next record; empty if there is none yet."""
        while self._file >= 0:
            try:
                return os.read(self._file, _RECORD).decode("utf-8", errors="replace")
            except BrokenPipeError:
                continue  # records were overwritten before we came: the next read is after them
            except OSError:
                break
        return ""
