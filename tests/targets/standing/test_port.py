"""The agent's port, by a pair of sockets in its place."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.standing.port import AgentPort, find_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ends() -> Iterator[tuple[AgentPort, socket.socket]]:
    host, guest = socket.socketpair()
    guest.settimeout(0)
    with host, guest:
        yield AgentPort(guest.fileno()), host


def test_what_comes_is_received(ends: tuple[AgentPort, socket.socket]) -> None:
    port, host = ends
    host.sendall(b"there")
    assert port.receive() == b"there"


def test_more_than_fits_is_written_whole(ends: tuple[AgentPort, socket.socket]) -> None:
    port, host = ends
    octets = bytes(range(256)) * 8192
    writer = threading.Thread(target=port.send, args=(octets,))
    writer.start()
    received = b""
    while len(received) < len(octets):
        received += host.recv(1 << 16)
    writer.join()
    assert received == octets


def test_without_a_tester_nothing_is_received_and_what_is_sent_is_dropped(
    ends: tuple[AgentPort, socket.socket],
) -> None:
    port, host = ends
    host.close()
    port.send(b"nobody takes this")
    assert port.receive() == b""


def test_the_port_is_found_by_its_name(tmp_path: Path) -> None:
    for device, name in (("vport1p1", "console"), ("vport2p1", "rpcrdma.agent")):
        (tmp_path / device).mkdir()
        (tmp_path / device / "name").write_text(f"{name}\n")
    assert find_port("rpcrdma.agent", tmp_path, tmp_path) == tmp_path / "vport2p1"
    with pytest.raises(LabError, match="no virtio port is called other"):
        find_port("other", tmp_path)


def test_a_device_is_opened(tmp_path: Path) -> None:
    (tmp_path / "vport1p1").write_bytes(b"content")
    assert AgentPort.open(tmp_path / "vport1p1").receive() == b"content"
