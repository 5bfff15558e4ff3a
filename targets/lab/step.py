"""One step of the guest's setup: a program that either works or tells why, within a deadline."""

from __future__ import annotations

import errno
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Final, Self

from targets.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

__all__ = ["BegunStep", "await_step", "begin_step", "last_words", "run_step", "write_step"]

_DEADLINE_S: Final = 30.0
_LOOK_S: Final = 0.05
_LINES: Final = 5
"""Of what a program says when it fails.  The last line alone can hide the reason: `ip -batch` says
there where it stopped, and in the line before why."""


def run_step(step: str, command: Sequence[str], remedy: str = "", text: str | None = None) -> str:
    """Run a program that must succeed, and return its standard output.

    Args:
        step: what it is for, to a person.
        command: program and arguments.
        remedy: what to do when it fails.
        text: its standard input.

    Raises:
        LabError: it is missing, failed, or did not end in time.
    """
    with begin_step(step, command, remedy) as begun:
        return begun.finish(text or "")


def begin_step(step: str, command: Sequence[str], remedy: str = "") -> BegunStep:
    """As `run_step`, without waiting: for a program that is slow while there is else to do."""
    try:
        program = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    except FileNotFoundError as error:
        raise LabError(step, f"there is no program {command[0]}", remedy) from error
    return BegunStep(step, command, remedy, program)


class BegunStep:
    """A program that must succeed, and may not have ended yet."""

    def __init__(
        self, step: str, command: Sequence[str], remedy: str, program: subprocess.Popen[str]
    ) -> None:
        self._step = step
        self._command = command
        self._remedy = remedy
        self._program = program

    def finish(self, text: str = "") -> str:
        """Give it its standard input, wait for its end, and return its standard output.

        Raises:
            LabError: it failed, or does not end in time.
        """
        try:
            output, errors = self._program.communicate(text, timeout=_DEADLINE_S)
        except subprocess.TimeoutExpired as error:
            cause = f"{' '.join(self._command)} did not end within {_DEADLINE_S:.0f} s"
            raise LabError(self._step, cause, self._remedy) from error
        status = self._program.returncode
        if status != 0:
            said = last_words(errors) or last_words(output)
            cause = f"{self._command[0]} ended with {status}" + (f": {said}" if said else "")
            raise LabError(self._step, cause, self._remedy)
        return output

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Stop it if nobody has waited for its end: something else went wrong."""
        if self._program.returncode is None:
            self._program.kill()
            self._program.communicate()


def last_words(output: str) -> str:
    """The last lines that a program said, as a part of one sentence; empty if it said nothing."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " / ".join(lines[-_LINES:])


def write_step(
    step: str, file: Path, text: str, remedy: str = "", *, may_be_busy: bool = False
) -> None:
    """Write to a file of the kernel's.

    Args:
        step: what it is for, to a person.
        file: the file.
        text: what is written.
        remedy: what to do when it fails.
        may_be_busy: the kernel may refuse it as busy; what follows tells whether that matters.

    Raises:
        LabError: it is missing, or the kernel refused.
    """
    try:
        file.write_text(text, encoding="ascii")
    except OSError as error:
        if may_be_busy and error.errno == errno.EBUSY:
            return
        raise LabError(step, f"{file}: {error.strerror}", remedy) from error


def await_step(step: str, file: Path, text: str, remedy: str = "") -> None:
    """Wait until a file of the kernel's says something.

    Raises:
        LabError: it does not say so in time, or cannot be read.
    """
    deadline = time.monotonic() + _DEADLINE_S
    while time.monotonic() < deadline:
        try:
            found = file.read_text(encoding="ascii").strip()
        except OSError as error:
            raise LabError(step, f"{file}: {error.strerror}", remedy) from error
        if found == text:
            return
        threading.Event().wait(_LOOK_S)
    raise LabError(step, f"{file} says {found!r}, not {text!r}, for {_DEADLINE_S:g} s", remedy)
