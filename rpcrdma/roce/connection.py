"""One end of a RoCE connection: a queue pair and its handshake (see `base.Connection`).

A connection ends once: by `disconnect`, by work that failed here or at the peer, or by the peer's
DREQ; the queue pair is then in error, and all that was posted is flushed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import ConnectionRejected, FabricError
from rpcrdma.fabric.completion import WorkId
from rpcrdma.fabric.memory import ProtectionDomain, Region
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.refusals import gone, why_refused
from rpcrdma.fabric.segments import require_segments
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.cm import CmNoticeKind, CmOffer
from rpcrdma.roce.packet.aeth import ack_timeout_seconds
from rpcrdma.roce.transport.queue_pair import QueuePair, QueuePairAttributes, QueuePairState

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Access, Clock, ConnectionParameters, MemoryRegion
    from rpcrdma.fabric.completion import Completion
    from rpcrdma.fabric.segments import Segments
    from rpcrdma.roce.cm import CmHandshake, CmNotice
    from rpcrdma.roce.fabric import RoceFabric

__all__ = ["RoceConnection"]

_GONE_PAUSE: Final = 1e-3
"""Seconds that polling a connection takes which has nothing left to say: lets the others go on."""

_PSN_BITS: Final = 24


class RoceConnection:
    """One end of a connection, from its first message of connection management on.

    Attributes:
        pair: the queue pair.
        local, remote: addresses of both ends.
        recorder: of its events.
        refusal: why there will be no connection, once the peer has said so or is silent.
        established: whether it was made.
        ended: whether it is over, or was given up; the peer may not know that yet.
    """

    def __init__(
        self, fabric: RoceFabric, parameters: ConnectionParameters, local: str, remote: str
    ) -> None:
        self.local = local
        self.remote = remote
        self.recorder = Recorder(fabric, fabric.device.link.clock)  # that of the frames
        self.refusal: FabricError | None = None
        self.established = False
        self.ended = False
        self._device = device = fabric.device
        self._settings = fabric.settings
        self._parameters = parameters
        self._domain = ProtectionDomain(device.allocator)
        self._private_data = b""
        self._handshake: CmHandshake | None = None
        self._mtu = 0
        self._last_id = 0
        self._found: list[Completion] = []
        self._starting_psn = device.random.getrandbits(_PSN_BITS)
        self.pair = QueuePair(
            device.new_number(),
            self._domain,
            self.recorder,
            send_depth=parameters.send_depth,
            receive_depth=parameters.receive_depth,
            requester=fabric.parts.requester,
            responder=fabric.parts.responder,
        )
        device.bind(self)
        for segments in parameters.initial_receives:
            self.pair.post_receive(self._next_id(), segments)

    # -- what base.Connection promises

    @property
    def private_data(self) -> bytes:
        """What the peer sent when the connection was made; the CM appends zeroes."""
        return self._private_data

    @property
    def connected(self) -> bool:
        """Whether work can still be posted."""
        return self.established and not self.ended

    @property
    def clock(self) -> Clock:
        """The fabric's clock."""
        return self._device.link.patience

    @property
    def bears_invalidation(self) -> bool:
        """Every handle is one that the peer can end."""
        return True

    def register(self, length: int, access: Access) -> Region:
        """Register `length` octets of zeroed memory."""
        with self._device.lock:
            region = self._domain.register(length, access)
        self.recorder.registered(region)
        return region

    def invalidate(self, region: MemoryRegion) -> None:
        """End the peer's access to the region."""
        with self._device.lock:
            found = self._domain.find(region.handle)
            if not isinstance(found, Region):
                return
            found.invalidate()
        self.recorder.note(Side.LOCAL, EventKind.INVALIDATE, handle=found.handle)

    def post_receive(self, segments: Segments) -> WorkId:
        """Post a Receive, whose message fills the segments in their order."""
        with self._device.lock:
            self._require_connection()
            if len(segments) != 1:  # one is always allowed
                require_segments(segments, self._parameters.receive_segments)
            work_id = self._next_id()
            self.pair.post_receive(work_id, segments)
        return work_id

    def post_send(
        self, data: bytes, *, invalidate: int | None = None, signalled: bool = True
    ) -> WorkId:
        """Send `data`, optionally as a Send With Invalidate."""
        with self._device.lock:
            self._require_connection()
            work_id = self._next_id()
            self.pair.post_send(work_id, bytes(data), invalidate=invalidate, signalled=signalled)
            self._device.transmit(self)
        return work_id

    def post_rdma_read(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Read the peer's memory into `region`."""
        with self._device.lock:
            self._require_connection()
            work_id = self._next_id()
            self.pair.post_read(work_id, region, start, length, handle, offset)
            self._device.transmit(self)
        return work_id

    def post_rdma_write(
        self, region: MemoryRegion, start: int, length: int, handle: int, offset: int
    ) -> WorkId:
        """Write octets of `region` into the peer's memory."""
        with self._device.lock:
            self._require_connection()
            work_id = self._next_id()
            self.pair.post_write(work_id, region, start, length, handle, offset)
            self._device.transmit(self)
        return work_id

    def poll(self, timeout: float) -> list[Completion]:
        """Completions in order; waits up to `timeout` seconds for the first."""
        device = self._device
        if self.ended and not self._has_completions():
            timeout = min(timeout, _GONE_PAUSE)
        elif timeout > 0:
            timeout = max(timeout, device.least_wait)
        device.wait(self._has_completions, timeout)
        completions, self._found = self._found, []
        if completions:
            device.on_activity()
        return completions

    def disconnect(self) -> None:
        """End the connection in an orderly way; first, what the peer is owed gets there."""
        if self._is_lacked():
            self._device.outwait(self._is_lacked)
        with self._device.lock:
            if not self.ended:
                self.recorder.note(Side.LOCAL, EventKind.DISCONNECT)
                self._end()

    def close(self) -> None:
        """Disconnect and deregister everything."""
        self.disconnect()
        with self._device.lock:
            self._domain.invalidate_all()
            self._device.release(self)

    # -- making the connection

    def offer(self, path_mtu: int, initiator_depth: int, private_data: bytes) -> CmOffer:
        """What this end brings, for its REQ or REP."""
        settings = self._settings
        return CmOffer(
            queue_pair=self.pair.number,
            starting_psn=self._starting_psn,
            private_data=private_data,
            responder_resources=settings.most_reads,
            initiator_depth=initiator_depth,
            ack_timeout=settings.told_ack_timeout,
            retry=min(settings.told_retry, self._parameters.retry),
            rnr_retry=self._parameters.rnr_retry,
            path_mtu=path_mtu,
        )

    def request(self, port: int, path_mtu: int) -> None:
        """Ask the peer for the connection."""
        device = self._device
        with device.lock:
            offer = self.offer(path_mtu, self._settings.most_reads, self._parameters.private_data)
            self._handshake = handshake = device.manager.connect(
                self.local, self.remote, port, offer, device.link.clock.now()
            )
            self._mtu = path_mtu
            device.watch(handshake, self)
            device.manage()

    def accept(self, handshake: CmHandshake, peer: CmOffer, path_mtu: int) -> None:
        """Take up what a peer asks for."""
        device = self._device
        with device.lock:
            self._handshake = handshake
            self._mtu = min(path_mtu, peer.path_mtu)
            self._private_data = peer.private_data
            self.recorder.note(Side.PEER, EventKind.CONNECT, data=peer.private_data)
            own = self._parameters.private_data
            self.recorder.note(Side.LOCAL, EventKind.CONNECT, data=own)
            self._ready_to_receive(peer)
            device.watch(handshake, self)
            depth = min(self._settings.most_reads, peer.responder_resources)
            handshake.accept(self.offer(self._mtu, depth, own), device.link.clock.now())
            device.manage()

    def abandon(self) -> None:
        """Give up before the connection is made."""
        with self._device.lock:
            self.ended = True
            self.pair.fail()
            self._owe_nothing()
            if self._handshake is not None:
                self._handshake.abandon()
                self._device.manage()
                self._device.forget(self._handshake)
            self._device.release(self)

    def noticed(self, notice: CmNotice) -> None:
        """Learn from the connection manager how the handshake goes."""
        match notice.kind:
            case CmNoticeKind.REPLY:
                self._replied(notice)
            case CmNoticeKind.ESTABLISHED:
                self._establish()
            case CmNoticeKind.REJECTED:
                self.refusal = ConnectionRejected(why_refused(notice.reason), notice.private_data)
                self._finish()
            case CmNoticeKind.UNREACHABLE:
                self.refusal = FabricError("no answer")
                self._finish()
            case CmNoticeKind.DISCONNECTED:
                self._finish()
            case _:
                pass  # REQUEST is the listener's

    def advanced(self) -> None:
        """See whether work has failed, after which the peer must learn that this is the end."""
        if self._handshake is not None and not self.established and not self.ended:
            # The peer's first packet may overtake its RTU (IBA 12.9.7.2, communication
            # established).
            self._handshake.communication_established()
            self._device.manage()
        if self.pair.state is QueuePairState.ERROR and not self.ended:
            self._end()

    def _replied(self, notice: CmNotice) -> None:
        handshake = notice.handshake
        peer = handshake.peer
        if peer is None or self.ended:
            return
        self._private_data = peer.private_data
        self.recorder.note(Side.PEER, EventKind.CONNECT, data=peer.private_data)
        self._ready_to_receive(peer)
        handshake.ready()
        self._establish()

    def _ready_to_receive(self, peer: CmOffer) -> None:
        self.pair.ready_to_receive(self._attributes(peer))
        self._device.link.owed.join(self.pair.number, peer.queue_pair)

    def _establish(self) -> None:
        if not self.ended and not self.established:
            self.pair.ready_to_send()
            self.established = True

    def _attributes(self, peer: CmOffer) -> QueuePairAttributes:
        settings, parameters = self._settings, self._parameters
        return QueuePairAttributes(
            remote=peer.queue_pair,
            send_psn=peer.starting_psn,
            expected_psn=self._starting_psn,
            path_mtu=self._mtu,
            ack_timeout=ack_timeout_seconds(settings.ack_timeout),
            retry=parameters.retry,
            rnr_retry=parameters.rnr_retry,
            rnr_timer=settings.rnr_timer,
            initiator_depth=min(settings.most_reads, peer.responder_resources),
            responder_resources=settings.most_reads,
        )

    def _require_connection(self) -> None:
        if not self.connected:
            raise gone()

    def _next_id(self) -> WorkId:
        self._last_id += 1
        return WorkId(self._last_id)

    def _has_completions(self) -> bool:
        with self._device.lock:
            self._found += self.pair.take_completions()
        return bool(self._found)

    def _end(self) -> None:
        """Stop posting, flush, and have the peer learn of it."""
        self.ended = True
        device = self._device
        device.transmit(self)  # the NAK that says why
        self.pair.fail()
        if self._handshake is not None:
            self._handshake.disconnect(device.link.clock.now())
            device.manage()
        self._owe_nothing()

    def _finish(self) -> None:
        """The peer has ended the connection, or has confirmed its end."""
        if self._handshake is not None:
            self._device.forget(self._handshake)
        if not self.ended:
            if self.established:
                self.recorder.note(Side.PEER, EventKind.DISCONNECT)
            self.ended = True
            self.pair.fail()
            self._owe_nothing()

    def _owe_nothing(self) -> None:
        """What was lost of the connection is not sent again."""
        link = self._device.link
        link.owed.part(self.pair.number, link.clock.now())

    def _is_lacked(self) -> bool:
        """Whether the peer will still be sent what it has not got: not once this end is over."""
        link = self._device.link
        return not self.ended and link.owed.lacks(self.pair.number, link.clock.now())
