"""One life after another, each in a fork of a process that has imported what they need.

A device that is to be as on its first day would have to be started again.  In a virtual machine
without KVM that takes Python six seconds, alone on a processor; a fork takes a tenth of one.

The process is told by lines of its standard input.  One that begins a life is taken by the process
itself; what follows is read by the fork, until it ends.  Then the process says so, and waits for
the next life.  SIGUSR1 ends the present one by force.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from typing import IO, TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["END_OF_LIFE", "Ended", "live"]

END_OF_LIFE: Final = signal.SIGUSR1
"""What ends the present life; to a process between two lives it means nothing."""


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """What is said when a life is over; `status` is that of a process, -n if signal n ended it."""

    status: int


class _Lives:
    """The process from which the lives are forked, and the present one if there is one."""

    def __init__(self) -> None:
        self._child = 0
        signal.signal(END_OF_LIFE, self._kill)
        signal.signal(signal.SIGTERM, self._leave)

    def one(self, life: Callable[[], int]) -> int:
        """Live once; how it ended."""
        # Between the fork and knowing its number no signal must come.
        signal.pthread_sigmask(signal.SIG_BLOCK, {END_OF_LIFE, signal.SIGTERM})
        self._child = os.fork()
        if self._child == 0:
            for number in (END_OF_LIFE, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {END_OF_LIFE, signal.SIGTERM})
        if self._child == 0:
            _live_and_leave(life)
        _, status = os.waitpid(self._child, 0)
        self._child = 0
        return os.waitstatus_to_exitcode(status)

    def _kill(self, _number: int, _frame: FrameType | None) -> None:
        if self._child:
            os.kill(self._child, signal.SIGKILL)

    def _leave(self, number: int, frame: FrameType | None) -> None:
        self._kill(number, frame)
        os._exit(128 + number)


def live(begins: Callable[[bytes], Callable[[], int] | None], orders: int, out: IO[bytes]) -> None:
    """Live as often as is ordered, until the orders end.

    Args:
        begins: what a line has the fork do, whose exit status it returns; None if it begins no
            life, such as what was meant for one that is over.
        orders: descriptor that the lines are read from.
        out: where the end of each life is told.
    """
    lives = _Lives()
    for line in _lines(orders):
        life = begins(line)
        if life is not None:
            out.write(msgspec.json.encode(Ended(lives.one(life))) + b"\n")
            out.flush()


def _live_and_leave(life: Callable[[], int]) -> None:
    """Be the fork; what the process before it would do at its end is not this one's business."""
    status = 1
    try:
        status = life()
    except Exception:  # noqa: BLE001  # the border of a process: nobody above would tell
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _lines(descriptor: int) -> Iterator[bytes]:
    """Lines one by one, and not an octet ahead: what follows may be for the fork."""
    line = b""
    while True:
        select.select([descriptor], [], [])
        try:
            octet = os.read(descriptor, 1)
        except BlockingIOError:  # a fork has made it so, and was the quicker
            continue
        if not octet:
            return
        line += octet
        if octet == b"\n":
            yield line
            line = b""
