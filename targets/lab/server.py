"""A server that a profile starts inside the lab, instead of the kernel's.

It counts as ready when a connection manager's listener with its port appears, which is the one
sign that every RDMA server gives.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.setup import LabServer, ServerKind
from targets.lab.step import last_words, run_step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["is_listening", "running_server"]

_LOOK_S: Final = 0.2
_STOP_S: Final = 5.0


@contextmanager
def running_server(server: LabServer, log: Path) -> Iterator[None]:
    """Run the profile's server meanwhile; nothing to do for the kernel's.

    Args:
        server: command, port, and how long it may take until it listens.
        log: where its output goes.

    Raises:
        LabError: it does not start, ends at once, or does not listen in time.
    """
    if server.kind is not ServerKind.COMMAND:
        yield
        return
    step = f"starting {server.command[0]}"
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                server.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise LabError(step, error.strerror or str(error), "look at the profile") from error
        try:
            _wait_until_ready(process, server, step, log)
            yield
        finally:
            _stop(process)


def is_listening(listing: str, port: int) -> bool:
    """Whether `rdma resource show cm_id` lists a listener on `port`."""
    lines = (line for line in listing.splitlines() if "state LISTEN" in line)
    return any(re.search(rf"src-addr \S+:{port}\b", line) for line in lines)


def _wait_until_ready(
    process: subprocess.Popen[bytes], server: LabServer, step: str, log: Path
) -> None:
    deadline = time.monotonic() + server.ready_s
    remedy = f"its output is in {log.name}"
    while time.monotonic() < deadline:
        listing = run_step(step, ["rdma", "resource", "show", "cm_id"], "install iproute2")
        if is_listening(listing, server.port):
            return
        try:
            status = process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            continue
        cause = f"it ended with status {status} before it listened"
        said = last_words(log.read_text("utf-8", "replace"))
        raise LabError(step, cause + (f": {said}" if said else ""), remedy)
    cause = f"nothing listens on RDMA port {server.port} after {server.ready_s:.0f} s"
    raise LabError(step, cause, remedy)


def _stop(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(_STOP_S)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait()
