"""Ethernet frames to and from QEMU by two Unix sockets, one in each direction.

    -netdev dgram,id=net1,local.type=unix,local.path=QEMU,remote.type=unix,remote.path=OURS

QEMU sends each frame as a datagram to OURS and takes those that come to QEMU.  Neither side needs
the other one to be there; a frame to nobody is lost.

- Our socket is bound aside and renamed into place, so QEMU finds an old one or a new one, and what
  a killed tester left behind is no hindrance.
- Ten datagrams wait in QEMU's socket (net.unix.max_dgram_qlen); then ours gets EAGAIN.  Only a
  connected socket can wait for room.  So a second one, without a name, is connected to QEMU and
  sends; the first receives, and must not be connected: the kernel would refuse what a QEMU sends
  that was started anew.
"""

from __future__ import annotations

import errno
import os
import select
import socket
from collections import deque
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DeviceUnavailable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FrameSocket"]

_LONGEST_PATH: Final = 107
"""Octets of a socket's path: sun_path has 108, the last of them 0 (unix(7))."""

_MOST_AT_ONCE: Final = 512
_MOST_OCTETS: Final = 65536
_MOST_WAITING: Final = 1024
"""Frames that wait for room; more are lost."""

_PATIENCE_MS: Final = 20
"""Milliseconds for QEMU to make room: it needs a fraction of one, if the guest takes frames."""

_FULL: Final = (errno.EAGAIN, errno.ENOBUFS)


class _Outcome(Enum):
    TAKEN = auto()
    FULL = auto()
    LOST = auto()


class FrameSocket:
    """Both directions between this process and a QEMU.

    Attributes:
        lost: frames that waited for room when QEMU ended.
    """

    def __init__(self, own: Path, peer: Path) -> None:
        """Bind one at `own`; QEMU's, at `peer`, is looked for when a frame is sent.

        Raises:
            DeviceUnavailable: a path is too long, or there can be no socket.
        """
        self.lost = 0
        self._own, self._peer = own, str(peer)
        self._waiting: deque[bytes] = deque()
        self._room = select.poll()
        _check_length(peer)
        self._sender = _unbound(own)
        # The name is taken last: nothing after it can fail and leave it taken.
        try:
            self._receiver = _bind(own)
        except DeviceUnavailable:
            self._sender.close()
            raise
        self._identity = _identity(own)
        self._room.register(self._sender.fileno(), select.POLLOUT)
        self._closed = False

    @property
    def incoming(self) -> int:
        """The descriptor that can be read when a frame has come."""
        return self._receiver.fileno()

    @property
    def outgoing(self) -> int:
        """The descriptor that can be written to when there is room for a frame."""
        return self._sender.fileno()

    @property
    def has_backlog(self) -> bool:
        """Whether frames wait for room."""
        return bool(self._waiting)

    def send(self, frame: bytes) -> bool:
        """Send, or have the frame wait for room; False: it is lost."""
        if self._closed:
            return False
        self.flush()
        # Those that wait come first.  They have been waited for: nobody waits twice for one guest.
        outcome = _Outcome.FULL if self._waiting else self._write(frame, _PATIENCE_MS)
        if outcome is _Outcome.FULL and len(self._waiting) < _MOST_WAITING:
            self._waiting.append(frame)
            return True
        return outcome is _Outcome.TAKEN

    def flush(self) -> None:
        """Send what waits, as far as there is room."""
        while self._waiting and not self._closed:
            outcome = self._write(self._waiting[0], 0)
            if outcome is _Outcome.FULL:
                return
            self._waiting.popleft()
            self.lost += outcome is _Outcome.LOST

    def receive(self) -> list[bytes]:
        """The frames that have come, oldest first; not more at once than a flood should bring."""
        taken: list[bytes] = []
        for _ in range(_MOST_AT_ONCE):
            try:
                taken.append(self._receiver.recv(_MOST_OCTETS))
            except OSError:
                break  # nothing there, or closed
        return taken

    def close(self) -> None:
        """Close both, and take the name back, unless another tester has it by now."""
        if self._closed:
            return
        self._closed = True
        self._receiver.close()
        self._sender.close()
        if _identity(self._own) == self._identity:
            self._own.unlink(missing_ok=True)

    def _write(self, frame: bytes, patience_ms: int) -> _Outcome:
        """Hand a frame to QEMU's socket."""
        number = self._try(frame)
        if number in _FULL and patience_ms:
            self._room.poll(patience_ms)
            number = self._try(frame)
        if number and number not in _FULL:
            # Never connected, or to the socket of a QEMU that has ended: look who is there now.
            number = self._connect() or self._try(frame)
        if not number:
            return _Outcome.TAKEN
        return _Outcome.FULL if number in _FULL else _Outcome.LOST

    def _try(self, frame: bytes) -> int:
        """0, or the error's number."""
        try:
            self._sender.send(frame)
        except OSError as error:
            return error.errno or errno.EIO
        return 0

    def _connect(self) -> int:
        """0, or the error's number."""
        try:
            self._sender.connect(self._peer)
        except OSError as error:
            return error.errno or errno.EIO
        return 0


def _unbound(path: Path) -> socket.socket:
    """A socket that has no name yet, of the two at `path`.

    Raises:
        DeviceUnavailable: with the reason.
    """
    try:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    except OSError as error:
        raise DeviceUnavailable(f"no socket for QEMU at {path}: {error.strerror}") from error
    made.settimeout(0.0)
    return made


def _bind(path: Path) -> socket.socket:
    """A socket that has the name, whoever had it before.

    Raises:
        DeviceUnavailable: with the reason.
    """
    aside = path.with_name(f"{path.name}~")
    _check_length(aside)
    bound = _unbound(path)
    try:
        aside.unlink(missing_ok=True)
        bound.bind(str(aside))
        aside.rename(path)
    except OSError as error:
        bound.close()
        raise DeviceUnavailable(f"no socket for QEMU at {path}: {error.strerror}") from error
    return bound


def _check_length(path: Path) -> None:
    length = len(os.fsencode(path))
    if length > _LONGEST_PATH:
        raise DeviceUnavailable(
            f"{path} has {length} octets, and the path of a Unix socket at most {_LONGEST_PATH}:"
            " take a folder with a shorter name, such as one in /tmp"
        )


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of what has the name now."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
