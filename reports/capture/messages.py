"""The messages of a capture: the Sends of its reliable connections, each put together again.

A capture may be one of ours or what another program recorded of a wire.  Packets that no receiver
would take do not count: those with a wrong ICRC, and those that are sent again.

    InfiniBand Architecture volume 1, 9.4   how messages are cut into packets
    InfiniBand Architecture volume 1, 12.6  which queue pairs a connection joins (REQ, REP)
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Final

import pcapng
from pcapng.exceptions import PcapngException

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.bth import (
    OPERATIONS,
    PacketPosition,
    TransportOperation,
    decode,
)
from rpcrdma.roce.packet.cm_messages import ConnectReply, ConnectRequest, decode_cm
from rpcrdma.roce.packet.datagram import from_frame
from rpcrdma.roce.packet.psn import full_psn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.cm_messages import CmMessage
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["CaptureError", "CapturedMessage", "read_messages"]

_SECTION: Final = b"\x0a\x0d\x0d\x0a"
"""What a pcapng file begins with."""

_ETHERNET: Final = 1
_UNREADABLE: Final = (PcapngException, ValueError, LookupError, OSError, struct.error)
"""What the reader of blocks raises for those that are wrong; OSError for addresses in options."""

_Direction = tuple[str, str, int]
"""Sender, receiver and the queue pair of the receiver."""


class CaptureError(Exception):
    """A file that is no capture, or none that can be read to its end."""


@dataclass(frozen=True, slots=True)
class CapturedMessage:
    """One Send.

    Attributes:
        frame: number of the frame of its first packet, from 1, as Wireshark counts.
        time: of that frame, in seconds since 1970 (UTC).
        connection: number in the order in which connections come, from 1.  Where the capture does
            not hold how a connection was made, each of its directions has a number.
        sender: "client", the side that asked for the connection, or "server"; empty where the
            capture does not hold it.
        source: address of the sender; destination: of the receiver.
        octets: of the message.
        complete: False if packets of it are missing; the octets then are those before.
    """

    frame: int
    time: float
    connection: int
    sender: str
    source: str
    destination: str
    octets: bytes
    complete: bool = True


def read_messages(path: Path) -> Iterator[CapturedMessage]:
    """The messages of a capture, in the order in which they ended.

    Raises:
        CaptureError: the file is no capture or is damaged, which may show after some messages.
        OSError: it cannot be read.
    """
    reading = _Reading()
    for number, (time, frame) in enumerate(_frames(path), start=1):
        try:
            datagram = from_frame(frame)
            if datagram is not None and datagram.intact:
                yield from reading.take(number, time, datagram, decode(datagram.transport))
        except BadFrame:
            continue  # of another protocol, or what no receiver takes
    yield from reading.unfinished()


def _frames(path: Path) -> Iterator[tuple[float, bytes]]:
    """Time and octets of each frame."""
    with path.open("rb") as file:
        if file.read(len(_SECTION)) != _SECTION:
            raise CaptureError(
                f"`{path}` is no pcapng file; `editcap -F pcapng` makes one of other captures"
            )
        # Of a mapped file no more can be read than there is, however long a block says to be.
        with mmap(file.fileno(), 0, access=ACCESS_READ) as stream:
            blocks = iter(pcapng.FileScanner(stream))
            while (found := _next_frame(blocks, path, stream)) is not None:
                link_type, time, octets = found
                if link_type != _ETHERNET:
                    raise CaptureError(
                        f"`{path}` has frames of link type {link_type}; only Ethernet ({_ETHERNET})"
                        " is read: record at the interface itself"
                    )
                yield time, octets


def _next_frame(
    blocks: Iterator[object], path: Path, stream: mmap
) -> tuple[int, float, bytes] | None:
    """Link type, time and octets of the next frame; None at the end."""
    try:
        for block in blocks:
            if isinstance(block, pcapng.blocks.EnhancedPacket):
                return block.interface.link_type, block.timestamp, block.packet_data
    except _UNREADABLE as error:
        raise CaptureError(
            f"`{path}` is damaged or cut after octet {stream.tell()}: record or copy it again"
        ) from error
    return None


@dataclass(slots=True)
class _Path:
    """One direction of a connection: what it carries at the moment.

    Attributes:
        connection, sender: as in `CapturedMessage`.
        psn: of the last packet of a Send; None before the first.
        begun: frame and time of the message of which a packet is still to come.
        parts: payloads of that.
    """

    connection: int
    sender: str = ""
    psn: int | None = None
    begun: tuple[int, float] | None = None
    parts: list[bytes] = field(default_factory=list)


class _Reading:
    """What is known of the connections at one point of a capture."""

    def __init__(self) -> None:
        self._paths: dict[_Direction, _Path] = {}
        self._asked: dict[tuple[str, int], tuple[str, int]] = {}
        self._connections = 0

    def take(
        self, number: int, time: float, datagram: Datagram, packet: Packet
    ) -> Iterator[CapturedMessage]:
        """Take in the packet of one frame; yields the messages that end with it."""
        meaning = OPERATIONS[packet.opcode]
        if meaning.operation is TransportOperation.DATAGRAM:
            yield from self._join(datagram, decode_cm(packet.payload)[0])
        if meaning.operation is not TransportOperation.SEND:
            return
        direction = datagram.source, datagram.destination, packet.destination
        path = self._paths.get(direction)
        if path is None:
            path = self._paths[direction] = _Path(self._next_connection())
        ahead = 1 if path.psn is None else full_psn(packet.psn, path.psn) - path.psn
        if ahead <= 0:
            return  # sent again
        path.psn = packet.psn
        begins = meaning.position in (PacketPosition.FIRST, PacketPosition.ONLY)
        if path.begun is not None and (begins or ahead > 1):
            yield _ended(direction, path, complete=False)
        if begins:
            path.begun = number, time
        if path.begun is None:
            return  # its beginning is missing
        path.parts.append(packet.payload)
        if meaning.position in (PacketPosition.LAST, PacketPosition.ONLY):
            yield _ended(direction, path, complete=True)

    def unfinished(self) -> Iterator[CapturedMessage]:
        """The messages whose ends are missing."""
        for direction, path in self._paths.items():
            if path.begun is not None:
                yield _ended(direction, path, complete=False)

    def _join(self, datagram: Datagram, message: CmMessage) -> Iterator[CapturedMessage]:
        """Note what connection management says of queue pairs.

        A queue pair that is used for another connection has nothing to do with what it was.
        """
        source, destination = datagram.source, datagram.destination
        if isinstance(message, ConnectRequest):
            self._asked[source, message.local_id] = destination, message.queue_pair
        elif isinstance(message, ConnectReply):
            asked = self._asked.pop((destination, message.remote_id), None)
            if asked is None:
                return  # sent again, or the request is missing
            number = self._next_connection()
            ends = {
                (destination, source, message.queue_pair): "client",
                (source, destination, asked[1]): "server",
            }
            for direction, sender in ends.items():
                old = self._paths.get(direction)
                if old is not None and old.begun is not None:
                    yield _ended(direction, old, complete=False)
                self._paths[direction] = _Path(number, sender)

    def _next_connection(self) -> int:
        self._connections += 1
        return self._connections


def _ended(direction: _Direction, path: _Path, *, complete: bool) -> CapturedMessage:
    """The message of a path, which is ready for the next one then."""
    source, destination, _ = direction
    frame, time = path.begun or (0, 0.0)
    octets = b"".join(path.parts)
    path.begun = None
    path.parts.clear()
    return CapturedMessage(
        frame, time, path.connection, path.sender, source, destination, octets, complete
    )
