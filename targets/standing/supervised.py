"""Starts a program that ends with this process, however this process ends.

A shell stands between the two.  Its standard input is a pipe whose other end is here: when that is
closed, by us or by the kernel because this process was killed, the shell kills the program and
removes its folder, unless it was told to let the program stay.  The program has the only other end
of a second pipe, so that its end is seen.
"""

from __future__ import annotations

import os
import select
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Supervised"]

_SHELL: Final = """
folder=$1; shift
"$@" &
program=$!
exec >&-
read -r word seconds
if [ "$word" = stay ]; then
    { sleep "$seconds"; kill -KILL $program; } &
    wait $program
fi
kill -KILL $program 2>/dev/null
wait $program
rm -rf "$folder"
kill -KILL 0
"""
"""The last line ends the whole group: whatever still sleeps, and the shell itself."""

_END_S: Final = 10.0
"""Seconds in which a program that was killed must be gone."""


class Supervised:
    """A program with a folder that goes with it."""

    def __init__(self, command: Sequence[str], folder: Path, complaints: Path) -> None:
        """Start it.

        Args:
            command: program and arguments.
            folder: removed after its end.
            complaints: file for its standard error.

        Raises:
            OSError: there is no shell, or the file cannot be written.
        """
        self._alive, end = os.pipe()
        with complaints.open("wb") as errors:
            try:
                self._shell = subprocess.Popen(
                    ["sh", "-c", _SHELL, "supervised", str(folder), *command],
                    stdin=subprocess.PIPE,
                    stdout=end,
                    stderr=errors,
                    start_new_session=True,
                )
            finally:
                os.close(end)

    def has_ended(self) -> bool:
        """Whether the program has ended by itself, or was let go of."""
        return self._alive < 0 or bool(select.select([self._alive], [], [], 0)[0])

    def let_stay(self, seconds: float) -> None:
        """Have it outlive this process, for so long at most."""
        if self._shell.stdin is not None and not self._shell.stdin.closed:
            self._shell.stdin.write(f"stay {seconds:.0f}\n".encode())
            self._let_go()
            # Nobody waits for the shell any more; without this Python warns that it still runs.
            self._shell.returncode = 0

    def close(self) -> None:
        """End it, and wait until nothing is left.  Twice is allowed."""
        if self._shell.stdin is None or self._shell.stdin.closed:
            return
        self._let_go()
        self._shell.wait(_END_S)

    def _let_go(self) -> None:
        if self._shell.stdin is not None:
            self._shell.stdin.close()
        os.close(self._alive)
        self._alive = -1
