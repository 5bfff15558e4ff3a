"""A client on this machine: see `targets.upper_tester.place`."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from targets.lab.held_here import held_here
from targets.lab.kernel_log import KernelLog
from targets.upper_tester.program import UpperTesterProgram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.usage import Usage

__all__ = ["LocalPlace"]


class LocalPlace:
    """This machine."""

    address = ""

    def __init__(self, *, kernel_log: bool = False) -> None:
        """Make a folder for our files.

        Args:
            kernel_log: the client is this machine's kernel, and dies when its log says so.
        """
        self._log = KernelLog() if kernel_log else None
        self._folder = Path(tempfile.mkdtemp(prefix="rpcrdma-client-"))
        self._numbers = itertools.count(1)

    def start(
        self, name: str, words: tuple[str, ...], environment: Mapping[str, str], *, speaks: bool
    ) -> UpperTesterProgram:
        """Start a program here."""
        return UpperTesterProgram(name, words, environment, speaks=speaks)

    def make_folder(self) -> str:
        """A new empty folder."""
        return tempfile.mkdtemp(prefix="mount-", dir=self._folder)

    def store(self, name: str, content: bytes) -> str:
        """The path of a file with something in it."""
        path = self._folder / f"stored-{name}"
        if not path.exists():
            path.write_bytes(content)
        return str(path)

    def new_file(self) -> str:
        """A path where there is no file yet."""
        return str(self._folder / f"file-{next(self._numbers)}")

    def fetch(self, path: str) -> LocalFile:
        """Take a file away."""
        file = Path(path)
        if not file.exists():
            return LocalFile(None)
        content = file.read_bytes()
        file.unlink()
        return LocalFile(content)

    def usage(self) -> Usage | None:
        """What the kernel holds, in the lab's guest alone."""
        return held_here()

    def alive(self) -> str | None:
        """What the kernel's log tells, if the client is the kernel."""
        return None if self._log is None else self._log.death()

    def close(self) -> None:
        """Remove our folder; one in which something is still mounted stays: it is not ours."""
        if self._log is not None:
            self._log.close()
        for entry in (*self._folder.glob("stored-*"), *self._folder.glob("file-*")):
            entry.unlink()
        for folder in (*self._folder.glob("mount-*"), self._folder):
            with contextlib.suppress(OSError):
                folder.rmdir()


class LocalFile:
    """A file that was fetched at once."""

    done = True

    def __init__(self, content: bytes | None) -> None:
        self._content = content

    def content(self) -> bytes | None:
        """What it held."""
        return self._content
