"""A program of the upper tester on this machine: see `targets.upper_tester.place`.

It is started apart from us, and stopped with whatever it has started.  Its output goes to a file,
or to a pipe that is read as far as there is something in it, so that nobody needs to read along.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final

from targets.base import TargetError
from targets.lab.held_here import held_here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.usage import Usage

__all__ = ["UpperTesterProgram"]

_READ: Final = 4096
"""Octets that are fetched at once: more than an answer has."""


class UpperTesterProgram:
    """A process that is the head of its own group, and what it says.

    Attributes:
        process: it.
    """

    def __init__(
        self, name: str, words: tuple[str, ...], environment: Mapping[str, str], *, speaks: bool
    ) -> None:
        """Start it.

        Args:
            name: of the entry in the profile, for messages.
            words: program and arguments.
            environment: added to this process's own.
            speaks: whether it takes and says lines.

        Raises:
            TargetError: it cannot be started.
        """
        # Both live as long as this object.
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        self._output: IO[bytes] | None = None if speaks else tempfile.TemporaryFile()  # noqa: SIM115
        self._said = b""
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE if speaks else subprocess.DEVNULL,
                stdout=subprocess.PIPE if self._output is None else self._output,
                stderr=self._complaints,
                bufsize=0,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            self._close_files()
            raise TargetError(
                f"`{words[0]}` of [acts] {name} cannot be started: {error.strerror or error};"
                " install it or mend the profile"
            ) from error
        if self.process.stdout is not None:
            os.set_blocking(self.process.stdout.fileno(), False)

    @property
    def status(self) -> int | None:
        """Its exit status, a signal's number negative; None while it runs."""
        return self.process.poll()

    def complaints(self) -> str:
        """What it has printed on standard error."""
        self._complaints.seek(0)
        return self._complaints.read().decode("utf-8", errors="replace")

    def output(self) -> bytes:
        """What it has printed."""
        if self._output is None:
            return b""
        self._output.seek(0)
        return self._output.read()

    def tell(self, line: str) -> None:
        """Give it a line."""
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.write(f"{line}\n".encode())

    def answer(self) -> str | None:
        """The next line that it has written, if there is a whole one."""
        if self.process.stdout is None:
            return None
        while b"\n" not in self._said:
            more = self.process.stdout.read(_READ)
            if not more:
                return None
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        return line.decode("utf-8", errors="replace")

    def usage(self) -> Usage | None:
        """What it holds."""
        return held_here(self.process.pid)

    def kill(self) -> None:
        """Stop it, with everything that it started.  Does not wait."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def await_end(self, seconds: float) -> bool:
        """Wait so long for the process to be gone; returns whether it is."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """Let go of its pipes, and forget what it has printed."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._close_files()

    def _close_files(self) -> None:
        for file in (self._complaints, self._output):
            if file is not None:
                file.close()
