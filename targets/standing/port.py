"""The agent's end of its virtio serial port.

While nobody is connected at the host's end, a read finds the end of the stream and a write would
block; what is written then is dropped, since nobody has asked for it.
"""

from __future__ import annotations

import os
import select
from pathlib import Path
from typing import Final

from targets.lab.errors import LabError

__all__ = ["AgentPort", "find_port"]

_PORTS: Final = Path("/sys/class/virtio-ports")
_DEVICES: Final = Path("/dev")
_CHUNK: Final = 1 << 16


def find_port(name: str, ports: Path = _PORTS, devices: Path = _DEVICES) -> Path:
    """The device of the port that the machine's command has given a name.

    Raises:
        LabError: there is none.
    """
    for port in ports.glob("*"):
        if (port / "name").read_text(encoding="ascii").strip() == name:
            return devices / port.name
    raise LabError("looking for the agent's port", f"no virtio port is called {name}")


class AgentPort:
    """A device that is read by one thread, and written by one at a time."""

    def __init__(self, file: int) -> None:
        """Take an open file that does not block."""
        self._file = file
        self._readable = select.poll()
        self._readable.register(self._file, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._file, select.POLLOUT)

    @classmethod
    def open(cls, device: Path) -> AgentPort:
        """Open a port's device."""
        return cls(os.open(device, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))

    def receive(self) -> bytes:
        """What has come, waited for; nothing, at once, if nobody is connected."""
        while True:
            self._readable.poll()
            try:
                return os.read(self._file, _CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                return b""

    def send(self, octets: bytes) -> None:
        """Write all of it, unless nobody is connected."""
        left = memoryview(octets)
        while left:
            for _file, events in self._writable.poll():
                if events & (select.POLLHUP | select.POLLERR):
                    return
            try:
                left = left[os.write(self._file, left[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError:
                return
