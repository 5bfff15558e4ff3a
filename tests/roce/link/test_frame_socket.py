"""The sockets between a tester and QEMU; a socket of the test's own plays QEMU."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DeviceUnavailable
from rpcrdma.roce.link.frame_socket import FrameSocket

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Qemu:
    """What `-netdev dgram` does: a bound socket that names its destination each time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path = folder / "qemu"
        self.path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.settimeout(0.0)

    def send(self, frame: bytes) -> None:
        self._socket.sendto(frame, str(self._folder / "own"))

    def frames(self) -> list[bytes]:
        found: list[bytes] = []
        while True:
            try:
                found.append(self._socket.recv(65536))
            except BlockingIOError:
                return found

    def end(self) -> None:
        self._socket.close()


@pytest.fixture
def frames(folder: Path) -> Iterator[FrameSocket]:
    made = FrameSocket(folder / "own", folder / "qemu")
    yield made
    made.close()


@pytest.fixture
def qemu(folder: Path) -> Iterator[Qemu]:
    made = Qemu(folder)
    yield made
    made.end()


def test_frames_go_both_ways(frames: FrameSocket, qemu: Qemu) -> None:
    assert frames.send(b"there")
    qemu.send(b"back")

    assert qemu.frames() == [b"there"]
    assert frames.receive() == [b"back"]
    assert frames.receive() == []


def test_a_frame_before_qemu_is_there_is_lost(frames: FrameSocket, folder: Path) -> None:
    assert not frames.send(b"too early")
    qemu = Qemu(folder)

    assert frames.send(b"in time")
    assert qemu.frames() == [b"in time"]
    qemu.end()


def test_a_qemu_started_anew_is_found_in_both_directions(frames: FrameSocket, folder: Path) -> None:
    """Without a frame of ours first: a connected receiver would have the kernel refuse QEMU's."""
    first = Qemu(folder)
    frames.send(b"to the first")
    first.end()
    second = Qemu(folder)
    second.send(b"from the second")

    assert frames.receive() == [b"from the second"]
    assert frames.send(b"to the second")
    assert second.frames() == [b"to the second"]
    second.end()


def test_a_frame_to_a_qemu_that_has_ended_is_lost(frames: FrameSocket, qemu: Qemu) -> None:
    """Its name stays in the folder."""
    frames.send(b"to the living")
    qemu.end()

    assert qemu.path.exists()
    assert not frames.send(b"to the dead")


def test_frames_wait_while_qemu_takes_none(frames: FrameSocket, qemu: Qemu) -> None:
    """More than fit into QEMU's socket, in order, and none lost."""
    sent = [bytes([number]) for number in range(100)]
    assert all(frames.send(frame) for frame in sent)
    assert frames.has_backlog

    came: list[bytes] = []
    while frames.has_backlog:
        came += qemu.frames()
        frames.flush()
    assert came + qemu.frames() == sent


def test_the_frames_that_wait_are_bounded(frames: FrameSocket, qemu: Qemu) -> None:
    outcomes = [frames.send(b"frame") for _ in range(1200)]

    assert outcomes[:1024] == [True] * 1024
    assert not outcomes[-1]


def test_what_waits_for_a_qemu_that_ends_is_lost(frames: FrameSocket, qemu: Qemu) -> None:
    for _ in range(100):
        frames.send(b"frame")
    qemu.end()
    frames.flush()

    assert not frames.has_backlog
    assert frames.lost > 0


def test_the_next_tester_takes_over_the_name(frames: FrameSocket, folder: Path, qemu: Qemu) -> None:
    """And the one before, when it ends at last, leaves it alone."""
    successor = FrameSocket(folder / "own", folder / "qemu")
    frames.close()
    qemu.send(b"to the successor")

    assert successor.receive() == [b"to the successor"]
    successor.close()


def test_what_a_killed_tester_has_left_is_no_hindrance(folder: Path) -> None:
    for name in ("own", "own~"):
        dead = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        dead.bind(str(folder / name))
        dead.close()
    FrameSocket(folder / "own", folder / "qemu").close()

    assert list(folder.iterdir()) == []


def test_closing_frees_the_name_once(frames: FrameSocket, folder: Path) -> None:
    frames.close()
    frames.close()

    assert list(folder.iterdir()) == []
    assert not frames.send(b"frame")
    assert frames.receive() == []


@pytest.mark.parametrize("which", ["own", "peer"])
def test_a_path_too_long_is_one_sentence(folder: Path, which: str) -> None:
    """The kernel would say "AF_UNIX path too long", and not by how much."""
    paths = {"own": folder / "own", "peer": folder / "qemu", which: folder / ("x" * 100)}
    with pytest.raises(
        DeviceUnavailable, match=r"octets, and the path of a Unix socket at most 107"
    ):
        FrameSocket(paths["own"], paths["peer"])


def test_the_longest_path_works(folder: Path) -> None:
    """One octet less than the limit, for the name aside."""
    own = folder / ("x" * (106 - len(os.fsencode(folder)) - 1))
    FrameSocket(own, folder / "qemu").close()


def test_a_folder_that_is_not_there_is_one_sentence(folder: Path) -> None:
    with pytest.raises(DeviceUnavailable, match=r"no socket for QEMU at .*: No such file"):
        FrameSocket(folder / "none" / "own", folder / "qemu")


@pytest.mark.parametrize("there_are", [0, 1])
def test_a_socket_that_cannot_be_opened_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, there_are: int
) -> None:
    opened: list[socket.socket] = []

    def limited(*words: int) -> socket.socket:
        if len(opened) == there_are:
            raise OSError(errno.EMFILE, "Too many open files")
        opened.append(real(*words))
        return opened[-1]

    real = socket.socket
    monkeypatch.setattr(socket, "socket", limited)
    with pytest.raises(DeviceUnavailable, match=r"no socket .*own: Too many open files"):
        FrameSocket(folder / "own", folder / "qemu")

    assert [one.fileno() for one in opened] == [-1] * there_are
    assert list(folder.iterdir()) == []
