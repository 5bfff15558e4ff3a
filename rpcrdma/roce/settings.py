"""What a RoCE fabric chooses for its connections, beyond `ConnectionParameters`.

    InfiniBand Architecture volume 1, 9.7.5.2.8 (RNR timer), 9.7.6.1.3 (ack timeout), 12.7 (REQ)

The timeouts are codes of five bits, as they travel in connection management: a local ack timeout
of `n` is 4.096 us * 2^n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["ORDINARY", "RoceSettings"]


@dataclass(frozen=True, slots=True)
class RoceSettings:
    """Transport attributes of one side's connections.

    Attributes:
        ack_timeout: code, for requests of ours that nobody acknowledges.
        told_ack_timeout: code, what a peer that we connect to is told to use towards us.
        told_retry: how often it is told to send again what we do not acknowledge, at most 7.
        rnr_timer: code that our "receiver not ready" asks a peer to wait for.
        most_reads: RDMA Reads under way at one time, in either direction.
        linger: seconds that closing waits for peers to confirm that connections have ended.
    """

    ack_timeout: int = 16
    told_ack_timeout: int = 17
    told_retry: int = 6
    rnr_timer: int = 14
    most_reads: int = 16
    linger: float = 0.3


ORDINARY: Final = RoceSettings()
"""0.27 s until something is sent again, 0.54 s for the peer: we answer in between calls of `poll`,
at the latest with the next heartbeat."""
