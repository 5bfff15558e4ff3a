"""The tester's end of the agent's port: requests, answers, and what programs in the guest say.

Nothing here runs by itself: `pump` takes in what has come, and whoever waits for an answer can do
other things meanwhile, such as answering the guest's packets.
"""

from __future__ import annotations

import itertools
import select
import socket
import time
from typing import TYPE_CHECKING, Any, Final

from targets.lab.errors import LabError
from targets.standing.lines import LineSplitter, as_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from targets.standing.lines import Said

__all__ = ["AgentClient", "Pending"]

_STEP: Final = "asking the guest"
_ENDED: Final = "the guest has ended"
_CHUNK: Final = 1 << 20
_SLICE_S: Final = 0.002
"""Between two turns of whoever has something to do meanwhile."""


class Pending:
    """A request that may not have been answered yet."""

    def __init__(self, client: AgentClient, word: str) -> None:
        self._client = client
        self._word = word
        self._answer: Said | None = None

    @property
    def done(self) -> bool:
        """Whether there is an answer; takes in what has come."""
        if self._answer is None:
            self._client.pump()
        return self._answer is not None

    def answered(self, answer: Said) -> None:
        """Take the answer."""
        self._answer = answer

    def result(self) -> Any:  # noqa: ANN401  (the client's methods know what each answer is)
        """What was answered.

        Raises:
            LabError: the guest could not do it.
        """
        if self._answer is None:
            raise LabError(_STEP, f"`{self._word}` has not been answered yet")
        if "error" in self._answer:
            raise LabError(*self._answer["error"])
        return self._answer["ok"]


class AgentClient:
    """A connection to the agent of one guest.

    Attributes:
        meanwhile: called again and again while an answer is waited for.
        numbers: of programs and folders; none is given twice.
    """

    def __init__(self, stream: socket.socket) -> None:
        self.meanwhile: Callable[[], None] | None = None
        self._stream = stream
        self._stream.settimeout(0)  # nothing here blocks
        self._lines = LineSplitter()
        self.numbers = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        self._listeners: dict[tuple[str, int], Callable[[Said], None]] = {}
        self._lost = ""

    @classmethod
    def connect(cls, path: Path) -> AgentClient:
        """Reach the agent of a guest that has been started.

        Raises:
            OSError: nobody listens there.
        """
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            stream.connect(str(path))
        except OSError:
            stream.close()
            raise
        return cls(stream)

    @property
    def lost(self) -> str:
        """Why the agent cannot be reached any more; empty while it can."""
        return self._lost

    def begin(self, word: str, /, **arguments: object) -> Pending:
        """Ask for something, and do not wait."""
        pending = Pending(self, word)
        number = next(self.numbers)
        self._pending[number] = pending
        self._send(as_line({"id": number, "do": word, **arguments}))
        return pending

    def ask(self, word: str, seconds: float, /, **arguments: object) -> Any:  # noqa: ANN401
        """Ask for something, and wait for the answer.

        Args:
            word: what for.
            seconds: how long it may take.
            arguments: of the request.

        Raises:
            LabError: the guest cannot do it, does not answer in time, or has ended.
        """
        pending = self.begin(word, **arguments)
        end = time.monotonic() + seconds
        while not pending.done:
            if self._lost:
                raise LabError(_STEP, self._lost)
            if time.monotonic() >= end:
                raise LabError(_STEP, f"`{word}` is not answered within {seconds:g} s")
            self.wait(end - time.monotonic())
        return pending.result()

    def listen(self, event: str, number: int, heard: Callable[[Said], None]) -> None:
        """Have events of a program or stream handed over; number 0 is any without a listener."""
        self._listeners[event, number] = heard

    def forget(self, event: str, number: int) -> None:
        """Hand them over no longer."""
        self._listeners.pop((event, number), None)

    def pump(self) -> None:
        """Take in what has come, without waiting."""
        while not self._lost:
            try:
                octets = self._stream.recv(_CHUNK)
            except BlockingIOError:
                return
            except OSError:
                octets = b""
            if not octets:
                self._lost = _ENDED
                return
            try:
                for said in self._lines.feed(octets):
                    self._take(said)
            except ValueError:
                self._lost = "the agent says what it should not: no JSON object"

    def wait(self, seconds: float) -> None:
        """Return when something has come, at the latest after so long."""
        if self.meanwhile is not None:
            self.meanwhile()
            seconds = min(seconds, _SLICE_S)
        if not self._lost:
            select.select([self._stream], [], [], max(0.0, seconds))

    def close(self) -> None:
        """Let go of the agent; a guest that does not stay ends.  Twice is allowed."""
        self._stream.close()
        self._lost = self._lost or "the guest was let go of"

    def _take(self, said: Said) -> None:
        if "id" in said:
            pending = self._pending.pop(said["id"], None)
            if pending is not None:
                pending.answered(said)
            return
        event, number = said["event"], said.get("program", said.get("stream", 0))
        for key in ((event, number), (event, 0)):
            if key in self._listeners:
                self._listeners[key](said)
                return

    def _send(self, octets: bytes) -> None:
        left = memoryview(octets)
        while left and not self._lost:
            try:
                left = left[self._stream.send(left) :]
            except BlockingIOError:
                self.pump()  # the agent may wait for us to take what it has said
                select.select([self._stream], [self._stream], [])
            except OSError:
                self._lost = _ENDED
