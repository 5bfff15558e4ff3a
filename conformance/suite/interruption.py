"""How a run is ended from outside: Ctrl-C, SIGTERM of a CI's time limit, SIGHUP of a terminal.

Each of them becomes the exception that Ctrl-C is, so that whatever was begun is closed, the records
get their end and the reports are written.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from reports.record import STOPPED, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator
    from types import FrameType

    from reports.record import CaseRecord
    from reports.stream import RunWriter

__all__ = [
    "INTERRUPTED",
    "FirstFailure",
    "Interrupted",
    "finish",
    "reason_of",
    "signal_of",
    "signals_interrupt",
    "stop_at_first",
]

INTERRUPTED: Final = "interrupted"
"""How the reason of a run begins that was ended from outside."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal asks the process to end.

    Attributes:
        name: of the signal, `SIGTERM`.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class FirstFailure(KeyboardInterrupt):
    """A case has failed, and no more are wanted after that."""


def stop_at_first(listed: Container[str]) -> Callable[[CaseRecord], None]:
    """What ends a run at the first case that fails; `listed` ones, which a baseline has, do not."""

    def judged(case: CaseRecord) -> None:
        if case.verdict in (Verdict.FAIL, Verdict.ERROR) and case.id not in listed:
            raise FirstFailure

    return judged


def signal_of(error: BaseException) -> str:
    """The name of the signal that an interruption comes from; empty if it comes from none."""
    if isinstance(error, Interrupted):
        return error.name
    return "SIGINT" if type(error) is KeyboardInterrupt else ""


def reason_of(error: BaseException) -> str:
    """Why a run ended early, for its footer."""
    if isinstance(error, FirstFailure):
        return STOPPED
    name = signal_of(error)
    return f"{INTERRUPTED} by {name}" if name else INTERRUPTED


def finish(
    writer: RunWriter,
    duration: float,
    interruption: KeyboardInterrupt | None,
    refused: str,
    notes: tuple[str, ...] = (),
) -> None:
    """Write the last line of a run.

    Args:
        writer: of its records.
        duration: seconds.
        interruption: what ended it from outside.
        refused: why it had stopped judging by itself; empty if it had not.
        notes: what the run as a whole tells.
    """
    reason, signal_name = refused, ""
    if interruption is not None:
        reason, signal_name = reason_of(interruption), signal_of(interruption)
    writer.finish(duration, reason=reason, signal=signal_name, notes=notes)


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Have SIGTERM and SIGHUP raise `Interrupted` herein, once: reports are written after that.

    A signal that is ignored, as under `nohup`, stays ignored.
    """
    taken = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _interrupt) for number in taken}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    for one in _SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    if number == signal.SIGHUP:
        _leave_terminal()
    raise Interrupted(signal.Signals(number).name)


def _leave_terminal() -> None:
    """Nobody reads a terminal that is gone, and writing to it fails."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.isatty():
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
