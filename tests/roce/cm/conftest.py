"""Two connection managers, and the wire between them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rpcrdma.roce.cm import (
    CmHandshake,
    CmNotice,
    CmNoticeKind,
    CmOffer,
    CmState,
    ConnectionManager,
)
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectRequest,
    MessageReceipt,
    decode_cm,
    encode_cm,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ACTIVE = "192.0.2.1"
PASSIVE = "192.0.2.2"
PORT = 20049
MOST_TURNS = 10_000


def offer(queue_pair: int, private_data: bytes = b"") -> CmOffer:
    return CmOffer(
        queue_pair=queue_pair,
        starting_psn=queue_pair + 0x1000,
        private_data=private_data,
        responder_resources=4,
        initiator_depth=2,
        ack_timeout=19,
        retry=7,
        rnr_retry=6,
        path_mtu=1024,
    )


@dataclass
class End:
    """One manager, what it was told, and what it said."""

    address: str
    manager: ConnectionManager
    notices: list[CmNotice] = field(default_factory=list)

    def told(self) -> list[CmNoticeKind]:
        return [notice.kind for notice in self.notices]


class Wire:
    """Carries the MADs between two ends, in virtual time, as long as nobody takes them off.

    Attributes:
        sent: each message that was sent: the sender's address, the message, its transaction id.
        drops: whether a message is lost.
    """

    def __init__(self, active: str = ACTIVE, passive: str = PASSIVE) -> None:
        self.now = 100.0
        self.active = End(active, ConnectionManager(0xA, random.Random(1)))
        self.passive = End(passive, ConnectionManager(0xB, random.Random(2)))
        self.passive.manager.listen(PORT)
        self.sent: list[tuple[str, CmMessage, int]] = []
        self.drops: Callable[[CmMessage], bool] = lambda _: False

    @property
    def ends(self) -> tuple[End, End]:
        return self.active, self.passive

    def connect(self, queue_pair: int = 0x11, private_data: bytes = b"") -> CmHandshake:
        return self.active.manager.connect(
            self.active.address,
            self.passive.address,
            PORT,
            offer(queue_pair, private_data),
            self.now,
        )

    def carry(self) -> None:
        """Deliver until nobody has anything to say."""
        while sum(self._carry_from(end) for end in self.ends):
            pass

    def _carry_from(self, end: End) -> int:
        messages = end.manager.take_messages()
        for local, remote, mad in messages:
            message, transaction = decode_cm(mad)
            self.sent.append((local, message, transaction))
            if not self.drops(message):
                self.at(remote).manager.receive(local, remote, mad, self.now)
        for one in self.ends:
            one.notices += one.manager.take_events()
        return len(messages)

    def at(self, address: str) -> End:
        return self.active if address == self.active.address else self.passive

    def inject(self, end: End, message: CmMessage, transaction: int = 1, source: str = "") -> None:
        """Have `end` receive a message of the other one, or of `source`."""
        other = self.passive if end is self.active else self.active
        mad = encode_cm(message, transaction)
        end.manager.receive(source or other.address, end.address, mad, self.now)

    def wait(self, seconds: float) -> None:
        """Let time pass at both ends, deadline by deadline."""
        until = self.now + seconds
        for _ in range(MOST_TURNS):
            self.carry()
            deadlines = [end.manager.deadline() for end in self.ends]
            self.now = min([until, *(one for one in deadlines if one is not None)])
            for end in self.ends:
                end.manager.tick(self.now)
            if self.now >= until:
                self.carry()
                return
        raise AssertionError("a deadline that has passed is still there")

    def asked(self) -> CmHandshake:
        """The connection that the passive end was asked for last."""
        kind = CmNoticeKind.REQUEST
        return next(one.handshake for one in self.passive.notices[::-1] if one.kind is kind)

    def established(self) -> tuple[CmHandshake, CmHandshake]:
        """Make a connection; the active and the passive end of it."""
        active = self.connect()
        self.carry()
        passive = self.asked()
        passive.accept(offer(0x22), self.now)
        self.carry()
        active.ready()
        self.carry()
        return active, passive

    def last(self) -> CmMessage:
        """What was sent last."""
        return self.sent[-1][1]

    def kinds(self) -> list[str]:
        """The messages that were sent, by the names of their classes."""
        return [type(message).__name__ for _, message, _ in self.sent]


def first_request(wire: Wire) -> ConnectRequest:
    return next(one for _, one, _ in wire.sent if isinstance(one, ConnectRequest))


def rejection(wire: Wire) -> ConnectReject:
    """The REJ that was sent last."""
    message = wire.last()
    assert isinstance(message, ConnectReject)
    return message


def lose(kind: type[CmMessage], times: int, wire: Wire) -> None:
    """Have the first messages of a kind lost."""
    left = times

    def drops(message: CmMessage) -> bool:
        nonlocal left
        left -= isinstance(message, kind)
        return isinstance(message, kind) and left >= 0

    wire.drops = drops


def reach(state: CmState) -> tuple[Wire, End, CmHandshake]:
    """A connection in this state, and the end that has it; nothing is on the way."""
    wire = Wire()
    handshake = wire.connect()
    if state in (CmState.IDLE, CmState.REQ_SENT, CmState.REP_WAIT):
        if state is CmState.IDLE:
            handshake.abandon()
        elif state is CmState.REP_WAIT:
            wire.inject(wire.active, deferral(handshake))
        return _quiet(wire, wire.active, handshake)
    wire.carry()
    asked = wire.asked()
    if state in (CmState.REQ_RCVD, CmState.MRA_REQ_SENT):
        if state is CmState.MRA_REQ_SENT:
            wire.inject(wire.passive, wire.last())
        return _quiet(wire, wire.passive, asked)
    asked.accept(offer(0x22), wire.now)
    wire.carry()
    return _reach_further(state, wire, handshake, asked)


def _reach_further(
    state: CmState, wire: Wire, active: CmHandshake, passive: CmHandshake
) -> tuple[Wire, End, CmHandshake]:
    """The same from the reply on."""
    if state in (CmState.REP_RCVD, CmState.MRA_REP_SENT):
        if state is CmState.MRA_REP_SENT:
            wire.inject(wire.active, wire.last())
        return _quiet(wire, wire.active, active)
    if state in (CmState.REP_SENT, CmState.RTU_WAIT):
        if state is CmState.RTU_WAIT:
            wire.inject(wire.passive, deferral(passive))
        return _quiet(wire, wire.passive, passive)
    active.ready()
    wire.carry()
    if state in (CmState.DREQ_SENT, CmState.TIME_WAIT):
        wire.drops = lambda _: state is CmState.DREQ_SENT
        active.disconnect(wire.now)
        wire.carry()
        wire.drops = lambda _: False
    return _quiet(wire, wire.active, active)


def _quiet(wire: Wire, end: End, handshake: CmHandshake) -> tuple[Wire, End, CmHandshake]:
    """What has been said and told so far does not matter."""
    for one in wire.ends:
        one.manager.take_messages()
        one.manager.take_events()
        one.notices.clear()
    return wire, end, handshake


def deferral(handshake: CmHandshake) -> MessageReceipt:
    """A MRA of the peer, about what this side has sent last."""
    return MessageReceipt(
        local_id=handshake.peer_id or 0x77,
        remote_id=handshake.own_id,
        received=1 if handshake.is_passive else 0,
        service_timeout=18,
    )


@pytest.fixture
def wire() -> Wire:
    return Wire()
