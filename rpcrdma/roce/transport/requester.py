"""The requester's half of a queue pair: the send queue, and what the peer answers.

    InfiniBand Architecture volume 1, 9.7.2    out-of-window and ghost acknowledgements
    InfiniBand Architecture volume 1, 9.7.5.2  coalesced ACKs, NAKs and implied NAKs
    InfiniBand Architecture volume 1, 9.7.6.1  the transport timer and the retry counter
    InfiniBand Architecture volume 1, 9.9.2    what fails, and how

All that was not acknowledged is sent again from its oldest packet on, after a timeout, a NAK or a
response that shows that one before it was lost (an implied NAK).  A packet that the peer has
acknowledged although an older Read waits is not sent again.  The same missing packet has all sent
again once because of what comes, and then only after a timeout: many answers can show one loss.

Choices that the standard leaves:

- a bounded number of packets is under way, so that a slow peer's buffers do not overflow; a Read
  whose response is longer than that is asked for in pieces, and nobody above can see them;
- the peer's credits are not looked at (9.7.7.2): the protocol above has its own, and a Send that
  finds no Receive is answered by an RNR NAK;
- a failure is that of the oldest request that is not complete, whichever the NAK is for.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.completion import Completion, CompletionStatus
from rpcrdma.fabric.refusals import full
from rpcrdma.roce.packet.aeth import NakCode, SyndromeKind, read_syndrome, rnr_timer_seconds
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.packet.psn import full_psn
from rpcrdma.roce.transport.attributes import FOR_EVER
from rpcrdma.roce.transport.local_memory import LocalMemory
from rpcrdma.roce.transport.work import packet_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.fabric.memory import ProtectionDomain
    from rpcrdma.fabric.recorder import Recorder
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.transport.attributes import QueuePairAttributes
    from rpcrdma.roce.transport.work import TransportWork

__all__ = ["WINDOW_OCTETS", "WINDOW_PACKETS", "TransportRequester"]

WINDOW_PACKETS: Final = 128
"""Most packets under way."""

WINDOW_OCTETS: Final = 128 << 10
"""Most octets of payload under way: what a UDP socket of ordinary size can hold."""

_ACK_EVERY: Final = 16
"""So many packets ask for one acknowledgement, and the last of all that leave together."""

_FAILURES: Final[Mapping[int, CompletionStatus]] = {
    NakCode.INVALID_REQUEST: CompletionStatus.REMOTE_INVALID_REQUEST,
    NakCode.REMOTE_ACCESS_ERROR: CompletionStatus.REMOTE_ACCESS_ERROR,
    NakCode.REMOTE_OPERATIONAL_ERROR: CompletionStatus.REMOTE_OPERATION_ERROR,
}
"""NAK -> how the request fails (9.9.2, table 58)."""

_BAD_RESPONSE: Final = CompletionStatus.OTHER
"""A response of a length or at a place that the request does not have; so the verbs call it."""

_STARTS: Final = frozenset({BthOpcode.READ_RESPONSE_FIRST, BthOpcode.READ_RESPONSE_ONLY})
_ENDS: Final = frozenset({BthOpcode.READ_RESPONSE_LAST, BthOpcode.READ_RESPONSE_ONLY})


class TransportRequester:
    """The send queue of one queue pair.

    Attributes:
        failed: a request failed, and all was flushed; the queue pair goes into error.
    """

    def __init__(
        self,
        domain: ProtectionDomain,
        recorder: Recorder,
        completions: list[Completion],
        depth: int,
    ) -> None:
        self.failed = False
        self._memory = LocalMemory(domain, recorder)
        self._completions = completions
        self._depth = depth
        self._queue: deque[TransportWork] = deque()
        self._unsent: deque[TransportWork] = deque()  # what is still to leave, in whole or in part
        self._reads: deque[tuple[int, int]] = deque()  # first and last number of each asked for
        self._stalled = False  # a request was refused: nothing leaves after it
        self._timer: float | None = None
        self._ready_at: float | None = None  # end of the wait after an RNR NAK
        self._repeated: int | None = None  # the oldest packet, when an answer had it sent again

    def start(self, attributes: QueuePairAttributes) -> None:
        """Know the peer."""
        self._attributes = attributes
        self._mtu = attributes.path_mtu
        self._window = min(WINDOW_PACKETS, WINDOW_OCTETS // attributes.path_mtu)
        self._end = self._next = attributes.send_psn  # after all that is posted; that ever left
        self._acknowledged = attributes.send_psn - 1  # the newest that was
        self._retries_left = attributes.retry
        self._attempts_left = attributes.rnr_retry

    # -- posting

    def require_room(self) -> None:
        """Refuse a request more than the queue has room for.

        Raises:
            FabricError: it is full.
        """
        if len(self._queue) >= self._depth:
            raise full(len(self._queue))

    def post(self, work: TransportWork) -> None:
        """Add a request."""
        self._queue.append(work)
        work.first = self._end
        work.refused = self._refusal(work)
        if work.refused is not None:
            self._stalled = True
            return
        work.count = packet_count(work.length, self._mtu)
        self._end += work.count
        self._memory.take(work)
        if not self._stalled:
            self._unsent.append(work)

    def _refusal(self, work: TransportWork) -> CompletionStatus | None:
        if not self._memory.allows(work):
            return CompletionStatus.LOCAL_PROTECTION_ERROR
        if work.is_read and not self._attributes.initiator_depth:
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR
        return None

    # -- sending

    def take_packets(self, out: list[Packet], now: float) -> None:
        """Add what may leave now; the transport timer runs from here on."""
        queue = self._queue
        if not queue:
            return
        if (refused := queue[0].refused) is not None:
            self._fail(refused)
            return
        if self._ready_at is not None:
            return
        limit = self._oldest() + self._window
        before = len(out)
        unsent = self._unsent
        while unsent:
            work = unsent[0]
            if not (self._ask if work.is_read else self._pour)(work, limit, out):
                break
            unsent.popleft()
        if len(out) > before:
            out[-1].ack_request = True
        if self._timer is None and self._attributes.ack_timeout:
            self._timer = now + self._attributes.ack_timeout

    def _oldest(self) -> int:
        """The number of the oldest packet that is missing here or there; something is posted."""
        work = self._queue[0]
        if work.is_read:
            return work.first + work.answered
        return max(work.first, self._acknowledged + 1)

    def _pour(self, work: TransportWork, limit: int, out: list[Packet]) -> bool:
        """Send of a Send or Write what may leave; whether that was all."""
        first, count = work.first, work.count
        index = max(work.sent, self._acknowledged + 1 - first)
        remote = self._attributes.remote
        end = min(count, limit - first)
        while index < end:
            packet = work.packet(index, self._mtu, remote)
            packet.ack_request = (first + index) % _ACK_EVERY == 0
            out.append(packet)
            index += 1
        work.sent = index
        self._next = max(self._next, first + index)
        return index >= count

    def _ask(self, work: TransportWork, limit: int, out: list[Packet]) -> bool:
        """Ask for what is missing of a Read; whether all of it was."""
        work.sent = max(work.sent, work.answered)
        # Pieces begin at the same places each time: a duplicate is a part of one request (9.7.5.1).
        most = work.count if work.count <= self._window else self._window // 2
        while work.sent < work.count:
            piece = min(work.count - work.sent, most - work.sent % most)
            first = work.first + work.sent
            if first + piece > limit or len(self._reads) >= self._attributes.initiator_depth:
                return False
            out.append(work.request(work.sent, piece, self._mtu, self._attributes.remote))
            self._reads.append((first, first + piece - 1))
            work.sent += piece
            self._next = max(self._next, first + piece)
        return True

    def _send_again(self) -> None:
        """Have all leave again that the peer may lack."""
        self._reads.clear()
        self._unsent.clear()
        self._timer = None
        for work in self._queue:
            if work.refused is not None:
                break
            if work.is_read:
                work.asked_again = work.asked_again or work.sent > work.answered
                work.sent = work.answered
            else:
                work.sent = 0
            self._unsent.append(work)

    # -- time

    def deadline(self) -> float | None:
        """When `tick` has something to do."""
        return self._timer if self._ready_at is None else self._ready_at

    def tick(self, now: float) -> None:
        """Send again what was not answered in time, or what the peer was not ready for."""
        if self._ready_at is not None:
            if now >= self._ready_at:
                self._ready_at = self._repeated = None
                if self._queue:
                    self._send_again()
        elif self._timer is not None and now >= self._timer:
            self._repeated = None
            self._retry()

    def _retry(self) -> None:
        if self._retries_left == 0:
            self._fail(CompletionStatus.RETRY_EXCEEDED)
            return
        self._retries_left -= 1
        self._send_again()

    def _retry_once(self) -> None:
        """Because of what came: that may be the same news again, and then the timer decides."""
        oldest = self._oldest()
        if self._ready_at is None and self._repeated != oldest:
            self._repeated = oldest
            self._retry()

    # -- answers

    def receive(self, packet: Packet, now: float) -> None:
        """An acknowledgement or a packet of a Read's response."""
        if not self._queue:
            return
        oldest = self._oldest()
        psn = full_psn(packet.psn, oldest)
        if not oldest <= psn < self._next:
            return  # 9.7.2: a duplicate, or a ghost of another connection
        aeth = packet.aeth
        kind, value = read_syndrome(aeth.syndrome) if aeth is not None else (SyndromeKind.ACK, 0)
        if packet.opcode == BthOpcode.ACKNOWLEDGE:
            if aeth is None:
                return
            if kind is SyndromeKind.ACK:
                self._acknowledge(psn)
            elif kind is not SyndromeKind.RESERVED:
                self._refused(psn, aeth.syndrome, kind, value, now)
        elif kind is SyndromeKind.ACK and packet.opcode != BthOpcode.ATOMIC_ACKNOWLEDGE:
            self._take_response(packet, psn)

    def _acknowledge(self, psn: int) -> None:
        """Everything up to this number was executed; the octets of Reads may be lost, though."""
        if psn > self._acknowledged:
            self._acknowledged = psn
            self._note_progress()
        queue = self._queue
        while queue:
            work = queue[0]
            if work.refused is not None:
                return
            if work.is_read:
                if work.answered < work.count:
                    if self._acknowledged >= work.first + work.answered:
                        self._retry_once()  # an implied NAK (9.7.5.2)
                    return
            elif work.last > self._acknowledged:
                return
            if not self._complete(work):
                return

    def _note_progress(self) -> None:
        self._retries_left = self._attributes.retry
        self._attempts_left = self._attributes.rnr_retry
        self._timer = None  # take_packets starts it again if something is under way

    def _refused(self, psn: int, syndrome: int, kind: SyndromeKind, value: int, now: float) -> None:
        """A NAK for this packet; what went before it was executed."""
        self._acknowledge(psn - 1)
        if self.failed or not self._queue:
            return
        if kind is SyndromeKind.RNR_NAK:
            self._wait(value, now)
        elif syndrome == NakCode.PSN_SEQUENCE_ERROR:
            self._retry_once()
        elif (status := _FAILURES.get(syndrome)) is not None:
            self._fail(status)

    def _wait(self, timer_code: int, now: float) -> None:
        if self._ready_at is not None:
            return  # the same news again
        if self._attempts_left == 0:
            self._fail(CompletionStatus.RNR_RETRY_EXCEEDED)
            return
        if self._attempts_left != FOR_EVER:
            self._attempts_left -= 1
        self._timer = None
        self._ready_at = now + rnr_timer_seconds(timer_code)

    def _take_response(self, packet: Packet, psn: int) -> None:
        if psn - 1 > self._acknowledged:
            self._acknowledge(psn - 1)
            if self.failed or not self._queue:
                return
        work = self._queue[0]
        index = psn - work.first
        if not work.is_read or index != work.answered:
            if work.is_read and index > work.answered:
                self._retry_once()
            return
        if not self._fits(work, packet, psn):
            self._fail(_BAD_RESPONSE, "a response that does not fit the request")
            return
        work.octets.append(packet.payload)
        work.answered = index + 1
        while self._reads and self._reads[0][1] <= psn:
            self._reads.popleft()
        self._note_progress()
        if work.answered == work.count:
            self._acknowledge(psn)

    def _fits(self, work: TransportWork, packet: Packet, psn: int) -> bool:
        """Whether length and place of a packet are those of the response that was asked for."""
        index = psn - work.first
        expected = min(self._mtu, work.length - index * self._mtu)
        if len(packet.payload) != expected:
            return False
        if work.asked_again:
            return True  # of which request it is cannot be told
        first, last = self._reads[0]
        starts, ends = packet.opcode in _STARTS, packet.opcode in _ENDS
        return starts == (psn == first) and ends == (psn == last)

    # -- the end of a request

    def _complete(self, work: TransportWork) -> bool:
        """Complete the oldest, which was carried out; whether that succeeded."""
        if not self._memory.allows(work):  # invalidated while it was under way
            self._fail(CompletionStatus.LOCAL_PROTECTION_ERROR)
            return False
        self._queue.popleft()
        if work.is_read:
            self._memory.land(work)
        if work.signalled:
            self._completions.append(
                Completion(work.work_id, work.opcode, CompletionStatus.SUCCESS, work.length)
            )
        return True

    def _fail(self, status: CompletionStatus, why: str = "") -> None:
        """Complete the oldest request with the status, flush everything else."""
        work = self._queue.popleft()
        self._memory.note_failure(work, why or status.value)
        self._completions.append(Completion(work.work_id, work.opcode, status))
        self.flush()
        self.failed = True

    def flush(self) -> None:
        """Give up all requests."""
        for work in self._queue:
            self._completions.append(
                Completion(work.work_id, work.opcode, CompletionStatus.FLUSHED)
            )
        self._queue.clear()
        self._unsent.clear()
        self._reads.clear()
        self._timer = self._ready_at = None
