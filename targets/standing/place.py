"""A client in a standing guest: where it is, as `targets.upper_tester.place` has it.

The guest has the host's files at the host's paths, so that a profile's commands are the same in
either way; what is written there lies in the guest's memory.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Final

from targets.base import TargetError
from targets.lab.errors import LabError
from targets.standing.guest_agent import GuestAgent
from targets.standing.lines import as_octets, as_text
from targets.standing.setup import ACTS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.standing.agent_client import AgentClient, Pending
    from targets.standing.guest import StandingGuest
    from targets.standing.lines import Said
    from targets.usage import Usage

__all__ = ["GuestFile", "GuestPlace", "GuestProgram"]

_SLICE_S: Final = 0.02
_FETCH_S: Final = 1.0


class GuestPlace:
    """A guest.

    Attributes:
        address: the guest's own.
    """

    def __init__(self, guest: StandingGuest, address: str) -> None:
        """Take a guest that is set up.

        Args:
            guest: it.
            address: its own.
        """
        self.address = address
        self._guest = guest
        self._client = guest.agent.client
        self._folder = f"{ACTS_FOLDER}/{next(self._client.numbers)}"
        self._numbers = itertools.count(1)
        self._client.begin("make-folder", path=self._folder)
        self._stored: dict[str, str] = {}

    def start(
        self, name: str, words: tuple[str, ...], environment: Mapping[str, str], *, speaks: bool
    ) -> GuestProgram:
        """Start a program in the guest; whether that worked is told later, by its status."""
        return GuestProgram(self._client, name, words, environment, speaks=speaks)

    def make_folder(self) -> str:
        """A new empty folder."""
        path = f"{self._folder}/mount-{next(self._numbers)}"
        self._client.begin("make-folder", path=path)
        return path

    def store(self, name: str, content: bytes) -> str:
        """The path of a file with something in it."""
        if name not in self._stored:
            path = f"{self._folder}/stored-{name}"
            self._client.begin("put", path=path, octets=as_text(content))
            self._stored[name] = path
        return self._stored[name]

    def new_file(self) -> str:
        """A path where there is no file yet."""
        return f"{self._folder}/file-{next(self._numbers)}"

    def fetch(self, path: str) -> GuestFile:
        """Take a file away from there.

        Waits for it, some milliseconds: an act that has ended is over when it is looked at first,
        as one on this machine is.
        """
        pending = self._client.begin("take", path=path)
        end = time.monotonic() + _FETCH_S
        while not pending.done and not self._client.lost and time.monotonic() < end:
            self._client.wait(min(_SLICE_S, end - time.monotonic()))
        return GuestFile(pending)

    def usage(self) -> Usage | None:
        """What the guest's kernel holds."""
        return _usage(self._client)

    def alive(self) -> str | None:
        """How the guest died."""
        return self._guest.alive()

    def close(self) -> None:
        """Nothing: the agent takes the tester's files away when that goes."""


class GuestProgram:
    """A program in the guest, and what it has said so far."""

    def __init__(
        self,
        client: AgentClient,
        name: str,
        words: tuple[str, ...],
        environment: Mapping[str, str],
        *,
        speaks: bool,
    ) -> None:
        """Have it started; see `GuestPlace.start`."""
        self._client = client
        self._name = name
        self._program = words[0]
        self._number = next(client.numbers)
        self._lines: list[str] = []
        self._ended: Said | None = None
        client.listen("said", self._number, self._said)
        client.listen("ended", self._number, self._has_ended)
        self._started = client.begin(
            "start",
            program=self._number,
            words=list(words),
            environment=dict(environment),
            speaks=speaks,
        )

    @property
    def status(self) -> int | None:
        """Its exit status.

        Raises:
            TargetError: it could not be started, or the guest has ended.
        """
        self._client.pump()
        if self._ended is not None:
            status: int = self._ended["status"]
            return status
        if self._started.done:
            try:
                self._started.result()
            except LabError as error:
                raise TargetError(
                    f"`{self._program}` of [acts] {self._name} cannot be started in the guest:"
                    f" {error.cause}; install it here or mend the profile"
                ) from error
        elif self._client.lost:
            raise TargetError(f"[acts] {self._name}: {self._client.lost}")
        return None

    def complaints(self) -> str:
        """What it has printed on standard error."""
        return "" if self._ended is None else str(self._ended["complaints"])

    def output(self) -> bytes:
        """What it has printed."""
        return b"" if self._ended is None else as_octets(self._ended.get("output", ""))

    def tell(self, line: str) -> None:
        """Give it a line."""
        self._client.begin("tell", number=self._number, line=line)

    def answer(self) -> str | None:
        """The next line that it has written."""
        self._client.pump()
        return self._lines.pop(0) if self._lines else None

    def usage(self) -> Usage | None:
        """What it holds, and the guest's kernel."""
        return _usage(self._client, self._number)

    def kill(self) -> None:
        """Stop it, with everything that it started.  Does not wait."""
        if self._ended is None:
            self._client.begin("kill", number=self._number)

    def await_end(self, seconds: float) -> bool:
        """Wait so long for it to be gone; returns whether it is."""
        end = time.monotonic() + seconds
        while self._ended is None and not self._client.lost and time.monotonic() < end:
            self._client.wait(min(_SLICE_S, end - time.monotonic()))
            self._client.pump()
        return self._ended is not None or bool(self._client.lost)

    def close(self) -> None:
        """Hear of it no longer."""
        self._client.forget("said", self._number)
        self._client.forget("ended", self._number)

    def _said(self, said: Said) -> None:
        self._lines.append(said["line"])

    def _has_ended(self, said: Said) -> None:
        self._ended = said


class GuestFile:
    """A file of the guest's on its way to us."""

    def __init__(self, pending: Pending) -> None:
        self._pending = pending

    @property
    def done(self) -> bool:
        """Whether it has come."""
        return self._pending.done

    def content(self) -> bytes | None:
        """What it holds; None if there was no such file.

        Raises:
            TargetError: it cannot be read.
        """
        try:
            octets = self._pending.result()
        except LabError as error:
            raise TargetError(f"what was fetched cannot be read: {error.cause}") from error
        return None if octets is None else as_octets(octets)


def _usage(client: AgentClient, program: int = 0) -> Usage | None:
    try:
        return GuestAgent(client).usage(program)
    except LabError:
        return None
