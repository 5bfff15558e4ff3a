"""What the suite asks of the server that the guest has started: how it is, what it holds, a start.

The guest starts the server before the suite, which is a process beside it.  They talk over a
socket: one word, and one answer in JSON.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from targets.lab.server import StartedServer

__all__ = ["KEPT", "KeptServer", "keeping", "kept_server"]

KEPT: Final = "RPCRDMA_LAB_SERVER"
"""In the environment of what runs in the guest: path of the socket."""

_MARGIN_S: Final = 30.0
"""For ending the server, beside the time that it has for its start."""

_LONGEST: Final = 65536


@contextmanager
def keeping(server: StartedServer | None, socket_file: Path, seconds: float) -> Iterator[None]:
    """Answer what is asked about a server meanwhile; nothing to do if it is none of ours.

    Args:
        server: which.
        socket_file: where to listen; the environment of later processes names it.
        seconds: that a start may take.
    """
    if server is None:
        yield
        return
    socket_file.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(socket_file))
        listener.listen()
        thread = threading.Thread(target=_answer_all, args=(listener, server), daemon=True)
        thread.start()
        os.environ[KEPT] = f"{seconds}:{socket_file}"
        try:
            yield
        finally:
            del os.environ[KEPT]
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


class KeptServer:
    """The server, from the suite's process."""

    def __init__(self, path: str, seconds: float) -> None:
        self._path = path
        self._seconds = seconds

    def alive(self) -> str:
        """How it ended; empty while it runs."""
        return self._ask("alive", _MARGIN_S)

    def usage(self) -> Usage | None:
        """What it holds; None if that cannot be told now."""
        try:
            found = Usage.of_record(json.loads(self._ask("usage", _MARGIN_S)))
        except (LabError, ValueError):
            return None
        return found.without(Resource.MACHINE)  # which is the suite's matter, too

    def restart(self) -> None:
        """Start it again.

        Raises:
            LabError: it does not come up.
        """
        self._ask("restart", self._seconds + _MARGIN_S)

    def _ask(self, word: str, seconds: float) -> str:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
                line.settimeout(seconds)
                line.connect(self._path)
                line.sendall(f"{word}\n".encode())
                with line.makefile("rb") as answer:
                    said = json.loads(answer.readline(_LONGEST))
        except (OSError, ValueError) as error:
            raise LabError("asking for the server in the guest", str(error)) from error
        if "error" in said:
            raise LabError(*said["error"])
        told: str = said["told"]
        return told


def kept_server() -> KeptServer | None:
    """The server that the guest has started, if this is in a guest that has."""
    seconds, _, path = os.environ.get(KEPT, "").partition(":")
    return KeptServer(path, float(seconds)) if path else None


def _answer_all(listener: socket.socket, server: StartedServer) -> None:
    with suppress(OSError):  # it was shut
        while True:
            line, _ = listener.accept()
            with line, suppress(OSError):
                line.sendall(json.dumps(_answer(server, line.recv(64))).encode() + b"\n")


def _answer(server: StartedServer, word: bytes) -> dict[str, object]:
    try:
        match word.strip().decode():
            case "restart":
                server.restart()
                return {"told": ""}
            case "usage":
                return {"told": json.dumps(server.usage().record())}
            case _:
                return {"told": server.alive()}
    except LabError as error:
        return {"error": [error.step, error.cause, error.remedy]}
