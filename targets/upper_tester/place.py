"""Where a client is: its programs run there, and its files lie there.

Mostly that is this machine (`targets.upper_tester.local_place`), or else the guest that holds the
client (`targets.standing.place`).  Nothing here ever waits, but for what says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.usage import Usage

__all__ = ["ClientPlace", "Fetched", "PlacedProgram"]


class PlacedProgram(Protocol):
    """A program that runs, or has run, with whatever it starts.

    One that speaks takes lines and answers by lines; of another one the output is kept.
    """

    @property
    def status(self) -> int | None:
        """Its exit status, a signal's number negative; None while it runs.

        Raises:
            TargetError: it turns out that it could not be started.
        """
        ...

    def complaints(self) -> str:
        """What it has printed on standard error, when it has ended."""
        ...

    def output(self) -> bytes:
        """What it has printed on standard output, when it has ended and does not speak."""
        ...

    def tell(self, line: str) -> None:
        """Give it a line; one that has ended takes none."""
        ...

    def answer(self) -> str | None:
        """The next line that it has written, if there is a whole one."""
        ...

    def usage(self) -> Usage | None:
        """What it holds; None if that cannot be told now."""
        ...

    def kill(self) -> None:
        """Stop it, with everything that it started.  Does not wait."""
        ...

    def await_end(self, seconds: float) -> bool:
        """Wait so long for it to be gone; returns whether it is."""
        ...

    def close(self) -> None:
        """Forget it."""
        ...


class Fetched(Protocol):
    """A file on its way to us."""

    @property
    def done(self) -> bool:
        """Whether it has come."""
        ...

    def content(self) -> bytes | None:
        """What it holds, when it has come; None if there was no such file."""
        ...


class ClientPlace(Protocol):
    """A machine, and a folder for the tester's own files on it."""

    @property
    def address(self) -> str:
        """The machine's own address; empty if the tester's is as good."""
        ...

    def start(
        self, name: str, words: tuple[str, ...], environment: Mapping[str, str], *, speaks: bool
    ) -> PlacedProgram:
        """Start a program.

        Args:
            name: of the entry in the profile, for messages.
            words: program and arguments.
            environment: added to that of the machine.
            speaks: whether it takes and says lines.

        Raises:
            TargetError: it cannot be started.
        """
        ...

    def make_folder(self) -> str:
        """A new empty folder."""
        ...

    def store(self, name: str, content: bytes) -> str:
        """The path of a file with something in it; the same for the same name."""
        ...

    def new_file(self) -> str:
        """A path where there is no file yet."""
        ...

    def fetch(self, path: str) -> Fetched:
        """Take a file away from there."""
        ...

    def usage(self) -> Usage | None:
        """What the machine's kernel holds; None if that cannot be told, or not apart from ours."""
        ...

    def alive(self) -> str | None:
        """How the machine died, in a few words; None while it lives as far as can be told."""
        ...

    def close(self) -> None:
        """Take our files away.  Twice is allowed."""
        ...
