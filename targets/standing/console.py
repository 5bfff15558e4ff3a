"""A guest's console, read along: how its kernel's death is told.

Unlike the kernel's own log it can be read when the guest is dead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from targets.lab.console import ConsoleFault, Severity, find_faults

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

__all__ = ["ConsoleLog"]

_DEADLY: Final = (Severity.PANIC, Severity.OOPS)


class ConsoleLog:
    """The file that QEMU writes a console to; it need not be there yet.

    Once it was there it can be read on, even if it has been removed: the folder of a guest that
    stays goes when its machine ends.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stream: IO[bytes] | None = None
        self._read = 0
        self._lines: list[str] = []
        self._faults: list[ConsoleFault] = []

    def faults(self) -> tuple[ConsoleFault, ...]:
        """What the kernel has complained of so far."""
        self._read_on()
        return tuple(self._faults)

    def text(self) -> str:
        """Everything that was printed so far, in whole lines."""
        self._read_on()
        return "".join(f"{line}\n" for line in self._lines)

    def death(self) -> str | None:
        """The first line that tells of a panic or an Oops; None while there is none."""
        for fault in self.faults():
            if fault.severity in _DEADLY:
                return f"{fault.severity.value} in the kernel: {fault.text}"
        return None

    def close(self) -> None:
        """Let go of the file; what was read is kept.  Twice is allowed."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _read_on(self) -> None:
        if self._stream is None:
            if not self._file.exists():
                return
            self._stream = self._file.open("rb")
        self._stream.seek(self._read)
        whole, end, _rest = self._stream.read().rpartition(b"\n")
        self._read += len(whole) + len(end)
        fresh = (whole + end).decode("utf-8", "replace").splitlines()
        self._faults += [
            ConsoleFault(fault.severity, fault.line + len(self._lines), fault.text)
            for fault in find_faults(fresh)
        ]
        self._lines += fresh
