"""What two queue pairs agree on when their connection is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["FOR_EVER", "QueuePairAttributes"]

FOR_EVER: Final = 7
"""An RNR retry count that never runs out (9.7.5.2.8)."""


@dataclass(frozen=True, slots=True)
class QueuePairAttributes:
    """Attributes of a queue pair (InfiniBand Architecture volume 1, 11.2.4.2).

    Attributes:
        remote: number of the peer's queue pair.
        send_psn: packet sequence number of the first packet sent.
        expected_psn: of the first that comes.
        path_mtu: most octets of a packet's payload: 256, 512, 1024, 2048 or 4096.
        ack_timeout: seconds after which what was not acknowledged is sent again; 0 is never.
        retry: how often it is, until the peer is given up.
        rnr_retry: how often a Send that found no Receive is sent again; 7 is for ever.
        rnr_timer: code of the time that the peer waits until then (9.7.5.2.8).
        initiator_depth: most Reads of this end under way; 0 refuses them.
        responder_resources: most Reads of the peer.
    """

    remote: int
    send_psn: int
    expected_psn: int
    path_mtu: int
    ack_timeout: float
    retry: int
    rnr_retry: int
    rnr_timer: int
    initiator_depth: int
    responder_resources: int
