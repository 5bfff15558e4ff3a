"""The frames by which the connections of a trace are made and ended.

Wireshark learns from them which two queue pairs talk to each other: without, it takes each
direction for a conversation of its own, finds the Call of no Reply and cannot take its results
apart.  A trace tells who connected, who accepted or refused, and with which private data; the other
fields are those of an ordinary connection.

    InfiniBand Architecture volume 1, 12.6, 12.9  messages of connection management, their order
    InfiniBand Architecture annex A11             service ids and private data of rdma_cm
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reports.capture.roce import PATH_MTU, frame
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent
from rpcrdma.roce.packet.cm_codes import RejectReason, path_mtu_code
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    ReadyToUse,
    encode_cm,
)
from rpcrdma.roce.packet.cm_private_data import IpHeader, encode_private_data, service_of_port
from rpcrdma.roce.packet.internet import gid_of_address
from rpcrdma.roce.packet.mad import mad_packet

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.capture.roce import Flow

__all__ = ["SetupFrames"]

_NFS_PORT: Final = 20049
"""IANA's port of NFS over RDMA.  Where a peer called, a trace of the side that was called does not
tell; nothing hangs on it."""

_TIMEOUT: Final = 20
"""Code of the timeouts: 4.3 s."""

_RETRIES: Final = 7


@dataclass(slots=True)
class SetupFrames:
    """Makes the frames of connection events, in the order of the trace.

    Args:
        flow_of: the direction of a connection that a side sends in.
    """

    flow_of: Callable[[int, Side], Flow]
    _active: dict[int, Side] = field(default_factory=dict)
    _ended: set[int] = field(default_factory=set)
    _sent: int = 0

    def of(self, event: TraceEvent) -> list[bytes]:
        """The frames of a connection event; none where no message tells of it."""
        match event.kind:
            case EventKind.CONNECT:
                return self._connect(event)
            case EventKind.REJECT:
                return self._reject(event)
            case EventKind.DISCONNECT if event.connection not in self._ended:
                return self._disconnect(event)
            case _:
                return []

    def _connect(self, event: TraceEvent) -> list[bytes]:
        """The request, for the first event of a connection; for the second, the reply to it."""
        active = self._active.get(event.connection)
        if active is None:
            self._active[event.connection] = event.side
            return [self._say(event.connection, event.side, self._request(event))]
        own, peer = _ids(event.connection, active)
        ready = ReadyToUse(local_id=own, remote_id=peer)
        return [
            self._say(event.connection, event.side, self._reply(event)),
            self._say(event.connection, active, ready),
        ]

    def _reject(self, event: TraceEvent) -> list[bytes]:
        if event.connection not in self._active:
            return []  # the request that is refused was of no connection, and is not in the trace
        _, peer = _ids(event.connection, event.side)
        refusal = ConnectReject(
            local_id=0,
            remote_id=peer,
            rejected=0,
            reason=RejectReason.CONSUMER,
            private_data=event.data,
        )
        return [self._say(event.connection, event.side, refusal)]

    def _disconnect(self, event: TraceEvent) -> list[bytes]:
        self._ended.add(event.connection)
        number, other = event.connection, event.side.other
        own, peer = _ids(number, event.side)
        target = self.flow_of(number, event.side).queue_pair
        request = DisconnectRequest(local_id=own, remote_id=peer, queue_pair=target)
        reply = DisconnectReply(local_id=peer, remote_id=own)
        return [self._say(number, event.side, request), self._say(number, other, reply)]

    def _request(self, event: TraceEvent) -> ConnectRequest:
        flow = self.flow_of(event.connection, event.side)
        own, _ = _ids(event.connection, event.side)
        _, _, port = event.detail.rpartition(":")
        header = IpHeader(4, flow.port, flow.source, flow.destination)
        return ConnectRequest(
            local_id=own,
            service_id=service_of_port(int(port) if port.isdecimal() else _NFS_PORT),
            guid=_guid(event.side),
            queue_pair=self.flow_of(event.connection, event.side.other).queue_pair,
            responder_resources=1,
            initiator_depth=1,
            remote_timeout=_TIMEOUT,
            flow_control=1,
            starting_psn=0,
            local_timeout=_TIMEOUT,
            retry=_RETRIES,
            path_mtu=path_mtu_code(PATH_MTU),
            rnr_retry=_RETRIES,
            most_cm_retries=_RETRIES,
            local_gid=gid_of_address(flow.source),
            remote_gid=gid_of_address(flow.destination),
            ack_timeout=_TIMEOUT,
            private_data=encode_private_data(header, event.data),
        )

    def _reply(self, event: TraceEvent) -> ConnectReply:
        own, peer = _ids(event.connection, event.side)
        return ConnectReply(
            local_id=own,
            remote_id=peer,
            queue_pair=self.flow_of(event.connection, event.side.other).queue_pair,
            starting_psn=0,
            responder_resources=1,
            initiator_depth=1,
            flow_control=1,
            rnr_retry=_RETRIES,
            guid=_guid(event.side),
            private_data=event.data,
        )

    def _say(self, connection: int, side: Side, message: CmMessage) -> bytes:
        """The frame of a message; one transaction makes a connection, another ends it."""
        ends = isinstance(message, DisconnectRequest | DisconnectReply)
        self._sent += 1
        mad = encode_cm(message, 2 * connection + ends)
        return frame(self.flow_of(connection, side), mad_packet(mad, self._sent))


def _ids(connection: int, side: Side) -> tuple[int, int]:
    """The communication id of a side, and that of the other."""
    local, peer = connection << 1, connection << 1 | 1
    return (local, peer) if side is Side.LOCAL else (peer, local)


def _guid(side: Side) -> int:
    """Of a locally administered adapter."""
    return 0x0200_0000_0000_0001 if side is Side.LOCAL else 0x0200_0000_0000_0002
