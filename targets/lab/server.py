"""A server that a profile starts inside the lab, instead of the kernel's, watched from there.

    with running_server(setup.server, job / SERVER_LOG) as server:
        server.alive()    # "", or "it was ended by SIGSEGV; ..."
        server.restart()

It counts as ready when a connection manager's listener with its port appears, which is the one
sign that every RDMA server gives in a guest; elsewhere there may be another (`Sign`).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.endings import said_last, words_of_end
from targets.lab.errors import LabError
from targets.lab.held import held
from targets.lab.kernel_log import KernelLog
from targets.lab.setup import LabServer, ServerKind
from targets.lab.step import last_words, run_step
from targets.usage import stat_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from targets.usage import Usage

__all__ = [
    "Sign",
    "StartedServer",
    "is_listening",
    "is_running",
    "listener_of",
    "running_server",
]

_LOOK_S: Final = 0.2
_STOP_S: Final = 5.0

_EXITING: Final = 0x4
"""PF_EXITING of a task's flags."""


@dataclass(frozen=True, slots=True)
class Sign:
    """By what a server is known to be ready.

    Attributes:
        look: looks for it, and returns the process that listens, 0 if it does not tell which; None
            while there is nothing.
        lack: what to say where it does not come.
        output: where the server's output is, for whoever wants to know why.
        key: of the profile that says how long it may take.
    """

    look: Callable[[], int | None]
    lack: str
    output: str
    key: str


class StartedServer:
    """The profile's server as a process of ours, with all that it starts.

    Args:
        server: command, port, and how long it may take until it is ready.
        log: where its output goes; of each life, after that of the one before.
        sign: that it is ready; a listener with its port if None.
    """

    def __init__(self, server: LabServer, log: Path, sign: Sign | None = None) -> None:
        self._server = server
        self._log = log
        self._step = f"starting {server.command[0]}"
        self._sign = sign or _listener_sign(self._step, server.port, log)
        self._process: subprocess.Popen[bytes] | None = None
        self._began_at = self._listener = 0
        self._end = ""
        self._kernel: KernelLog | None = None

    def start(self) -> None:
        """Start it, and wait until it is ready.

        Raises:
            LabError: it does not start, ends at once, or is not ready in time.
        """
        self._kernel, self._end = KernelLog(), ""
        # Appending: a server that opens /dev/stdout anew has a position of its own there.
        with self._log.open("ab") as output:
            self._began_at = output.tell()
            try:
                self._process = subprocess.Popen(
                    self._server.command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                cause = error.strerror or str(error)
                raise LabError(self._step, cause, "look at the profile") from error
        try:
            self._wait_until_ready(self._process)
        except LabError as error:
            self.stop()
            self._end = str(error)
            raise

    def alive(self) -> str:
        """How it ended, with its last words; empty while it runs."""
        if self._process is None:
            return self._end
        is_gone = not is_running(self.process)
        try:
            # How a process of many threads ended is not known before the last of them has.
            ends_now = is_gone and self.process == self._process.pid
            status = self._process.wait(_STOP_S if ends_now else 0.0)
        except subprocess.TimeoutExpired:
            # What a profile starts may be a script, which goes on when the server has ended.
            return f"the process that listened is gone{self._more()}" if is_gone else ""
        return f"the server {words_of_end(status)}{self._more()}"

    @property
    def process(self) -> int:
        """The process that listens, or else the one that was started; 0 if there is none."""
        return self._listener or (self._process.pid if self._process else 0)

    def usage(self) -> Usage:
        """What it holds, with all of its group, and the kernel."""
        return held(self.process)

    def restart(self) -> None:
        """End what there is of it, and start it anew; raises as `start`."""
        self.stop()
        self.start()

    def stop(self) -> None:
        """End it, and what it has started.  Twice is allowed."""
        process, self._process = self._process, None
        self._listener = 0
        if self._kernel is not None:
            self._kernel.close()
        if process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(_STOP_S)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        process.wait()

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        sign, seconds = self._sign, self._server.ready_s
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if (found := sign.look()) is not None:
                self._listener = found
                return
            try:
                status = process.wait(_LOOK_S)
            except subprocess.TimeoutExpired:
                continue
            cause = f"it {words_of_end(status)} before it listened{self._more()}"
            raise LabError(self._step, cause, sign.output)
        slow = f"{sign.output}; {sign.key} says how long it may take"
        raise LabError(self._step, f"{sign.lack} after {seconds:.0f} s{self._more()}", slow)

    def _more(self) -> str:
        """What the kernel says of its end, and what it has said itself."""
        killed = "" if self._kernel is None else self._kernel.killed()
        by_kernel = f"; the kernel says: {killed}" if killed else ""
        said = last_words(self._log.read_bytes()[self._began_at :].decode("utf-8", "replace"))
        return by_kernel + said_last(said)


@contextmanager
def running_server(server: LabServer, log: Path) -> Iterator[StartedServer | None]:
    """Run the profile's server meanwhile; None for the kernel's, with which there is nothing to do.

    Raises:
        LabError: it does not start, ends at once, or does not listen in time.
    """
    if server.kind is not ServerKind.COMMAND:
        yield None
        return
    started = StartedServer(server, log)
    started.start()
    try:
        yield started
    finally:
        started.stop()


def _listener_sign(step: str, port: int, log: Path) -> Sign:
    def look() -> int | None:
        listing = run_step(step, ["rdma", "resource", "show", "cm_id"], "install iproute2")
        return listener_of(listing, port) if is_listening(listing, port) else None

    lack = f"nothing listens on RDMA port {port}"
    return Sign(look, lack, f"its output is in {log.name}", "`ready` of [lab]")


def is_listening(listing: str, port: int) -> bool:
    """Whether `rdma resource show cm_id` lists a listener on `port`."""
    return bool(_listeners(listing, port))


def listener_of(listing: str, port: int) -> int:
    """The process that listens on `port`; 0 if that is the kernel itself, or nobody."""
    found = (re.search(r"\bpid (\d+)", line) for line in _listeners(listing, port))
    return next((int(one[1]) for one in found if one), 0)


def _listeners(listing: str, port: int) -> list[str]:
    lines = (line for line in listing.splitlines() if "state LISTEN" in line)
    return [line for line in lines if re.search(rf"src-addr \S+:{port}\b", line)]


def is_running(process: int, root: Path = Path("/proc")) -> bool:
    """Whether there is such a process, and it does not end already.

    A process that is killed drops its connections while it ends, which takes the kernel long for
    one that has RDMA objects; only then can its parent ask how it ended.

    Args:
        process: its number.
        root: where the kernel shows processes: proc(5), /proc/PID/stat, the third field and the
            ninth, whose bits are in the kernel's include/linux/sched.h.
    """
    fields = stat_fields(root / str(process))
    return bool(fields) and fields[0] not in "ZX" and not int(fields[6]) & _EXITING
