"""Backward Calls of a server that is fuzzed, and the answers that a step draws for them.

    bidir section 2.5   Sending A Backward Direction Call
    bidir section 2.6   Sending A Backward Direction Reply
    RFC 5661 section 2.10.3.1  the backchannel of a session

A Call is judged by itself always.  How it keeps company with others is judged only while each was
answered well: what a server does with a bad answer is its own affair, so that nobody knows whether
the Call is still in flight for it.  A device that does not claim the backward direction is not
judged in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.backward import build as build_backward
from conformance.backward.choice import backward_workload_for
from conformance.oracle.backward import InFlight, broken_rules
from conformance.tester.case import Inconclusive
from conformance.tester.client.message import error
from rpcrdma.errors import DecodeError
from rpcrdma.wire import ErrChunk, ErrVers, RdmaSegment
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.backward.build import BackwardMessage
    from conformance.backward.workload import BackwardWorkload
    from conformance.oracle.outcome import Called
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.client.peer import Peer
    from fuzz.live.move import Move
    from targets.profile import Profile

    Answer = Callable[[Peer, BackwardMessage, int], tuple[bytes, ...]]

__all__ = ["ANSWERS", "Callbacks", "own_workload"]

_ANY_NUMBER: Final = 2**32
_CREDITS: Final = (0, 1, 2, 255, 65535, 2**31, 2**32 - 1)
_STRAY: Final = RdmaSegment(0x00BA_D000, 64, 4096)


def _good(_peer: Peer, reply: BackwardMessage, _value: int) -> tuple[bytes, ...]:
    return (reply.octets,)


def _none(_peer: Peer, _reply: BackwardMessage, _value: int) -> tuple[bytes, ...]:
    """What is late is answered by the step `answer`."""
    return ()


def _again(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    return (reply.octets,) * (2 + value % 7)


def _credits(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    return (replace(reply, credits=_CREDITS[value % len(_CREDITS)]).octets,)


def _cut(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    """The payload up to an octet, or the whole message."""
    octets = reply.octets
    if value % 2:
        return (octets[: value // 2 % len(octets)],)
    return (build_backward.cut(reply, value // 2 % len(reply.payload), credits=8),)


def _longer(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    return (reply.octets + bytes(1 + value % 3000),)


def _foreign(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    make = (build_backward.foreign, build_backward.with_another_xid)[value % 2]
    return (make(reply).octets,)


def _chunks(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    faults = build_backward.CHUNK_FAULTS
    return (build_backward.with_chunks(reply, _STRAY, faults[value % len(faults)]).octets,)


def _words(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    faults = build_backward.WORD_FAULTS
    return (build_backward.with_other_words(reply, faults[value % len(faults)]).octets,)


def _flip(_peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    octets = bytearray(reply.octets)
    octets[value // 8 % len(octets)] ^= 1 << value % 8
    return (bytes(octets),)


def _error(peer: Peer, reply: BackwardMessage, value: int) -> tuple[bytes, ...]:
    what = ErrChunk() if value % 2 else ErrVers(1, 1 + value // 2 % 3)
    return error(peer, what, xid=reply.xid).sends


ANSWERS: Final[Mapping[str, Answer]] = {
    "good": _good,
    "none": _none,
    "again": _again,
    "credits": _credits,
    "cut": _cut,
    "longer": _longer,
    "foreign": _foreign,
    "chunks": _chunks,
    "words": _words,
    "flip": _flip,
    "error": _error,
}
"""How a backward Call can be answered."""

_NAMES: Final = tuple(ANSWERS)


def own_workload(profile: Profile) -> BackwardWorkload | None:
    """A new client that has a device call it; None if its Upper-Layer Protocol has no such thing.

    Whether the device claims the backward direction does not matter: a server of NFSv4.0 may know
    NFSv4.1, too, and what its code does then is worth to be looked at.

    Args:
        profile: of the device.
    """
    try:
        return backward_workload_for(profile)
    except Unsupported:
        return None


class Callbacks:
    """What comes backward on one connection.

    Attributes:
        broken: rules that the device's Calls break; `take_broken` takes them.
        workload: the client that is called; None if nobody has said that one may be.
    """

    def __init__(
        self, peer: Peer, workload: BackwardWorkload | None, tell: Callable[[str], None]
    ) -> None:
        """Answer well.

        Args:
            peer: the connection.
            workload: the client that is called; None if nobody has said that one may be.
            tell: is told of each Call, in words.
        """
        self.broken: list[BrokenRule] = []
        self._tell = tell
        self._peer = peer
        self.workload = workload
        self._answers, self._value = "good", 0
        self._late: list[Called] = []
        self._in_flight: dict[int, bytes] = {}
        self._granted = 1
        self._doubtful = False  # what is in flight for the device

    def draw(self, move: Move) -> None:
        """Answer what comes from now on in this way."""
        self._answers, self._value = _NAMES[move.place % len(_NAMES)], move.value

    def take(self, called: Called) -> None:
        """Judge a Call, and answer it as was drawn; one that nobody is there for gets nothing."""
        if self.workload is None:
            return
        self._tell(f"a backward Call, answer: {self._answers}")
        if self._peer.profile.claims.backward:
            self._judge(called)
        self._in_flight[called.xid] = called.payload
        self._late.append(called)
        if self._answers != "none":
            self.answer()

    def answer(self) -> None:
        """Answer, as was drawn, all that has no answer yet; late ones well."""
        late, self._late = self._late, []
        name = "good" if self._answers == "none" else self._answers
        self._doubtful |= name not in ("good", "credits")
        for called in late:
            try:
                payload = b"" if self.workload is None else self.workload.answer(called.payload)
            except (DecodeError, Unsupported, Inconclusive) as problem:
                self._tell(f"no answer: {problem}")
                continue
            reply = build_backward.reply(called, payload)
            self._in_flight.pop(called.xid, None)
            # A grant of before may be on its way still: the largest holds (bidir 2.1.2).
            self._granted = max(self._granted, _ANY_NUMBER if name == "credits" else reply.credits)
            for octets in ANSWERS[name](self._peer, reply, self._value):
                self._peer.send(octets)

    def _judge(self, called: Called) -> None:
        before = InFlight({}, _ANY_NUMBER)
        if not self._doubtful:
            before = InFlight(dict(self._in_flight), self._granted)
        threshold = self._peer.profile.claims.reply_inline_threshold
        self.broken += broken_rules(called, before, threshold, self._peer.version)

    def take_broken(self) -> list[BrokenRule]:
        """The rules that were broken since this was asked last."""
        broken, self.broken = self.broken, []
        return broken
