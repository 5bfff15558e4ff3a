"""RPC programs over TCP on a thread: how a kernel client gets at the MOUNT protocol.

    RFC 8267 section 5.1    a server of NFSv3 over RDMA has MOUNT by TCP

`mount -o vers=3,proto=rdma,mountproto=tcp,mountport=N` asks here for its first file handle, and
talks to the tester's RDMA side from then on.  A thread serves it, since whoever waits for the mount
to be done cannot give turns.  The program executes one call at a time, and nothing else is shared.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
from typing import TYPE_CHECKING, Final, Self

from rpcrdma.ulp.record_marking import RecordError, RecordReader, encode_record
from targets.base import TargetError

if TYPE_CHECKING:
    from types import TracebackType

    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["MountService"]

_CONNECTIONS: Final = 16
"""Streams at one time; a client has one or two, and what comes beyond is closed."""

_CHUNK: Final = 65536
_SEND_DEADLINE: Final = 5.0
"""Seconds that a client may take to receive a reply."""

_JOIN: Final = 5.0
"""Seconds in which the thread must have noticed that it is to end."""

_log = logging.getLogger(__name__)


class MountService:
    """A program behind a TCP port, from the moment of its making until `close`.

    Attributes:
        port: where it listens.
    """

    def __init__(self, program: UpperLayer, host: str, port: int = 0) -> None:
        self._program = program
        try:
            self._listener = socket.create_server((host, port))
        except OSError as error:
            raise TargetError(f"cannot listen on TCP {host}:{port}: {error.strerror}") from error
        self.port: int = self._listener.getsockname()[1]
        # Closing one end of the pair is what wakes the thread to its end.
        self._running, self._ended = socket.socketpair()
        self._streams: dict[socket.socket, RecordReader] = {}
        self._thread = threading.Thread(target=self._serve, name="mount-service", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening and end all connections.  Twice is allowed."""
        self._running.close()
        self._thread.join(_JOIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector, self._listener, self._ended:
            selector.register(self._listener, selectors.EVENT_READ, self._accept)
            selector.register(self._ended, selectors.EVENT_READ, None)
            while True:
                for key, _events in selector.select():
                    if key.data is None:
                        self._end_all()
                        return
                    key.data(selector, key.fileobj)

    def _accept(self, selector: selectors.BaseSelector, listener: socket.socket) -> None:
        try:
            stream, _peer = listener.accept()
        except OSError as error:
            _log.debug("a client did not finish connecting: %s", error)
            return
        if len(self._streams) >= _CONNECTIONS:
            stream.close()
            return
        stream.settimeout(_SEND_DEADLINE)
        self._streams[stream] = RecordReader()
        selector.register(stream, selectors.EVENT_READ, self._answer)

    def _answer(self, selector: selectors.BaseSelector, stream: socket.socket) -> None:
        try:
            octets = stream.recv(_CHUNK)
            for call in self._streams[stream].feed(octets):
                for reply in self._program.execute(call):
                    stream.sendall(encode_record(reply))
        except (OSError, RecordError) as error:
            _log.debug("a connection ends: %s", error)
            octets = b""
        if not octets:
            selector.unregister(stream)
            del self._streams[stream]
            stream.close()

    def _end_all(self) -> None:
        for stream in self._streams:
            with contextlib.suppress(OSError):
                stream.close()
        self._streams.clear()
