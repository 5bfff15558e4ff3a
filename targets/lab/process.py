"""Runs a program with a deadline, hands on its output line by line, and leaves nothing behind.

The program gets a process group of its own, which is killed as a whole when it is over, whatever
ended it: the program itself, the deadline, an exception of the caller's, Ctrl-C or SIGTERM.
"""

from __future__ import annotations

import math
import os
import selectors
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType

__all__ = ["ProgramEnd", "run_streaming"]

_CHUNK_OCTETS: Final = 65536
_POLL_S: Final = 0.5
"""Between two looks at whether the program ended while a grandchild holds its output open."""

_BACKSTOP_S: Final = 30.0
"""How long past the deadline coreutils' timeout waits: for when this process was killed itself."""


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """How a program ended; `status` is None when the deadline ended it."""

    status: int | None
    seconds: float


def run_streaming(
    command: Sequence[str],
    deadline_s: float,
    on_line: Callable[[str], None],
    error_log: Path,
    environment: Mapping[str, str] | None = None,
    first_line_s: float = math.inf,
    silence_s: float = math.inf,
) -> ProgramEnd:
    """Run `command` to its end or to the deadline.

    Args:
        command: program and arguments.
        deadline_s: after this many seconds the whole process group is killed.
        on_line: is given each line of standard output, without its end, as it comes.
        error_log: file that standard error goes to.
        environment: replaces this process's own.
        first_line_s: a nearer deadline for the first line of output.
        silence_s: a nearer deadline for each later one, from the line before it.

    Raises:
        FileNotFoundError: there is no such program.
    """
    begin = time.monotonic()
    backstop = ["timeout", "--signal=KILL", f"{deadline_s + _BACKSTOP_S:.0f}"]
    with error_log.open("wb") as errors, _termination_raises():
        process = subprocess.Popen(
            [*backstop, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )
        try:
            timely = _stream(process, _Limits(begin, deadline_s, first_line_s, silence_s), on_line)
        finally:
            _kill_group(process)
    return ProgramEnd(process.returncode if timely else None, time.monotonic() - begin)


@dataclass(frozen=True, slots=True)
class _Limits:
    """The deadlines of a run, in seconds; `begin` is by the monotonic clock."""

    begin: float
    whole: float
    first_line: float
    silence: float

    def before_a_line(self) -> float:
        """When a program must have said something."""
        return self.begin + min(self.whole, self.first_line)

    def after_a_line(self) -> float:
        """When a program that has just said something must say more, or be done."""
        return min(self.begin + self.whole, time.monotonic() + self.silence)


def _stream(
    process: subprocess.Popen[bytes], limits: _Limits, on_line: Callable[[str], None]
) -> bool:
    """Hand on lines until the program ends; False if a deadline came first."""
    deadline = limits.before_a_line()
    output = process.stdout
    if output is None:
        raise RuntimeError("the program's output is not a pipe")
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(min(left, _POLL_S)):
                if process.poll() is not None:
                    break
                continue
            octets = os.read(output.fileno(), _CHUNK_OCTETS)
            if not octets:
                break
            *lines, rest = (rest + octets).split(b"\n")
            if lines:
                deadline = limits.after_a_line()
            for line in lines:
                on_line(_text(line))
        if rest:
            on_line(_text(rest))
        return _ended(process, deadline)


def _ended(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # The leader may be gone while others of its group live; its number is not given away until
    # the last of them is gone too.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _close(process.stdout)


def _close(file: IO[bytes] | None) -> None:
    if file is not None:
        file.close()


def _text(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "replace")


@contextmanager
def _termination_raises() -> Iterator[None]:
    """SIGTERM and SIGHUP become SystemExit meanwhile, so that `finally` clauses run.

    Where the caller has them raise something already, they go on doing that.
    """

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    try:
        previous = {
            number: signal.signal(number, leave)
            for number in _ENDING_SIGNALS
            if signal.getsignal(number) is signal.SIG_DFL
        }
    except ValueError:  # not the main thread: signals are not ours to handle there
        yield
        return
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


_ENDING_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
