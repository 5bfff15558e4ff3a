"""The responder's half of a queue pair: what the peer asks for, in the order of its packets.

    InfiniBand Architecture volume 1, 9.7.1    the expected packet sequence number
    InfiniBand Architecture volume 1, 9.7.4.1  what is checked of a request, and in which order
    InfiniBand Architecture volume 1, 9.7.5.1  responses, duplicate requests
    InfiniBand Architecture volume 1, 9.9.3    what is refused, and how

`SEQUENCES` has every opcode that may come, by what the packets before it have begun.  Whatever it
lacks, and with it immediate data and atomics, is answered "invalid request".

One answer is enough for all packets that came together: it is made when packets are taken, an ACK
for the newest Send or Write, or a NAK for the expected number.  A NAK acknowledges what came before
it, too, and an expected packet makes a NAK pointless that has not left.  An ACK never has a number
of a Read, whose response alone can answer it.

Choices that the standard leaves:

- a Write is placed packet by packet, and its handle looked at again for each;
- a duplicate Read whose memory may no longer be read is dropped: its owner may have ended the
  handle because the first answer came, and this is the network's own duplicate;
- every acknowledgement says that there are no end-to-end credits (9.7.7.2).
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import Completion, CompletionStatus, Opcode
from rpcrdma.fabric.memory import Denial
from rpcrdma.fabric.posted_receives import PostedReceives, note_failed_request
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.packet.aeth import NakCode, acknowledged, rnr_nak
from rpcrdma.roce.packet.bth import PSN_MASK, Aeth, BthOpcode, Packet
from rpcrdma.roce.packet.psn import full_psn
from rpcrdma.roce.transport.read_responses import ReadResponses
from rpcrdma.roce.transport.work import packet_count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.fabric.memory import ProtectionDomain, Region
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.roce.packet.bth import Reth
    from rpcrdma.roce.transport.attributes import QueuePairAttributes

__all__ = ["SEQUENCES", "MessageProgress", "TransportResponder"]


class MessageProgress(Enum):
    """What the packets so far have begun."""

    NOTHING = "a new message"
    SEND = "the rest of a Send"
    WRITE = "the rest of an RDMA Write"


_NEW: Final[Mapping[int, MessageProgress]] = {
    BthOpcode.SEND_FIRST: MessageProgress.SEND,
    BthOpcode.SEND_ONLY: MessageProgress.NOTHING,
    BthOpcode.SEND_ONLY_INVALIDATE: MessageProgress.NOTHING,
    BthOpcode.WRITE_FIRST: MessageProgress.WRITE,
    BthOpcode.WRITE_ONLY: MessageProgress.NOTHING,
    BthOpcode.READ_REQUEST: MessageProgress.NOTHING,
}

SEQUENCES: Final[Mapping[MessageProgress, Mapping[int, MessageProgress]]] = {
    MessageProgress.NOTHING: _NEW,
    MessageProgress.SEND: {
        BthOpcode.SEND_MIDDLE: MessageProgress.SEND,
        BthOpcode.SEND_LAST: MessageProgress.NOTHING,
        BthOpcode.SEND_LAST_INVALIDATE: MessageProgress.NOTHING,
    },
    MessageProgress.WRITE: {
        BthOpcode.WRITE_MIDDLE: MessageProgress.WRITE,
        BthOpcode.WRITE_LAST: MessageProgress.NOTHING,
    },
}
"""What has begun -> opcode that may follow -> what has begun then (9.7.4.1.2, table 41)."""

_STARTS: Final = frozenset(_NEW)

_ANSWERS: Final[Mapping[CompletionStatus, NakCode]] = {
    CompletionStatus.REMOTE_INVALID_REQUEST: NakCode.INVALID_REQUEST,
    CompletionStatus.REMOTE_ACCESS_ERROR: NakCode.REMOTE_ACCESS_ERROR,
    CompletionStatus.REMOTE_OPERATION_ERROR: NakCode.REMOTE_OPERATIONAL_ERROR,
}
"""What the requester is to learn -> how it is told."""

_MOST_OCTETS: Final = 1 << 31
"""Of any message (9.7.3)."""


class TransportResponder:
    """The receive queue of one queue pair, and its memory as the peer reaches it.

    Attributes:
        failed: a request was refused; the queue pair goes into error.
    """

    def __init__(
        self,
        domain: ProtectionDomain,
        recorder: Recorder,
        completions: list[Completion],
        depth: int,
    ) -> None:
        self.failed = False
        self._domain = domain
        self._recorder = recorder
        self._completions = completions
        self._receives = PostedReceives(domain, recorder, depth)
        self.post_receive = self._receives.post
        self._handlers: Final[Mapping[int, Callable[[Packet, bool], bool]]] = {
            BthOpcode.SEND_FIRST: self._send,
            BthOpcode.SEND_MIDDLE: self._send,
            BthOpcode.SEND_LAST: self._send,
            BthOpcode.SEND_LAST_INVALIDATE: self._send,
            BthOpcode.SEND_ONLY: self._send,
            BthOpcode.SEND_ONLY_INVALIDATE: self._send,
            BthOpcode.WRITE_FIRST: self._write,
            BthOpcode.WRITE_MIDDLE: self._write,
            BthOpcode.WRITE_LAST: self._write,
            BthOpcode.WRITE_ONLY: self._write,
            BthOpcode.READ_REQUEST: self._read,
        }
        self._progress = MessageProgress.NOTHING
        self._parts: list[bytes] = []  # of the message that has begun
        self._size = 0  # octets of them
        self._reth: Reth | None = None  # of the Write that has begun
        self._messages = 0  # the message sequence number (9.7.7.1)
        self._asked = False  # an acknowledgement is due
        self._nak: int | None = None  # or a NAK, by its syndrome, for the expected number
        self._waits = False  # one was made: nothing is said until the expected number comes
        self._not_ready: int | None = None  # the newest that found no Receive

    def start(self, attributes: QueuePairAttributes) -> None:
        """Know the peer."""
        self._attributes = attributes
        self._mtu = attributes.path_mtu
        self._first = self._expected = attributes.expected_psn
        self._newest = self._first - 1  # of Sends and Writes
        self._responses = ReadResponses(attributes.responder_resources, attributes.path_mtu)

    # -- packets

    def receive(self, packet: Packet) -> None:
        """A packet with an opcode of a request, or with one that is none."""
        expected = self._expected
        if packet.psn != expected & PSN_MASK:
            self._out_of_order(packet, full_psn(packet.psn, expected))
            return
        self._waits = False
        self._nak = None
        progress = SEQUENCES[self._progress].get(packet.opcode)
        if progress is None:
            self._refuse_sequence(packet)
            return
        ends = progress is MessageProgress.NOTHING
        if self._handlers[packet.opcode](packet, ends):
            self._progress = progress
            if packet.opcode != BthOpcode.READ_REQUEST:
                self._newest = expected
                self._asked = self._asked or packet.ack_request

    def take_packets(self, out: list[Packet]) -> None:
        """Add what is to be answered: responses to Reads, and one ACK or NAK for all the rest."""
        remote = self._attributes.remote
        if self._responses:
            self._responses.take_packets(out, remote)
        if self._nak is not None:
            syndrome, psn = self._nak, self._expected
        elif self._asked:
            syndrome, psn = acknowledged(), self._newest
        else:
            return
        self._nak, self._asked = None, False
        packet = Packet(BthOpcode.ACKNOWLEDGE, remote, psn & PSN_MASK)
        packet.aeth = Aeth(syndrome, self._messages & PSN_MASK)
        out.append(packet)

    def flush(self) -> None:
        """Give up all Receives, and the message that has begun."""
        self._completions += self._receives.flush()
        self._parts.clear()

    def _out_of_order(self, packet: Packet, psn: int) -> None:
        if psn > self._expected:
            if not self._waits:  # once, until the expected one comes (9.7.5.2)
                self._waits = True
                self._nak = NakCode.PSN_SEQUENCE_ERROR
        elif psn < self._first:
            return  # of another connection
        elif packet.opcode == BthOpcode.READ_REQUEST:
            self._read_again(packet, psn)
        else:
            self._asked = True  # executed before: acknowledged, and not executed again

    # -- Sends

    def _send(self, packet: Packet, ends: bool) -> bool:
        """Take a packet of a Send; whether it was."""
        starts = packet.opcode in _STARTS
        if starts and not self._receives:
            self._no_receive(packet)
            return False
        size = len(packet.payload)
        if not self._has_right_size(size, starts=starts, ends=ends):
            return self._refuse_send(packet, f"a packet of {size} octets")
        self._size += size
        room = self._receives.room
        if self._size > room:
            status = CompletionStatus.LOCAL_LENGTH_ERROR
            return self._refuse_send(packet, f"{self._size} octets for a Receive of {room}", status)
        self._parts.append(packet.payload)
        if ends and not self._deliver(packet.invalidate):
            return False
        self._expected += 1
        return True

    def _has_right_size(self, size: int, *, starts: bool, ends: bool) -> bool:
        """All but the last are of the path MTU; the last of several is not empty (9.7.4.1.6)."""
        if not ends:
            return size == self._mtu
        return size <= self._mtu and (starts or size > 0)

    def _no_receive(self, packet: Packet) -> None:
        self._nak = rnr_nak(self._attributes.rnr_timer)
        self._waits = True
        if self._not_ready != self._expected:  # noted once: attempts may go on for ever
            self._not_ready = self._expected
            why = "no Receive is posted"
            self._receives.note_failure(why, len(packet.payload), packet.invalidate)

    def _deliver(self, invalidate: int | None) -> bool:
        """Complete a Receive with the whole message."""
        status, completion = self._receives.deliver(self._whole(), invalidate)
        self._completions.append(completion)
        if status is not CompletionStatus.SUCCESS:
            return self._break(_ANSWERS[status])
        self._messages += 1
        return True

    def _refuse_send(
        self,
        packet: Packet,
        why: str,
        status: CompletionStatus = CompletionStatus.LOCAL_QP_OPERATION_ERROR,
    ) -> bool:
        size = max(self._size, len(packet.payload))
        completion = self._receives.refuse(why, size, packet.invalidate, status)
        self._completions.append(completion)
        return self._break(NakCode.INVALID_REQUEST)

    def _whole(self) -> bytes:
        """The octets of the message that ends here."""
        parts, self._parts = self._parts, []
        self._size = 0
        return parts[0] if len(parts) == 1 else b"".join(parts)

    # -- RDMA

    def _write(self, packet: Packet, ends: bool) -> bool:
        """Place a packet of a Write; whether it was."""
        starts = packet.opcode in _STARTS
        if starts:
            self._reth = packet.reth
        reth = self._reth
        if reth is None:
            return False
        found = self._find(reth, Access.REMOTE_WRITE)
        if isinstance(found, Denial):
            return self._refuse(Opcode.RDMA_WRITE, reth, found.value, NakCode.REMOTE_ACCESS_ERROR)
        size = len(packet.payload)
        total = self._size + size
        fits = total == reth.length if ends else total < reth.length
        if not fits or not self._has_right_size(size, starts=starts, ends=ends):
            why = f"a packet of {size} octets, with which {total} of {reth.length} are there"
            return self._refuse(Opcode.RDMA_WRITE, reth, why, NakCode.INVALID_REQUEST)
        if found is not None:
            found.write(packet.payload, reth.offset - found.offset + self._size)
        self._size = total
        self._parts.append(packet.payload)
        if ends:
            self._note(EventKind.RDMA_WRITE, reth, self._whole())
            self._messages += 1
        self._expected += 1
        return True

    def _read(self, packet: Packet, _ends: bool) -> bool:
        """Have a Read answered; whether it is."""
        reth = packet.reth
        if reth is None:
            return False
        if packet.payload or reth.length > _MOST_OCTETS:
            why = f"{reth.length} octets wanted, {len(packet.payload)} in the request"
            return self._refuse(Opcode.RDMA_READ, reth, why, NakCode.INVALID_REQUEST)
        if not self._responses.has_room():
            why = "more under way than there are resources for"
            return self._refuse(Opcode.RDMA_READ, reth, why, NakCode.INVALID_REQUEST)
        found = self._find(reth, Access.REMOTE_READ)
        if isinstance(found, Denial):
            return self._refuse(Opcode.RDMA_READ, reth, found.value, NakCode.REMOTE_ACCESS_ERROR)
        data = b"" if found is None else found.read(reth.offset - found.offset, reth.length)
        self._note(EventKind.RDMA_READ, reth, data)
        self._messages += 1
        self._responses.add(self._expected, reth, data, self._messages)
        self._expected += packet_count(reth.length, self._mtu)
        self._asked = False  # the response acknowledges what came before it
        return True

    def _read_again(self, packet: Packet, psn: int) -> None:
        """Answer a duplicate with what memory holds now, if the Read is still known (9.7.5.1.5)."""
        reth = packet.reth
        if reth is None or not self._responses.has_answered(psn, reth):
            return
        found = self._find(reth, Access.REMOTE_READ)
        if isinstance(found, Denial):
            return
        data = b"" if found is None else found.read(reth.offset - found.offset, reth.length)
        self._responses.add_again(psn, data, self._messages)

    def _find(self, reth: Reth, access: Access) -> Region | Denial | None:
        """The memory that is meant; None of no octets, whatever the handle (C9-88)."""
        if not reth.length:
            return None
        return self._domain.check_remote(reth.handle, reth.offset, reth.length, access)

    def _note(self, kind: EventKind, reth: Reth, data: bytes) -> None:
        self._recorder.note(Side.PEER, kind, data=data, handle=reth.handle, offset=reth.offset)

    # -- failures

    def _refuse(self, opcode: Opcode, reth: Reth, why: str, nak: NakCode) -> bool:
        note_failed_request(
            self._recorder,
            Side.PEER,
            opcode,
            why,
            handle=reth.handle,
            offset=reth.offset,
            length=reth.length,
        )
        return self._break(nak)

    def _refuse_sequence(self, packet: Packet) -> None:
        """An opcode that may not come here, or that nothing here serves."""
        why = f"opcode {packet.opcode:#04x} where {self._progress.value} was expected"
        self._recorder.note(Side.PEER, EventKind.FAILURE, length=len(packet.payload), detail=why)
        if self._progress is MessageProgress.SEND:  # its Receive was taken
            status = CompletionStatus.LOCAL_QP_OPERATION_ERROR
            self._completions.append(self._receives.fail(status))
        self._break(NakCode.INVALID_REQUEST)

    def _break(self, nak: NakCode) -> bool:
        self._nak = nak
        self.failed = True
        return False
