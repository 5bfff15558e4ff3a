"""A network that misbehaves: any link, with faults before it.

    link = FaultyLink(UdpLink("10.0.0.2"), FrameFaults.parse("seed=7,loss=0.01"))

What is delayed or waits for the next datagram is planned at the link below: in virtual time there,
or, in real time, done when its moment has come and the link is used.  The tap is that of the link
below: it shows what that one carried, so a datagram dropped on its way out is not in it, and one
dropped on its way in is; the log says which.

A corrupted datagram has a wrong ICRC, and its receiver drops it.  Where one was corrupted on its
way out, its last octet is another: a receiver that does not look at ICRCs (`UdpLink`, unless it was
told to) takes wrong contents.  One that was corrupted on its way in is known here for what it is.

Faults may be put in force that nobody is to be judged by (`patiently`): what they take is owed, and
`patience`, a clock, stands until it has been made up for (see `owed`).
"""

from __future__ import annotations

from collections import Counter, deque
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.roce.link.fault_choice import FaultChoice
from rpcrdma.roce.link.faults import FrameAct, FrameDirection, FrameFaults
from rpcrdma.roce.link.owed import OwedPackets, PatientClock, is_final
from rpcrdma.roce.link.wrapped_link import WrappedLink
from rpcrdma.roce.packet.datagram import is_sealed
from rpcrdma.roce.packet.icrc import ICRC_LENGTH

if TYPE_CHECKING:
    from rpcrdma.roce.link.base import Link
    from rpcrdma.roce.link.fault_choice import MetFault
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["FaultyLink"]

_MOST_LOGGED: Final = 10_000
_MOST_HELD: Final = 4096
"""Datagrams that are delayed or wait for the next; more pass at once."""

_COSTLY: Final = frozenset({FrameAct.DROP, FrameAct.CORRUPT, FrameAct.DELAY, FrameAct.REORDER})
"""Acts after which a packet is not where it should be."""

_LONGEST_SWAP: Final = 0.02
"""Seconds that a datagram waits for the next one to overtake it; there may be none."""


class FaultyLink(WrappedLink):
    """A link (see `base.Link`) before another one, with faults in both directions.

    Attributes:
        log: what was done to which datagrams, the latest 10,000.
        tally: how often each act was done since the faults were put in force.
        owed: what faults took that were put in force patiently.
        patience: a clock that stands while anything is.
    """

    def __init__(self, inner: Link, faults: FrameFaults | None = None) -> None:
        super().__init__(inner)
        self.log: deque[MetFault] = deque(maxlen=_MOST_LOGGED)
        self.tally: Counter[FrameAct] = Counter()
        self.owed = OwedPackets()
        self.patience = PatientClock(inner.clock, self.owed)
        self._held = 0
        self._inbox: list[Datagram] = []
        self._overtaken: dict[FrameDirection, list[Datagram]] = {
            direction: [] for direction in FrameDirection
        }
        self.inject(faults or FrameFaults())

    def inject(self, faults: FrameFaults, *, patiently: bool = False) -> None:
        """Put faults in force, in the place of those before; packets are counted from 1 again.

        Args:
            faults: which.
            patiently: whether what they take is owed; what could not be is not taken.
        """
        self._choose_by(faults)
        self._patiently = patiently
        self.log.clear()
        self.tally.clear()

    def heal(self) -> None:
        """End all faults; what is delayed still comes, and the log stays."""
        self._choose_by(FrameFaults())

    def _choose_by(self, faults: FrameFaults) -> None:
        self.faults = faults
        self._choices = {direction: FaultChoice(faults, direction) for direction in FrameDirection}
        self._healthy = all(choice.is_idle for choice in self._choices.values())

    @property
    def name(self) -> str:
        """That of the link, with the faults."""
        faults = str(self.faults)
        return f"{super().name} with faults {faults}" if faults else super().name

    def send(self, datagram: Datagram) -> None:
        """Send, as far as the faults let."""
        if self._healthy and not self._held and not self.owed:
            self._inner.send(datagram)
        else:
            self._meet(FrameDirection.SENT, datagram)

    def receive(self) -> list[Datagram]:
        """What has come, as far as the faults let."""
        received = self._inner.receive()
        if self._healthy and not self._held and not self._inbox and not self.owed:
            return received
        for datagram in received:
            self._meet(FrameDirection.RECEIVED, datagram)
        taken, self._inbox = self._inbox, []
        return taken

    def sleep(self, until: float) -> None:
        """Sleep as the link does, unless something has come already."""
        super().sleep(self.clock.now() if self._inbox else until)

    def close(self) -> None:
        """Close the link; what is held is lost."""
        super().close()
        self._inbox.clear()
        for waiting in self._overtaken.values():
            waiting.clear()

    def _meet(self, direction: FrameDirection, datagram: Datagram) -> None:
        """Have a datagram meet its faults."""
        choice = self._choices[direction]
        now = self.clock.now()
        met = None if choice.is_idle else choice.choose(datagram.payload, now)
        if met is None or (self._patiently and is_final(datagram)):
            self._let_through(direction, datagram)
            return
        self.log.append(met)
        self.tally.update(met.acts)
        if self._patiently and not _COSTLY.isdisjoint(met.acts):
            self.owed.take(direction, datagram, now)
        if FrameAct.DROP in met.acts:
            return
        if FrameAct.CORRUPT in met.acts:
            datagram = _corrupted(datagram, direction)
        for _ in range(2 if FrameAct.DUPLICATE in met.acts else 1):
            self._delay(direction, datagram, met.acts)

    def _delay(
        self, direction: FrameDirection, datagram: Datagram, acts: tuple[FrameAct, ...]
    ) -> None:
        """Let a datagram through now or later."""
        if self._held >= _MOST_HELD:
            self._let_through(direction, datagram)
        elif FrameAct.DELAY in acts:
            self._held += 1
            moment = self.clock.now() + self.faults.seconds
            self._inner.at(moment, partial(self._release, direction, datagram))
        elif FrameAct.REORDER in acts:
            self._held += 1
            self._overtaken[direction].append(datagram)
            moment = self.clock.now() + _LONGEST_SWAP
            self._inner.at(moment, partial(self._release_overtaken, direction, datagram))
        else:
            self._let_through(direction, datagram)

    def _let_through(self, direction: FrameDirection, datagram: Datagram) -> None:
        """Pass a datagram on, and after it those that it has overtaken."""
        self._pass(direction, datagram)
        if self._overtaken[direction]:
            waiting, self._overtaken[direction] = self._overtaken[direction], []
            self._held -= len(waiting)
            for each in waiting:
                self._pass(direction, each)

    def _release(self, direction: FrameDirection, datagram: Datagram) -> None:
        """The delay is over."""
        self._held -= 1
        self._pass(direction, datagram)
        self._inner.wake()

    def _release_overtaken(self, direction: FrameDirection, datagram: Datagram) -> None:
        """Nothing has overtaken the datagram, unless it is gone already."""
        waiting = self._overtaken[direction]
        for index, each in enumerate(waiting):
            if each is datagram:
                del waiting[index]
                self._release(direction, datagram)
                return

    def _pass(self, direction: FrameDirection, datagram: Datagram) -> None:
        if (self.owed or self._patiently) and _is_taken(direction, datagram):
            self.owed.pay(direction, datagram, self.clock.now())
        if direction is FrameDirection.SENT:
            self._inner.send(datagram)
        else:
            self._inbox.append(datagram)


def _is_taken(direction: FrameDirection, datagram: Datagram) -> bool:
    """Whether a receiver has use for it: a corrupted one makes up for nothing."""
    if direction is FrameDirection.SENT:
        return is_sealed(datagram)
    return datagram.intact is not False


def _corrupted(datagram: Datagram, direction: FrameDirection) -> Datagram:
    """The datagram with one octet changed.

    Of what is sent that is the last one that the ICRC covers: who does not look at ICRCs takes
    other octets than were meant.  What comes has a wrong ICRC only: not every link sees ICRCs.
    """
    payload = datagram.payload
    place, intact = (
        (-1, False) if direction is FrameDirection.RECEIVED else (-1 - ICRC_LENGTH, None)
    )
    if len(payload) < -place:
        return datagram
    octets = bytearray(payload)
    octets[place] ^= 0xFF
    return msgspec.structs.replace(datagram, payload=bytes(octets), intact=intact)
