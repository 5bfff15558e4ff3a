"""The core: `Endpoint.handle(event, now)` returns what is to be done.

    rfc8166 section 2.2  the two roles
    rfc8166 section 3    RPC-over-RDMA Protocol Framework

An endpoint is one role on one connection.  This module knows only the life of the connection; what
an event means is the role's to say (`Requester`, `Responder`), by a table from event to handler.

Theory of operation.  An endpoint is IDLE until the driver says `Connected`.  While it is OPEN every
event goes to the role.  When the role asks for `Disconnect` (always its last action) the endpoint
is CLOSING: messages that still arrive are not looked at, since nobody could be answered, but
memory is still given back.  `Disconnected` ends everything: the role gives up what is unfinished
and the endpoint is CLOSED for ever; reconnecting takes a new one.

Sends arrive, and a role is told of messages: `Assembler` makes the one of the other, and a role
hears of a message with its last Send.  Of a group that will never be a message it hears, too, if
it supports operations that make groups.

What cannot be in the table: a role that asks for `Disconnect` moves OPEN to CLOSING (`handle`).
"""

from __future__ import annotations

from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Action, Disconnect
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.operations import among
from rpcrdma.wire.transmission import BrokenGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.core.reductions import Reductions


__all__ = ["DROPPED", "TRANSITIONS", "Endpoint", "EndpointRole", "State"]

if TYPE_CHECKING:
    # The event's own type is what the table's key says; a table of functions cannot say so.
    Handler = Callable[[Any, float], list[Action]]


class State(Enum):
    """Where the connection is in its life."""

    IDLE = auto()  # not connected yet
    OPEN = auto()
    CLOSING = auto()  # this side wants it to end
    CLOSED = auto()  # it ended


def _rows(
    state: State, target: State, *kinds: type[events.Event]
) -> dict[tuple[State, type[events.Event]], State]:
    return {(state, kind): target for kind in kinds}


_MEMORY: Final = (events.Registered, events.RegistrationFailed, events.Invalidated)
_WIRE: Final = (events.MessageReceived, events.ReadCompleted, events.WorkFailed)
_APPLICATION: Final = (
    events.CallRequested,
    events.CallCancelled,
    events.CallsWaiting,
)

TRANSITIONS: Final[Mapping[tuple[State, type[events.Event]], State]] = {
    **_rows(State.IDLE, State.OPEN, events.Connected),
    **_rows(State.IDLE, State.CLOSED, events.Disconnected),
    **_rows(State.OPEN, State.OPEN, *_WIRE, *_MEMORY, *_APPLICATION),
    **_rows(State.OPEN, State.CLOSED, events.Disconnected),
    **_rows(State.CLOSING, State.CLOSING, *_WIRE, *_MEMORY, *_APPLICATION),
    **_rows(State.CLOSING, State.CLOSED, events.Disconnected),
    **_rows(State.CLOSED, State.CLOSED, *_WIRE, *_MEMORY, *_APPLICATION, events.Disconnected),
}
"""Every legal move.  A pair that is absent is the driver's error."""

_LEGAL: Final[Mapping[State, tuple[type[events.Event], ...]]] = {
    state: tuple(kind for origin, kind in TRANSITIONS if origin is state) for state in State
}

DROPPED: Final = frozenset(
    (state, kind) for state in (State.CLOSING, State.CLOSED) for kind in _WIRE
) | {(State.CLOSED, events.Disconnected)}
"""Legal events that no role is told of: they come too late to matter."""


class EndpointRole(Protocol):
    """One half of the protocol."""

    @property
    def handlers(self) -> Mapping[type[events.Event], Handler]:
        """What handles which event; one that is absent is not for this role."""
        ...

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """Lengths of the Receives that must be posted before the peer can send."""
        ...

    @property
    def later_receives(self) -> int:
        """Most Receives that are posted beside those, later."""
        ...

    @property
    def reductions(self) -> Reductions:
        """What it does of the round-trip reductions; without them each Send is a message."""
        ...


class Endpoint:
    """One role on one connection, without I/O."""

    def __init__(self, role: EndpointRole) -> None:
        self.role = role
        reductions = role.reductions
        self._assembler = reductions.assembler(
            among(reductions.operations), reductions.longest_group
        )
        self._enter(State.IDLE)

    def handle(self, event: events.Event, now: float) -> list[Action]:
        """Apply one event.

        Args:
            event: what happened.
            now: seconds of the fabric's clock.

        Returns:
            What to do, in order.

        Raises:
            LocalProtocolError: the event cannot happen in this state, or not to this role.
        """
        handler = self._table.get(type(event))
        if handler is None:
            raise LocalProtocolError(f"{type(event).__name__} in state {self.state.name}")
        actions = handler(event, now)
        if actions and type(actions[-1]) is Disconnect and self.state is State.OPEN:
            self._enter(State.CLOSING)
        return actions

    def _enter(self, state: State) -> None:
        self.state = state
        # What handles the legal events of the state: one look-up for each message.
        self._table = {kind: self._handler(state, kind) for kind in _LEGAL[state]}

    def _handler(self, state: State, kind: type[events.Event]) -> Handler:
        if (state, kind) in DROPPED:
            return _nothing
        handler = self.role.handlers.get(kind, _not_ours)
        if kind is events.MessageReceived:
            handler = partial(self._assemble, handler)
        target = TRANSITIONS[state, kind]
        return handler if target is state else partial(self._move, target, handler)

    def _assemble(
        self, handler: Handler, event: events.MessageReceived, now: float
    ) -> list[Action]:
        """Tell the role of a Send's message, if it is complete."""
        if self._assembler.is_whole(event.data):
            return handler(event, now)
        actions: list[Action] = []
        for arrived in self._assembler.take(event.data):
            if isinstance(arrived, BrokenGroup):
                broken = events.GroupBroken(arrived.report, len(arrived.lost))
                actions += self.role.handlers[events.GroupBroken](broken, now)
                if actions and type(actions[-1]) is Disconnect:
                    break
            elif arrived.octets is event.data:
                actions += handler(event, now)
            else:
                octets, invalidated = arrived.octets, event.invalidated
                actions += handler(events.MessageReceived(octets, invalidated, arrived), now)
        return actions

    def _move(
        self, target: State, handler: Handler, event: events.Event, now: float
    ) -> list[Action]:
        """Handle an event that changes the state; few do."""
        self._enter(target)
        return handler(event, now)


def _nothing(_event: events.Event, _now: float) -> list[Action]:
    return []


def _not_ours(event: events.Event, _now: float) -> list[Action]:
    raise LocalProtocolError(f"{type(event).__name__} is not for this role")
