"""Plays one sequence of messages and steps at a server, on connections of its own.

    played = PlayedSequence(harness, patience, cautious)
    for item in items:
        outcomes += played.play(item)
    outcomes += played.finish()

A message is waited for, unless a step before it has said that it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.explore.firing import Fired
from conformance.explore.recipes import Shot
from conformance.explore.shots import build_shot
from conformance.oracle.verdict import broken_ids
from conformance.tester.client.liveness import problem_with
from conformance.tester.client.peer import RECEIVES
from conformance.tester.private_data import invalidates
from fuzz.live.fresh_xids import with_fresh_xids
from fuzz.live.server.callbacks import Callbacks, own_workload
from fuzz.live.server.line import Flying, PlayedLine
from fuzz.live.server.steps import encode_step, step_of
from reports.record import Verdict
from rpcrdma.wire import v2
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from conformance.backward.workload import BackwardWorkload
    from conformance.oracle.memory import ExposedMemory
    from conformance.tester.client.harness import Harness
    from fuzz.live.move import Move
    from rpcrdma.ulp.bindings import UpperLayer
    from targets.profile import Profile

    class Cautious(Protocol):
        """Says what is kept back."""

        def about(self, message: bytes, memory: ExposedMemory, layer: UpperLayer) -> str:
            """Why a message is kept back; empty if it is not, and what it may do is noted."""
            ...

        def refuses(self, danger: str) -> bool:
            """Whether what may do such harm is left; if not, that it may is noted."""
            ...


__all__ = ["PlayedConnection", "PlayedSequence"]

_MOST_LINES: Final = 6
"""Connections at one time; the oldest makes room for another."""

_MOST_SENT: Final = 400
"""Messages of one sequence: what floods is not to fill the time of many others."""

_VERSION: Final = slice(4, 8)


@dataclass(frozen=True, slots=True)
class PlayedConnection:
    """One connection of a sequence, and what is called backward on it."""

    line: PlayedLine
    callbacks: Callbacks


class PlayedSequence:
    """The state between the items of one sequence.

    Attributes:
        harness: of the server.
        cautious: says what is kept back.
        lines: connections, the oldest first; one that was lost stays until it makes room.
        hurried: how many messages to come are not waited for.
        invalidates: handle that the next message invalidates remotely; None: none.
        last: the last message that was sent.
        told: what the running step shows, in words.
    """

    def __init__(self, harness: Harness, patience: Profile, cautious: Cautious) -> None:
        """Begin without any connection.

        Args:
            harness: of a device that serves.
            patience: its profile, with the times to wait for what answers a message.
            cautious: says what is kept back.
        """
        self.harness = harness
        self.cautious = cautious
        self.lines: list[PlayedConnection] = []
        self.hurried = 0
        self.invalidates: int | None = None
        self.last: Shot | bytes = Shot()
        self.told: list[str] = []
        self._patience = patience
        self._current = 0
        self._sent = 0
        self._workload: BackwardWorkload | None = None

    def play(
        self, item: bytes, moves: Callable[[PlayedSequence, Move], list[Fired]]
    ) -> list[Fired]:
        """Send a message, or take a step; returns what has been judged by then.

        Args:
            item: of the sequence.
            moves: takes a step.

        Raises:
            Deviation: the device does not accept a connection.
        """
        step = step_of(item)
        if step is None:
            return [*self.cast(item), *self._broken()]
        self.told = []
        fired = moves(self, step)
        told = tuple(dict.fromkeys(self.told))
        done = Fired(encode_step(step), str(step), (), told, Verdict.PASS)
        return [done, *fired, *self._broken()]

    def finish(self) -> list[Fired]:
        """Judge what is still in flight, see that all connections serve, and end them."""
        fired = [one for each in self.lines for one in each.line.settle()]
        fired += [one for each in self.lines for one in each.line.last_look()]
        fired += self._broken()
        self.close()
        return fired

    def close(self) -> None:
        """End all connections."""
        for each in self.lines:
            each.line.peer.close()
        self.lines.clear()

    # -- messages

    def cast(self, message: Shot | bytes) -> list[Fired]:
        """Send a message, and wait for its answer unless it is hurried.

        Raises:
            Deviation: the device does not accept a connection.
        """
        if self._sent >= _MOST_SENT:
            return []
        self.last = message
        line = self.current.line
        flying = self._loaded(line, message)
        if isinstance(flying, Fired):
            return [flying]
        self._sent += 1
        invalidate, self.invalidates = self.invalidates, None
        if invalidate is not None:
            line.costs = line.costs or "the tester invalidates what the device has not offered"
        line.send(flying, invalidate)
        if self.hurried:
            self.hurried -= 1
            return []
        return line.settle()

    def again(self, message: Shot | bytes) -> Shot | bytes:
        """A message once more, as another call."""
        if isinstance(message, Shot):
            return message
        return with_fresh_xids([message], self.harness.xids)[0]

    def _loaded(self, line: PlayedLine, message: Shot | bytes) -> Flying | Fired:
        """A message ready to be sent, or why it is not."""
        call = None
        layer = line.peer.workload.null().layer
        if isinstance(message, Shot):
            built = build_shot(message, line.peer)
            line.memory.tell_of(built)
            octets, what, layer = built.octets, str(built), built.request.layer
            call = built if not built.mutations and message.call != "garbage" else None
        else:
            octets = line.memory.translate(message)
            what = f"{len(octets)} octets"
        longest = line.device.receive_length
        if len(octets) > longest:
            octets, call = octets[:longest], None
            what = f"{what}, cut to {longest} octets, all that the device claims to receive"
        if danger := self.cautious.about(octets, line.memory.exposed, layer):
            return Fired(octets, what, (), (), Verdict.NA, danger)
        is_of_two = int.from_bytes(octets[_VERSION]) == v2.VERSION
        if is_of_two and v2.VERSION in self.harness.profile.claims.versions:
            # D-56: a connection is of one version, and here it is One.
            reason = "Version Two has connections of its own"
            return Fired(octets, what, (), (), Verdict.INCONC, reason)
        return Flying(octets, what, [line.expectation(octets, layer)], layer, call)

    # -- connections

    @property
    def current(self) -> PlayedConnection:
        """The connection that messages go over; a new one if there is none, or it is lost.

        Raises:
            Deviation: the device does not accept one.
        """
        if self._current < len(self.lines):
            current = self.lines[self._current]
            if current.line.is_open:
                return current
        return self.connect()

    def connect(
        self, private_data: bytes = b"", receives: int = RECEIVES, *, fresh: bool = False
    ) -> PlayedConnection:
        """Make a connection, over which messages go from now on.

        Args:
            private_data: octets that travel with the request.
            receives: posted from the beginning.
            fresh: make no good call first, by which credits are granted.

        Raises:
            Deviation: the device does not accept it.
        """
        while len(self.lines) >= _MOST_LINES:
            self.lines.pop(0).line.peer.close()
        try:
            peer = self.harness.connect(private_data=private_data, receives=receives)
        except Unsupported:  # the device bears no more of them
            self.close()
            peer = self.harness.connect(private_data=private_data, receives=receives)
        peer.takes_calls = self._workload is not None
        if not fresh:
            problem_with(peer)
        peer.profile = self._patience
        callbacks = Callbacks(peer, self._workload, self._tell)
        line = PlayedLine(
            peer, self.harness.device, callbacks.take, invalidated=invalidates(private_data)
        )
        self.lines.append(PlayedConnection(line, callbacks))
        self._current = len(self.lines) - 1
        return self.lines[-1]

    def switch(self, place: int) -> None:
        """Have messages go over another connection that there is."""
        if self.lines:
            self._current = (self._current + 1 + place) % len(self.lines)

    @property
    def other(self) -> PlayedConnection | None:
        """A connection that messages do not go over; None if there is none."""
        others = [each for each in self.lines if each is not self.current]
        return others[-1] if others else None

    def workload(self) -> BackwardWorkload | None:
        """The client that has the device call it, one for all connections; None: there is none."""
        if self._workload is None:
            self._workload = own_workload(self.harness.profile)
        for each in self.lines:
            each.callbacks.workload = self._workload
            each.line.peer.takes_calls = self._workload is not None
        return self._workload

    def _tell(self, told: str) -> None:
        self.told.append(told)

    def _broken(self) -> list[Fired]:
        """The rules that backward Calls have broken, as one outcome."""
        broken = [rule for each in self.lines for rule in each.callbacks.take_broken()]
        rules = [rule for rule in broken if not rule.warns]
        if not rules:
            return []
        reason = "; ".join(dict.fromkeys(rule.detail for rule in rules))
        wanted = ("a backward Call as bidir 2.5 has it",)
        violated = broken_ids(rules)
        return [Fired(b"", "a backward Call", wanted, (reason,), Verdict.FAIL, reason, violated)]
