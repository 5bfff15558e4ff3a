"""Answers that need no connection, to messages that belong to none.

    InfiniBand Architecture volume 1, 12.6.7.2 (reasons of a REJ), 12.6.11 (DREP)
    InfiniBand Architecture volume 1, 12.9.8.3.1 (stale connections)

They are made of the message alone, so strangers cost no memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.roce.packet.cm_messages import ConnectReject, ConnectRequest, DisconnectReply

if TYPE_CHECKING:
    from rpcrdma.roce.packet.cm_messages import ConnectReply, DisconnectRequest

__all__ = ["disconnection_of", "rejection_of"]


def rejection_of(message: ConnectRequest | ConnectReply, reason: int) -> ConnectReject:
    """A REJ of a REQ or REP, under the id that the message itself has for this side."""
    if isinstance(message, ConnectRequest):
        return ConnectReject(local_id=0, remote_id=message.local_id, rejected=0, reason=reason)
    return ConnectReject(
        local_id=message.remote_id, remote_id=message.local_id, rejected=1, reason=reason
    )


def disconnection_of(request: DisconnectRequest) -> DisconnectReply:
    """A DREP to a DREQ of a connection that is not known here.

    A side that has started again knows nothing of the connections that it had, and one that is
    past its time wait no more either; 12.9.8.3.1 has the peer ask "until DREP is received".  Linux
    answers likewise (cm_dreq_handler).
    """
    return DisconnectReply(local_id=request.remote_id, remote_id=request.local_id)
