"""Packets that faults took and nothing has made up for yet, and a clock that stands meanwhile.

A reliable connection makes up for what gets lost, and that takes time: until a timer of one side
has run out, which may be seconds.  A peer of which nothing comes meanwhile is not silent.  Whoever
takes the packets knows how long that is so; a timeout that is measured by `PatientClock` does not
run then.  Nor may that clock stand longer than it must: a peer has timers of its own.

A packet is owed from the moment in which it is taken, unless its receiver has got it before:

- until it passes after all.  It keeps its PSN when it is sent again; a message of connection
  management keeps its transaction.  What passes while something before it is owed comes too early:
  it is discarded, and is owed as well (9.7.5.2).
- until something passes that shows that nobody waits for it: an acknowledgement of the request, a
  later acknowledgement, a later message of the exchange.
- until the connection is over here (`part`).  A packet that belongs to none is not owed.
- no longer than `LONGEST`, or `LONGEST_MESSAGE`: the sender may be dead.

One packet must not be taken at all: a NAK with which a connection ends is said once (`is_final`).

    InfiniBand Architecture volume 1, 9.7.5.1    requests and responses that are sent again
    InfiniBand Architecture volume 1, 9.7.6.1.3  the ack timeout, up to four times what was agreed
    InfiniBand Architecture volume 1, 12.9.8     connection management that asks again
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from rpcrdma.errors import BadFrame
from rpcrdma.roce.link.faults import FrameDirection
from rpcrdma.roce.packet.aeth import NakCode, SyndromeKind, read_syndrome
from rpcrdma.roce.packet.bth import OPERATIONS, PSN_MASK, TransportOperation, decode
from rpcrdma.roce.packet.cm_messages import (
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    ReadyToUse,
    decode_cm,
)

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Clock
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["LONGEST", "LONGEST_MESSAGE", "OwedPackets", "PatientClock", "is_final"]

_Operation = TransportOperation


class _Kind(Enum):
    """Packets that stand in one order."""

    REQUEST = "request"
    RESPONSE = "Read response"
    ACKNOWLEDGE = "acknowledgement"
    MESSAGE = "message of connection management"


LONGEST: Final = 5.0
"""Seconds, of a packet of a connection: more than Linux 6.1 was seen to wait, 2.4 s, until it sends
one again on a connection that it asked for."""

LONGEST_MESSAGE: Final = 10.0
"""The same of a message of connection management: Linux 6.1 asked again after 6.4 s."""

_LONGEST_FOR_READY: Final = 1.5
"""Of an RTU: the first packet of the connection may stand for it (12.9.7.2), and then it is not
sent again.  Else the REP is, several times within that (`RESPONSE_CODE` in `roce.cm.waiting`)."""

_KINDS: Final = {
    _Operation.SEND: _Kind.REQUEST,
    _Operation.WRITE: _Kind.REQUEST,
    _Operation.READ_REQUEST: _Kind.REQUEST,
    _Operation.ATOMIC: _Kind.REQUEST,
    _Operation.READ_RESPONSE: _Kind.RESPONSE,
    _Operation.ACKNOWLEDGE: _Kind.ACKNOWLEDGE,
    _Operation.ATOMIC_ACKNOWLEDGE: _Kind.ACKNOWLEDGE,
}
_STAGES: Final = {
    ConnectRequest: 1,
    ConnectReply: 2,
    ReadyToUse: 3,
    ConnectReject: 3,
    DisconnectRequest: 1,
    DisconnectReply: 2,
}
"""How far an exchange is with a message.  Others ask for time only, or are not spoken here."""

_READY: Final = 3
_MOST_EXCHANGES: Final = 1024
"""Of which it is remembered how far they are."""

_PSNS: Final = PSN_MASK + 1
_FINAL: Final = frozenset(NakCode) - {NakCode.PSN_SEQUENCE_ERROR}


class _Way(NamedTuple):
    """Where packets of a connection go: which way, and to the queue pair of which number."""

    direction: FrameDirection
    number: int


class _Mark(NamedTuple):
    """By what a packet is known.

    Attributes:
        kind: see there.
        where: its way; of a message, the transaction.
        place: its PSN; of a message, how far the exchange is.
    """

    kind: _Kind
    where: _Way | int
    place: int


class OwedPackets:
    """What is owed on one link.  The moments are those of the link's clock, and never go back."""

    def __init__(self) -> None:
        self._until: dict[_Mark, float] = {}
        self._other: dict[_Way, _Way] = {}  # the two ways of each connection
        # Up to which PSN all requests of the other way are acknowledged, and all responses came.
        self._reached: dict[tuple[_Kind, _Way], int] = {}
        self._stages: OrderedDict[int, int] = OrderedDict()  # of each transaction
        self._since = 0.0
        self._stood = 0.0
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._until)

    def join(self, number: int, remote: int) -> None:
        """There is a connection between a queue pair here and one there."""
        here, there = _Way(FrameDirection.RECEIVED, number), _Way(FrameDirection.SENT, remote)
        with self._lock:
            self._other[here], self._other[there] = there, here

    def part(self, number: int, moment: float) -> None:
        """The connection of a queue pair here is over."""
        here = _Way(FrameDirection.RECEIVED, number)
        with self._lock:
            there = self._other.pop(here, None)
            if there is None:
                return
            # Another host may have a queue pair of that number, too.
            if self._other.get(there) == here:
                del self._other[there]
            for kind in _Kind:
                self._reached.pop((kind, here), None)
                self._reached.pop((kind, there), None)
            self._expire(moment)
            self._drop([owed for owed in self._until if owed.where in (here, there)], moment)

    def lacks(self, number: int, moment: float) -> bool:
        """Whether the peer of a queue pair here still lacks something that was sent."""
        with self._lock:
            self._expire(moment)
            there = self._other.get(_Way(FrameDirection.RECEIVED, number))
            return any(owed.where == there for owed in self._until)

    def take(self, direction: FrameDirection, datagram: Datagram, moment: float) -> None:
        """A datagram was taken off the wire."""
        with self._lock:
            mark = self._mark_of(_readable(datagram), direction)
            if mark is not None and not self._is_needless(mark):
                self._owe(mark, moment)

    def pay(self, direction: FrameDirection, datagram: Datagram, moment: float) -> None:
        """A datagram passes."""
        packet = _readable(datagram)
        with self._lock:
            mark = self._mark_of(packet, direction)
            if mark is None or packet is None:
                return
            self._expire(moment)
            if self._is_early(mark):
                self._owe(mark, moment)
                return
            self._note(mark, packet)
            self._drop(
                [owed for owed in self._until if owed == mark or self._is_needless(owed)], moment
            )

    def stood(self, moment: float) -> float:
        """Seconds up to now in which something was owed."""
        if not self._until:
            return self._stood
        with self._lock:
            self._expire(moment)
            return self._stood + (moment - self._since if self._until else 0.0)

    # -- what is known of a packet

    def _mark_of(self, packet: Packet | None, direction: FrameDirection) -> _Mark | None:
        """None of what nobody waits for."""
        if packet is None:
            return None
        operation = OPERATIONS[packet.opcode].operation
        if operation is TransportOperation.DATAGRAM:
            return _mark_of_message(packet, direction)
        way = _Way(direction, packet.destination)
        return _Mark(_KINDS[operation], way, packet.psn) if way in self._other else None

    def _is_needless(self, mark: _Mark) -> bool:
        """Whether its receiver has got it, or what comes after it."""
        if isinstance(mark.where, int):
            return self._stages.get(mark.where, 0) >= mark.place
        if mark.kind is _Kind.REQUEST:
            reached = self._reached.get((_Kind.ACKNOWLEDGE, self._other[mark.where]))
        else:
            reached = self._reached.get((mark.kind, mark.where))
        return reached is not None and _is_up_to(mark.place, reached)

    def _is_early(self, mark: _Mark) -> bool:
        """Whether something is owed that must come before."""
        return (
            mark.kind in (_Kind.REQUEST, _Kind.RESPONSE)
            and not self._is_needless(mark)
            and any(
                (owed.kind, owed.where) == (mark.kind, mark.where)
                and owed.place != mark.place
                and _is_up_to(owed.place, mark.place)
                for owed in self._until
            )
        )

    def _note(self, mark: _Mark, packet: Packet) -> None:
        """Remember what it shows that it passes."""
        if isinstance(mark.where, int):
            stage = max(mark.place, self._stages.pop(mark.where, 0))
            self._stages[mark.where] = stage
            if len(self._stages) > _MOST_EXCHANGES:
                self._stages.popitem(last=False)
            return
        if mark.kind is _Kind.RESPONSE:
            self._reach(_Kind.RESPONSE, mark.where, mark.place)
        if mark.kind is not _Kind.REQUEST:
            aeth = packet.aeth
            refused = aeth is not None and read_syndrome(aeth.syndrome)[0] is not SyndromeKind.ACK
            self._reach(_Kind.ACKNOWLEDGE, mark.where, (mark.place - refused) % _PSNS)

    def _reach(self, kind: _Kind, way: _Way, psn: int) -> None:
        reached = self._reached.get((kind, way))
        if reached is None or _is_up_to(reached, psn):
            self._reached[kind, way] = psn

    # -- what is owed

    def _owe(self, mark: _Mark, moment: float) -> None:
        self._expire(moment)
        if not self._until:
            self._since = moment
        longest = LONGEST
        if mark.kind is _Kind.MESSAGE:
            longest = _LONGEST_FOR_READY if mark.place == _READY else LONGEST_MESSAGE
        self._until[mark] = moment + longest

    def _drop(self, marks: list[_Mark], moment: float) -> None:
        for mark in marks:
            del self._until[mark]
        if marks and not self._until:
            self._stood += moment - self._since

    def _expire(self, moment: float) -> None:
        late = [mark for mark, end in self._until.items() if end <= moment]
        if late:
            # The last of them to be owed ends the time, not the moment in which that is noticed.
            self._drop(late, max(self._until[mark] for mark in late))


class PatientClock:
    """A clock (see `fabric.base.Clock`) that stands while a packet is owed.

    Args:
        clock: that goes on.
        owed: on the same link.
    """

    def __init__(self, clock: Clock, owed: OwedPackets) -> None:
        self._now = clock.now
        self._owed = owed

    def now(self) -> float:
        """Seconds in which nothing was owed."""
        moment = self._now()
        return moment - self._owed.stood(moment)


def is_final(datagram: Datagram) -> bool:
    """Whether a datagram is a NAK after which its sender says nothing of the connection any more.

    It alone tells the peer why the connection ends (9.9.2.1, 9.9.3).
    """
    packet = _readable(datagram)
    return packet is not None and packet.aeth is not None and packet.aeth.syndrome in _FINAL


def _readable(datagram: Datagram) -> Packet | None:
    try:
        return decode(datagram.transport)
    except BadFrame:
        return None


def _mark_of_message(packet: Packet, direction: FrameDirection) -> _Mark | None:
    try:
        message, transaction = decode_cm(packet.payload)
    except BadFrame:
        return None
    if isinstance(message, DisconnectReply) and direction is FrameDirection.RECEIVED:
        return None  # whoever says so knows of the end, and connects anew
    stage = _STAGES.get(type(message))
    return None if stage is None else _Mark(_Kind.MESSAGE, transaction, stage)


def _is_up_to(psn: int, latest: int) -> bool:
    """Whether a PSN is not later than another one, of which it is at most half of all away."""
    return (latest - psn) % _PSNS < _PSNS // 2
