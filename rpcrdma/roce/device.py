"""One end of a RoCEv2 network: a link, its connection manager, and its queue pairs.

What comes from the link is sorted by destination queue pair: number 1 is the connection manager's
(IBA 12, 13.5), every other one belongs to a connection and is heard only from the host that the
connection was made with.  What is broken, or for nobody, is counted and dropped.

Nothing happens but in `progress`, which whoever waits calls again and again, and in the moment in
which work is posted.  A lock keeps the heartbeat's thread (`rpcrdma.roce.heartbeat`) and the
caller's apart; nobody waits while holding it.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.errors import BadFrame
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.cm import ConnectionManager
from rpcrdma.roce.packet.bth import PSN_MASK, decode, encode
from rpcrdma.roce.packet.datagram import seal
from rpcrdma.roce.packet.mad import GENERAL_SERVICES, QUEUE_KEY, mad_packet

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.cm import CmHandshake, CmNotice
    from rpcrdma.roce.link.faulty_link import FaultyLink
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.datagram import Datagram
    from rpcrdma.roce.transport.queue_pair import QueuePair

__all__ = ["BoundPair", "RoceDevice"]

_LOOK: Final = 0.005  # seconds
_ANY: Final = 1.0  # likewise
_FIRST_NUMBER: Final = 0x10
_NUMBERS: Final = 1 << 24


class BoundPair(Protocol):
    """A queue pair with the connection that it belongs to."""

    pair: QueuePair
    local: str
    remote: str

    def noticed(self, notice: CmNotice) -> None:
        """Learn something of the connection management."""
        ...

    def advanced(self) -> None:
        """Look at the queue pair, for which something has come or whose time has run out."""
        ...


class RoceDevice:
    """The link's user, and the owner of all that lives on it.

    Args:
        link: which is closed together with the device.
        seed: of numbers, keys and addresses; None for those that nobody can guess.
        allocator: of handles and addresses; one of its own if None.
    """

    def __init__(
        self, link: FaultyLink, seed: int | None = None, allocator: HandleAllocator | None = None
    ) -> None:
        self.link = link
        self.lock = threading.RLock()
        self.random = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311
        self.allocator = allocator or HandleAllocator(self.random.getrandbits(64))
        self.manager = ConnectionManager(self.random.getrandbits(64), self.random)
        self.dropped: Counter[str] = Counter()
        self.on_request: Callable[[CmNotice], None] = lambda _: None
        self.on_activity: Callable[[], None] = lambda: None
        self.progressed = 0.0
        self._now = link.clock.now
        self._is_virtual = link.is_virtual
        self._woken = 0.0
        self._bound: dict[int, BoundPair] = {}
        self._handshakes: dict[CmHandshake, BoundPair] = {}
        self._datagrams = self.random.getrandbits(24)
        self._silenced: set[int] = set()

    # -- queue pairs

    def new_number(self) -> int:
        """The number of a queue pair that this device has never had."""
        while (number := self.random.randrange(_FIRST_NUMBER, _NUMBERS)) in self._bound:
            pass
        return number

    def bind(self, bound: BoundPair) -> None:
        """Hear what comes for a queue pair."""
        self._bound[bound.pair.number] = bound

    def release(self, bound: BoundPair) -> None:
        """Hear it no longer."""
        self._bound.pop(bound.pair.number, None)

    def watch(self, handshake: CmHandshake, bound: BoundPair) -> None:
        """Give the notices of a handshake to its connection."""
        self._handshakes[handshake] = bound

    def forget(self, handshake: CmHandshake) -> None:
        """Give them to nobody."""
        self._handshakes.pop(handshake, None)

    def silence(self, bound: BoundPair) -> None:
        """Send nothing for a connection and hear nothing of it, as if this host were gone."""
        self._silenced.add(bound.pair.number)
        self.release(bound)

    @property
    def is_disconnecting(self) -> bool:
        """Whether a peer has not confirmed yet that its connection is at its end."""
        with self.lock:
            return any(handshake.is_disconnecting for handshake in self._handshakes)

    # -- progress

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Make progress until `ready()`; False when `timeout` seconds are over first."""
        now, link = self._now, self.link
        deadline = now() + timeout
        slept = False
        while True:
            self.progress()
            if ready():
                return True
            if now() >= deadline and slept:
                return False
            due = self._due()
            link.sleep(deadline if due is None else min(deadline, due))
            slept = True

    def wait_patiently(self, ready: Callable[[], bool], timeout: float) -> bool:
        """The same, but seconds in which a packet is owed (`link.owed`) do not count."""
        patience = self.link.patience
        end = patience.now() + timeout
        while not self.wait(ready, max(end - patience.now(), self.least_wait)):
            if patience.now() >= end:
                return False
        return True

    def outwait(self, is_owed: Callable[[], bool]) -> None:
        """Make progress until something is owed no longer, which has an end of its own."""
        # The clock stands meanwhile, so that no timeout would run out.
        self.wait_patiently(lambda: not is_owed(), _ANY)

    @property
    def least_wait(self) -> float:
        """Seconds that whoever waits by the link's patience must let pass at a time.

        That clock may stand in the moment before a timeout is over.
        """
        return _LOOK if self.link.owed else 0.0

    def progress(self) -> None:
        """Take in what has come, let timers run out, and send what is to be sent."""
        with self.lock:
            self._progress()

    def progress_for_owner(self) -> None:
        """The same in another thread than the owner's.

        The owner may be asleep until something comes, and what has come is no longer to be seen.
        """
        with self.lock:
            if self._progress():
                self.link.wake()

    def _progress(self) -> bool:
        """Whether there was anything to be done."""
        now = self.progressed = self._now()
        came = self.link.receive()
        due = self._due()
        # Mostly there is nothing: on a switch, everybody has a turn after every event.
        busy = bool(came) or (due is not None and due <= now)
        if busy:
            self._advance(came, now)
            due = self._due()
        if due is not None and self._is_virtual:
            self._plan(due, now)
        return busy

    def _advance(self, came: list[Datagram], now: float) -> None:
        touched: dict[int, BoundPair] = {}
        for datagram in came:
            bound = self._take(datagram, now)
            if bound is not None:
                touched[bound.pair.number] = bound
        for number, bound in self._bound.items():
            due = bound.pair.deadline()
            if due is not None and due <= now:
                bound.pair.tick(now)
                touched[number] = bound
        for bound in touched.values():
            self.transmit(bound)
        self._manage(now)
        for bound in touched.values():
            bound.advanced()

    def transmit(self, bound: BoundPair) -> None:
        """Send what a queue pair has to say."""
        pair = bound.pair
        for packet in pair.take_packets(self._now()):
            if pair.number in self._silenced:
                continue
            self._send(bound.local, bound.remote, packet)

    def manage(self) -> None:
        """Send what the connection manager has to say, and hand out what it has learnt."""
        with self.lock:
            self._manage(self._now())

    def _manage(self, now: float) -> None:
        manager = self.manager
        due = manager.deadline()
        if due is not None and due <= now:
            manager.tick(now)
        self._send_messages()
        while notices := manager.take_events():
            for notice in notices:
                bound = self._handshakes.get(notice.handshake)
                if bound is not None:
                    bound.noticed(notice)
                else:
                    self.on_request(notice)
            self._send_messages()

    def _send_messages(self) -> None:
        for local, remote, octets in self.manager.take_messages():
            self._send(local, remote, mad_packet(octets, self._datagrams))
            self._datagrams = (self._datagrams + 1) & PSN_MASK

    def _send(self, local: str, remote: str, packet: Packet) -> None:
        self.link.send(seal(local, remote, self.link.port, encode(packet)))

    def is_intact(self, datagram: Datagram) -> bool:
        """Whether its ICRC is right, as far as the link can see."""
        return datagram.intact is not False

    def _take(self, datagram: Datagram, now: float) -> BoundPair | None:
        """Sort one datagram; returns the queue pair that it was for."""
        if not self.is_intact(datagram):
            self.dropped["ICRC"] += 1
            return None
        try:
            packet = decode(datagram.transport)
        except BadFrame:
            self.dropped["header"] += 1
            return None
        if packet.destination == GENERAL_SERVICES:
            self._take_message(datagram, packet, now)
            return None
        bound = self._bound.get(packet.destination)
        if bound is None or bound.remote != datagram.source:
            self.dropped["nobody's"] += 1
            return None
        bound.pair.receive(packet, now)
        return bound

    def _take_message(self, datagram: Datagram, packet: Packet, now: float) -> None:
        if packet.deth is None or packet.deth.queue_key != QUEUE_KEY:
            self.dropped["Q_Key"] += 1
            return
        self.manager.receive(datagram.source, datagram.destination, packet.payload, now)
        # At once: to a second REP that came with the first, a connection has an answer (an RTU, not
        # a MRA, for which the peer would wait long if the RTU got lost).
        self._manage(now)

    def _plan(self, due: float, now: float) -> None:
        """See that time stops where our next timer runs out, while others sleep."""
        if self._woken <= now or due < self._woken:
            self._woken = due
            self.link.wake_at(due)

    def _due(self) -> float | None:
        """When a timer runs out next."""
        due = self.manager.deadline()
        for bound in self._bound.values():
            moment = bound.pair.deadline()
            if moment is not None and (due is None or moment < due):
                due = moment
        return due

    def close(self) -> None:
        """Close the link.  Twice is allowed."""
        self._bound.clear()
        self._handshakes.clear()
        self.link.close()
