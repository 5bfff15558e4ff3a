"""TCP in the guest for a tester that has none there: MOUNT, in either direction.

    RFC 8267 section 5.1    a server of NFSv3 over RDMA has MOUNT by TCP

The kernel's client asks at an address of the guest; what it says goes to the tester as events, and
the tester's replies back.  The kernel's server is asked here with what the tester gives, and its
reply handed over.  Nothing is understood here but where a record ends (RFC 5531 section 11).
"""

from __future__ import annotations

import itertools
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.standing.lines import as_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.standing.lines import Said

__all__ = ["CallRelay", "exchange_record"]

_CHUNK: Final = 1 << 16
_MARK: Final = 4
_LAST: Final = 1 << 31
_IP_TRANSPARENT: Final = 19
"""Linux's own number, for which Python has no name before 3.14."""


class CallRelay:
    """Listens, and passes on what comes: events `octets`, which are none at a stream's end."""

    def __init__(self, tell: Callable[[Said], None]) -> None:
        self._tell = tell
        self._numbers = itertools.count(1)
        self._listeners: list[socket.socket] = []
        self._streams: dict[int, socket.socket] = {}

    def listen(self, address: str, port: int = 0, *, routed: bool = False) -> int:
        """Listen in the guest; returns the TCP port.

        Args:
            address: of the guest, or any.
            port: likewise, for 0.
            routed: takes what is for another's address as well, if routing rules bring it here.
        """
        listener = socket.create_server((address, port))
        if routed:
            # Linux's ip(7): otherwise what is sent must come from an address of the guest's own.
            listener.setsockopt(socket.SOL_IP, _IP_TRANSPARENT, 1)
        self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        chosen: int = listener.getsockname()[1]
        return chosen

    def reply(self, stream: int, octets: bytes) -> None:
        """Send something to whoever is at the other end of a stream, if it is still there."""
        end = self._streams.get(stream)  # once: its reader takes it out when it ends
        if end is not None:
            with suppress(OSError):
                end.sendall(octets)

    def close(self) -> None:
        """Listen no longer, and end all streams."""
        for end in (*self._listeners, *self._streams.values()):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._listeners.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                stream, _peer = listener.accept()
            except OSError:
                return
            number = next(self._numbers)
            self._streams[number] = stream
            threading.Thread(target=self._read, args=(number, stream), daemon=True).start()

    def _read(self, number: int, stream: socket.socket) -> None:
        octets = b"-"
        while octets:
            try:
                octets = stream.recv(_CHUNK)
            except OSError:
                octets = b""
            self._tell({"event": "octets", "stream": number, "octets": as_text(octets)})
        stream.close()
        del self._streams[number]


def exchange_record(address: str, port: int, octets: bytes, seconds: float) -> bytes:
    """Send something to a server, and take one record of its reply.

    Raises:
        LabError: it does not answer in time, or ends the connection.
    """
    step = f"asking TCP {address}:{port} in the guest"
    try:
        with socket.create_connection((address, port), timeout=seconds) as stream:
            stream.sendall(octets)
            received = b""
            while not _is_record(received):
                more = stream.recv(_CHUNK)
                if not more:
                    raise LabError(step, "it closed the connection without a reply")
                received += more
            return received
    except OSError as error:
        raise LabError(step, str(error)) from error


def _is_record(octets: bytes) -> bool:
    at = 0
    while at + _MARK <= len(octets):
        mark = int.from_bytes(octets[at : at + _MARK], "big")
        at += _MARK + (mark & ~_LAST)
        if mark & _LAST:
            return at <= len(octets)
    return False
