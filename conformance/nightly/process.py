"""A stage's process: it cannot cost the night more than its time.

When its time is over it is interrupted, as by Ctrl-C, so that it writes what it has.  Whatever it
has left behind is killed then: guests, fuzzers, and others that have groups of their own.  They are
known by a word in their environment, which all of them have from the stage's process: the place of
its log, so that those of a night that was killed itself are found when it goes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["PATIENCE", "ProcessEnd", "run_process"]

PATIENCE: Final = 45.0
"""Seconds that an interrupted process has for its last files; a guest of the lab has to be ended,
and the reports of a whole run written."""

_MARK: Final = "RPCRDMA_STAGE"
"""Variable by which a stage's processes are known."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process ended.

    Attributes:
        status: its exit status; after a signal, that signal's number as a negative one; None if it
            could not be started.
        overran: its time was over before it had ended.
        killed: it did not end by itself when it was interrupted, either.
        problem: why it could not be started.
    """

    status: int | None
    overran: bool = False
    killed: bool = False
    problem: str = ""


def run_process(
    command: Sequence[str],
    log: Path,
    deadline: float,
    environment: Mapping[str, str],
    patience: float = PATIENCE,
) -> ProcessEnd:
    """Run a command until it ends, or its time is over.

    Args:
        command: program and arguments.
        log: file for all that it prints.
        deadline: seconds that it has.
        environment: variables beside those that there are.
        patience: seconds that it has when it was interrupted.

    Raises:
        KeyboardInterrupt: this process was interrupted; the other one has ended by then.
    """
    mark = str(log.resolve())
    _kill_marked(mark)
    with log.open("wb") as stream:
        try:
            with _interruptible():
                process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **environment, _MARK: mark},
                    start_new_session=True,
                )
        except OSError as error:
            return ProcessEnd(None, problem=f"{command[0]}: {error.strerror}")
        try:
            return ProcessEnd(process.wait(deadline))
        except subprocess.TimeoutExpired:
            killed = _end(process, patience)
            return ProcessEnd(process.returncode, overran=True, killed=killed)
        except KeyboardInterrupt:
            _end(process, patience)
            raise
        finally:
            _kill_marked(mark)
            process.wait()


def _end(process: subprocess.Popen[bytes], patience: float) -> bool:
    """Interrupt a process, then kill it; whether that was necessary."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def _kill_marked(mark: str) -> None:
    """Kill what has the mark in its environment; again, until nothing has: it may be forking."""
    wanted = f"{_MARK}={mark}".encode()
    while marked := [number for number in _processes() if wanted in _environment(number)]:
        for number in marked:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _environment(number: int) -> list[bytes]:
    """Of a process; nothing of one that has ended, or is not ours."""
    try:
        return Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


@contextmanager
def _interruptible() -> Iterator[None]:
    """A child of a process that ignores Ctrl-C, such as one of a script's, would ignore it, too."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
