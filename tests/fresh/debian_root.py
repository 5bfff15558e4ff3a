"""A minimal Debian in a folder, in which commands run as on a machine of their own.

Each command gets name spaces of its own for mounts and processes: /proc, /sys and /dev are mounted
only there, so that whatever ends it, a kill included, takes mounts and daemons along.  What is left
is a folder of files.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.process import run_streaming
from tests.fresh.errors import NotHere, StepFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["DebianRoot", "below", "emptied", "home_of", "must_be_possible"]

_ALONE: Final = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
_ENTER: Final = """
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
if [ -d "$1/sys/class/infiniband" ]; then mount -t tmpfs none "$1/sys/class/infiniband"; fi
exec chroot --userspec="$2" --groups= "$1" bash -ec "exec 2>&1; $3"
"""

"""Its arguments are the root's folder, `USER:` (with the group of that name), and a script.  An
RDMA device of this machine is hidden: the suite would use it instead of the lab."""

_ENDING_S: Final = 30.0
"""In which the processes of a command that was killed have ended, and write no file any more."""

_LOOK_S: Final = 0.2

_USER_S: Final = 60.0
"""More than it takes to make a user."""

_NO_DAEMONS: Final = "#!/bin/sh\nexit 101\n"
"""invoke-rc.d's policy: 101 forbids.  A daemon would serve this machine's network and kernel."""


@dataclass(frozen=True, slots=True)
class DebianRoot:
    """The folder, and how commands in it are shown.

    Attributes:
        folder: its root.
        environment: of each command, and no other variables.
        show: is given each line that a command prints.
    """

    folder: Path
    environment: Mapping[str, str]
    show: Callable[[str], None]

    def make(self, suite: str, sources: Path, settings: Path, deadline_s: float) -> None:
        """Make it of nothing but Debian's required packages and apt.

        Args:
            suite: Debian's name of the release.
            sources: a sources.list.
            settings: an apt.conf.
            deadline_s: seconds that it may take.

        Raises:
            StepFailed: mmdebstrap failed.
        """
        command = ["mmdebstrap", "--mode=root", "--variant=minbase", f"--aptopt={settings}"]
        command += [suite, str(self.folder), str(sources)]
        # What mmdebstrap mounts must end with it as well.
        words = (*_ALONE, "--mount-proc", "sh", "-c", 'exec "$@" 2>&1', "sh", *command)
        if self._run(words, deadline_s, dict(os.environ))[0] != 0:
            raise StepFailed("mmdebstrap made no root")
        self.write("/usr/sbin/policy-rc.d", _NO_DAEMONS.encode(), mode=0o755)

    def write(self, place: str, content: bytes, mode: int = 0o644) -> None:
        """Put a file into it; `place` is its path there."""
        file = self.folder / place.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)

    def read(self, place: str) -> bytes:
        """The content of a file in it."""
        return (self.folder / place.lstrip("/")).read_bytes()

    def run(self, script: str, deadline_s: float, user: str = "root") -> tuple[int, str]:
        """Run a shell script in it; its exit status, and what it printed.

        Args:
            script: what to run.
            deadline_s: seconds that it may take.
            user: who runs it, with no group but their own.

        Raises:
            StepFailed: it did not end in time.
        """
        words = (*_ALONE, "sh", "-euc", _ENTER, "sh", str(self.folder), f"{user}:", script)
        return self._run(words, deadline_s, {**self.environment, "HOME": home_of(user)})

    def add_user(self, user: str) -> None:
        """Have an ordinary user.

        Raises:
            StepFailed: that is not possible.
        """
        status, said = self.run(f"useradd --create-home {user}", _USER_S)
        if status != 0:
            raise StepFailed(f"there is no user {user}: {said}")

    def _run(
        self, words: tuple[str, ...], deadline_s: float, environment: Mapping[str, str]
    ) -> tuple[int, str]:
        lines: list[str] = []

        def on_line(line: str) -> None:
            lines.append(line)
            self.show(line)

        errors = self.folder.with_name("errors.log")
        ended = run_streaming(words, deadline_s, on_line, errors, environment)
        if told := errors.read_text(encoding="utf-8", errors="replace").strip():
            self.show(told)  # of unshare and mount: what runs inside speaks on standard output
        if ended.status is None:
            raise StepFailed(f"it did not end within {deadline_s:.0f} s")
        return ended.status, "\n".join(lines)


def home_of(user: str) -> str:
    """The home of a user, in Debian's places."""
    return "/root" if user == "root" else f"/home/{user}"


@contextmanager
def emptied(folder: Path) -> Iterator[Path]:
    """A path at which there is nothing, before and after, whatever a run that was killed left.

    Raises:
        NotHere: something is mounted below it, and would be emptied with it.
    """
    _remove(folder)
    try:
        yield folder
    finally:
        _remove(folder)


def below(folder: Path, mounts: str) -> list[str]:
    """The mount points at or below `folder`, from the lines of /proc/self/mountinfo (proc(5))."""
    points = (line.split()[4] for line in mounts.splitlines())
    return [point for point in points if Path(point).is_relative_to(folder)]


def must_be_possible(user: int, find: Callable[[str], str | None] = shutil.which) -> None:
    """See that roots can be made here.

    Args:
        user: number of the one that runs this.
        find: where a program is, or None.

    Raises:
        NotHere: they cannot.
    """
    if user != 0:
        raise NotHere("only root may make a root and mount /proc, /sys and /dev in it: run as root")
    for program, package in (("mmdebstrap", "mmdebstrap"), ("git", "git")):
        if find(program) is None:
            raise NotHere(f"{program} is missing: apt-get install {package}")


def _remove(folder: Path) -> None:
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    if found := below(folder.resolve(), mounts):
        raise NotHere(f"{found[0]} is mounted, and {folder} is to be emptied: unmount it first")
    deadline = time.monotonic() + _ENDING_S
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except OSError:
            if time.monotonic() > deadline:
                raise
            threading.Event().wait(_LOOK_S)
