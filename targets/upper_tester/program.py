"""A program of the upper tester: started apart from us, stopped with whatever it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING

from targets.base import TargetError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UpperTesterProgram"]


class UpperTesterProgram:
    """A process that is the head of its own group, and what it complains of.

    Attributes:
        process: it.
    """

    def __init__(
        self,
        name: str,
        words: tuple[str, ...],
        environment: Mapping[str, str],
        *,
        takes: int,
        prints: int | IO[bytes],
    ) -> None:
        """Start it.

        Args:
            name: of the entry in the profile, for messages.
            words: program and arguments.
            environment: added to this process's own.
            takes: its standard input, and
            prints: output, as `subprocess` wants them.

        Raises:
            TargetError: it cannot be started.
        """
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as this object)
        try:
            self.process = subprocess.Popen(
                words,
                stdin=takes,
                stdout=prints,
                stderr=self._complaints,
                bufsize=0,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            self._complaints.close()
            raise TargetError(
                f"`{words[0]}` of [acts] {name} cannot be started: {error.strerror or error};"
                " install it or mend the profile"
            ) from error

    @property
    def status(self) -> int | None:
        """Its exit status, a signal's number negative; None while it runs."""
        return self.process.poll()

    def why(self, status: int) -> str:
        """Why it ended with a status: the last line of its standard error, if there is one."""
        self._complaints.seek(0)
        lines = self._complaints.read().decode("utf-8", errors="replace").split("\n")
        how = f"exit status {status}" if status >= 0 else f"ended by signal {-status}"
        return next((line.strip() for line in reversed(lines) if line.strip()), how)

    def kill(self) -> None:
        """Stop it, with everything that it started.  Does not wait."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def await_end(self, seconds: float) -> bool:
        """Wait so long for the process to be gone; returns whether it is."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """Forget what it complains of."""
        self._complaints.close()
