"""Programs that the agent runs for the tester: what they print goes to it as events.

`said` has a line of a program that is told what to do by lines; `ended` has the exit status, what
a program printed on standard output (if it does not speak by lines), and the last line of its
standard error.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final

from targets.standing.lines import as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from targets.standing.lines import Said

__all__ = ["GuestPrograms"]

_LAST_LINES: Final = 0.5
"""Seconds in which what a program said before its end must have been read."""


class GuestPrograms:
    """The programs that have been started and have not ended, by the tester's numbers."""

    def __init__(self, tell: Callable[[Said], None], environment: Mapping[str, str]) -> None:
        self._tell = tell
        self._environment = environment
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def start(
        self, number: int, words: Sequence[str], environment: Mapping[str, str], *, speaks: bool
    ) -> None:
        """Start a program as the head of a group of its own.

        Args:
            number: what the tester calls it.
            words: program and arguments.
            environment: added to the agent's own.
            speaks: it takes and says lines.

        Raises:
            OSError: it cannot be started.
        """
        complaints = os.fdopen(os.memfd_create("complaints"), "w+b")
        output = None if speaks else os.fdopen(os.memfd_create("output"), "w+b")
        try:
            process = subprocess.Popen(
                list(words),
                stdin=subprocess.PIPE if speaks else subprocess.DEVNULL,
                stdout=subprocess.PIPE if output is None else output,
                stderr=complaints,
                bufsize=0,
                env={**os.environ, **self._environment, **environment},
                start_new_session=True,
            )
        except OSError:
            for file in filter(None, (complaints, output)):
                file.close()
            raise
        self._running[number] = process
        pump = threading.Thread(target=self._pump, args=(number, process.stdout), daemon=True)
        pump.start()
        waits = (number, process, pump, output, complaints)
        threading.Thread(target=self._await_end, args=waits, daemon=True).start()

    def tell(self, number: int, line: str) -> None:
        """Give a program a line; one that has ended takes none."""
        process = self._running.get(number)
        if process is not None and process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.write(line.encode() + b"\n")

    def process(self, number: int) -> int:
        """The process that a program is; 0 if it has ended."""
        running = self._running.get(number)
        return 0 if running is None else running.pid

    def kill(self, number: int) -> None:
        """Stop a program with whatever it has started.  Does not wait."""
        process = self._running.get(number)
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """Stop all of them."""
        for number in tuple(self._running):
            self.kill(number)

    def _pump(self, number: int, lines: IO[bytes] | None) -> None:
        if lines is None:
            return
        rest = b""
        with lines:
            while octets := lines.read(1 << 16):
                *whole, rest = (rest + octets).split(b"\n")
                for line in whole:
                    text = line.decode("utf-8", "replace")
                    self._tell({"event": "said", "program": number, "line": text})

    def _await_end(
        self,
        number: int,
        process: subprocess.Popen[bytes],
        pump: threading.Thread,
        output: IO[bytes] | None,
        complaints: IO[bytes],
    ) -> None:
        status = process.wait()
        # What it started may hold its output open for longer.
        pump.join(_LAST_LINES)
        del self._running[number]
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
        said: Said = {"event": "ended", "program": number, "status": status}
        said["complaints"] = _content(complaints).decode("utf-8", "replace")
        if output is not None:
            said["output"] = as_text(_content(output))
        self._tell(said)


def _content(file: IO[bytes]) -> bytes:
    with file:
        file.seek(0)
        return file.read()
