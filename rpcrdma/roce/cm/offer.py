"""What one side of a connection offers the other: its queue pair, and how it wants to be served.

InfiniBand Architecture volume 1, 12.6.5 (REQ), 12.6.8 (REP), 12.7 (their fields)
InfiniBand Architecture annex A11 (what the RDMA IP CM service leaves of the private data)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from rpcrdma.errors import LocalProtocolError
from rpcrdma.roce.packet.cm_codes import path_mtu_octets
from rpcrdma.roce.packet.cm_messages import (
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    most_private_data,
)
from rpcrdma.roce.packet.cm_private_data import MOST_USER_DATA, decode_private_data

__all__ = [
    "MOST_IN_REJECT",
    "MOST_IN_REPLY",
    "MOST_IN_REQUEST",
    "PATH_MTUS",
    "CmOffer",
    "offer_of_reply",
    "offer_of_request",
]

MOST_IN_REQUEST: Final = MOST_USER_DATA
"""Octets of private data in a request: those of a REQ, less the header with the addresses."""

MOST_IN_REPLY: Final = most_private_data(ConnectReply)
MOST_IN_REJECT: Final = most_private_data(ConnectReject)

PATH_MTUS: Final = (256, 512, 1024, 2048, 4096)
"""Octets; what a request can say (12.7)."""

_BITS: Final = {
    "queue_pair": 24,
    "starting_psn": 24,
    "responder_resources": 8,
    "initiator_depth": 8,
    "ack_timeout": 5,
    "retry": 3,
    "rnr_retry": 3,
}
"""Field -> its width in the messages."""


@dataclass(frozen=True, slots=True)
class CmOffer:
    """One side of a connection, as that side says it.

    Attributes:
        queue_pair: number of its queue pair.
        starting_psn: the PSN of the first packet that this side *expects*; the other side starts
            with it (12.7).
        private_data: for the application; at most `MOST_IN_REQUEST` octets in a request,
            `MOST_IN_REPLY` in a reply.  The end of what the peer sent is padding with zeros.
        responder_resources: RDMA Reads of the other side that this one serves at a time.
        initiator_depth: RDMA Reads of its own that this side has under way at a time.
        ack_timeout: code; after 4.096 us * 2^code without an acknowledgement the other side sends
            again.  Only requests have it, as they have `retry` and `path_mtu`: in the offer of a
            side that replies it is that of the request.
        retry: times that the other side sends again before it gives up.
        rnr_retry: the same where no Receive is posted; 7 means for ever.
        path_mtu: octets of payload in one packet at most; one of `PATH_MTUS`.

    Raises:
        LocalProtocolError: a value does not fit its field.
    """

    queue_pair: int
    starting_psn: int
    private_data: bytes
    responder_resources: int
    initiator_depth: int
    ack_timeout: int
    retry: int
    rnr_retry: int
    path_mtu: int

    def __post_init__(self) -> None:
        """Refuse what no message can say."""
        for name, bits in _BITS.items():
            value = getattr(self, name)
            if not 0 <= value < 1 << bits:
                raise LocalProtocolError(f"{name} has {bits} bits, {value} does not fit")
        if self.path_mtu not in PATH_MTUS:
            raise LocalProtocolError(f"no path MTU: {self.path_mtu} octets")


def offer_of_request(request: ConnectRequest) -> CmOffer:
    """What the active side offers.

    Raises:
        BadFrame: the path MTU is none, or the private data are not rdma_cm's.
    """
    _, private_data = decode_private_data(request.private_data)
    return CmOffer(
        queue_pair=request.queue_pair,
        starting_psn=request.starting_psn,
        private_data=private_data,
        responder_resources=request.responder_resources,
        initiator_depth=request.initiator_depth,
        ack_timeout=request.ack_timeout,
        retry=request.retry,
        rnr_retry=request.rnr_retry,
        path_mtu=path_mtu_octets(request.path_mtu),
    )


def offer_of_reply(reply: ConnectReply, request: CmOffer) -> CmOffer:
    """What the passive side offers in answer to a request of ours."""
    return replace(
        request,
        queue_pair=reply.queue_pair,
        starting_psn=reply.starting_psn,
        private_data=reply.private_data,
        responder_resources=reply.responder_resources,
        initiator_depth=reply.initiator_depth,
        rnr_retry=reply.rnr_retry,
    )
