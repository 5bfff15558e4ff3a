"""Which connections there are, and by what each is found.

    InfiniBand Architecture volume 1, 12.9.8.3.1 (a queue pair that is already connected)

A connection is known by its own id until its time wait is over.  The request of a peer is known by
the peer's id, so that a duplicate is told from a new one; a peer's queue pair by its number, so
that a stale connection is noticed.  Both only together with the address that the messages come
from and the peer's GUID: nobody else can end a connection, and a host that starts again as another
device begins afresh.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from rpcrdma.roce.cm.states import HALF_OPEN, OVER, CmState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.roce.cm.handshake import CmHandshake

__all__ = ["MOST_HALF_OPEN", "MOST_TIME_WAITS", "CmRegistry"]

MOST_HALF_OPEN: Final = 128
"""Requests of others at a time that have not become connections; one more is rejected."""

MOST_TIME_WAITS: Final = 1024
"""Connections at a time that are over and remembered; one more, and the oldest is forgotten."""

_PeerKey = tuple[str, int, int]


class CmRegistry:
    """The connections of one manager."""

    def __init__(self) -> None:
        self._by_id: dict[int, CmHandshake] = {}
        self._by_request: dict[_PeerKey, CmHandshake] = {}
        self._by_queue_pair: dict[_PeerKey, CmHandshake] = {}
        self._half_open: set[int] = set()
        self._time_waits: OrderedDict[int, CmHandshake] = OrderedDict()
        self._deadline: float | None = None
        self._is_deadline_known = True

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, own_id: object) -> bool:
        return own_id in self._by_id

    @property
    def is_full(self) -> bool:
        """Whether no further request of others can be taken in."""
        return len(self._half_open) >= MOST_HALF_OPEN

    def by_id(self, own_id: int) -> CmHandshake | None:
        """The connection with this id of ours."""
        return self._by_id.get(own_id)

    def by_request(self, source: str, guid: int, peer_id: int) -> CmHandshake | None:
        """The connection that this host asked for by a request with this id."""
        return self._by_request.get((source, guid, peer_id))

    def by_queue_pair(self, source: str, guid: int, queue_pair: int) -> CmHandshake | None:
        """The connection, not over, of this queue pair of this host."""
        return self._by_queue_pair.get((source, guid, queue_pair))

    def half_open(self) -> list[CmHandshake]:
        """The requests of others that have not become connections."""
        return [self._by_id[own_id] for own_id in self._half_open]

    def due(self, now: float) -> list[CmHandshake]:
        """The connections whose deadline has passed, the earliest first."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return []
        passed = [
            (handshake.deadline, own_id)
            for own_id, handshake in self._by_id.items()
            if handshake.deadline is not None and handshake.deadline <= now
        ]
        return [self._by_id[own_id] for _, own_id in sorted(passed)]

    def deadline(self) -> float | None:
        """The earliest deadline of all."""
        if not self._is_deadline_known:
            self._deadline = min(_deadlines(self._by_id.values()), default=None)
            self._is_deadline_known = True
        return self._deadline

    def moved(self, handshake: CmHandshake) -> None:
        """Note that a connection has begun, has another state, or is over."""
        self._is_deadline_known = False
        self._by_id[handshake.own_id] = handshake
        self._note_half_open(handshake)
        self._note_peer(handshake)
        if handshake.state is CmState.TIME_WAIT:
            self._time_waits[handshake.own_id] = handshake
            if len(self._time_waits) > MOST_TIME_WAITS:
                next(iter(self._time_waits.values())).abandon()
        elif handshake.state is CmState.IDLE:
            self._forget(handshake)

    def _note_half_open(self, handshake: CmHandshake) -> None:
        if handshake.state in HALF_OPEN:
            self._half_open.add(handshake.own_id)
        else:
            self._half_open.discard(handshake.own_id)

    def _note_peer(self, handshake: CmHandshake) -> None:
        if handshake.peer is None:
            return
        source, guid = handshake.remote, handshake.peer_guid
        if handshake.is_passive:
            self._by_request[source, guid, handshake.peer_id] = handshake
        key = (source, guid, handshake.peer.queue_pair)
        if handshake.state not in OVER:
            self._by_queue_pair[key] = handshake
        elif self._by_queue_pair.get(key) is handshake:
            del self._by_queue_pair[key]

    def _forget(self, handshake: CmHandshake) -> None:
        del self._by_id[handshake.own_id]
        self._time_waits.pop(handshake.own_id, None)
        key = (handshake.remote, handshake.peer_guid, handshake.peer_id)
        if self._by_request.get(key) is handshake:
            del self._by_request[key]


def _deadlines(handshakes: Iterable[CmHandshake]) -> list[float]:
    return [one.deadline for one in handshakes if one.deadline is not None]
