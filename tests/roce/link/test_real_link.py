"""What links of real time share; the contract of links (test_base.py) runs on two of them."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.roce.link.real_link import RealLink
from rpcrdma.roce.packet.datagram import Datagram

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = "192.0.2.1"
PORT = 4791


class Pipe:
    """Something to wait at, which counts how often it was closed."""

    def __init__(self) -> None:
        self.incoming, self.outgoing = os.pipe()
        self.closed = 0

    def close(self) -> None:
        self.closed += 1
        os.close(self.incoming)
        os.close(self.outgoing)


class Carrier(RealLink):
    """A link by which nothing goes."""

    def show(self, frame: bytes) -> None:
        self._show(frame)

    def require(self, datagram: Datagram) -> None:
        self._require_sender(datagram)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    if not made.closed:
        made.close()


def test_what_was_opened_is_closed_once(pipe: Pipe) -> None:
    link = Carrier(OWN, PORT, pipe, pipe.incoming)
    link.close()
    link.close()

    assert pipe.closed == 1


def test_what_was_opened_is_closed_where_there_is_no_room_for_more(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise nobody would have it, and nobody could close it."""

    def refuse(_value: int, _flags: int) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "eventfd", refuse)
    with pytest.raises(OSError, match="Too many open files"):
        Carrier(OWN, PORT, pipe, pipe.incoming)

    assert pipe.closed == 1


def test_sleep_ends_when_the_descriptor_can_be_read(pipe: Pipe) -> None:
    link = Carrier(OWN, PORT, pipe, pipe.incoming)
    os.write(pipe.outgoing, b"x")
    until = link.clock.now() + 30
    link.sleep(until)

    assert link.clock.now() < until
    link.close()


def test_time_and_port_are_those_of_a_real_link(pipe: Pipe) -> None:
    link = Carrier(OWN, PORT, pipe, pipe.incoming)

    assert (link.is_virtual, link.port) == (False, PORT)
    link.close()


def test_only_the_own_address_and_port_send(pipe: Pipe) -> None:
    link = Carrier(OWN, PORT, pipe, pipe.incoming)
    link.require(Datagram(OWN, "192.0.2.2", PORT, bytes(16)))
    with pytest.raises(FabricError, match=r"sends from 192\.0\.2\.1, port 4791, .* port 9$"):
        link.require(Datagram(OWN, "192.0.2.2", 9, bytes(16)))
    link.close()


def test_frames_are_shown_to_whoever_looks(pipe: Pipe) -> None:
    link = Carrier(OWN, PORT, pipe, pipe.incoming)
    seen: list[bytes] = []
    link.show(b"unseen")
    link.tap = lambda _, frame: seen.append(frame)
    link.show(b"seen")

    assert seen == [b"seen"]
    link.close()
