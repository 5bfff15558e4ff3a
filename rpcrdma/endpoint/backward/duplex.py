"""Both directions on one connection: a forward half and a backward half.

    bidir section 2.1.2  Backward Credits (each half counts its own)
    bidir section 2.2    Managing Receive Buffers (the Receives of both halves are one queue)

    client: forward Requester, backward Responder
    server: forward Responder, backward Requester

In Version Two there is a third part, for what belongs to neither: `OptionalHalf`.

The halves know nothing of each other.  `Duplex` is the role that an `Endpoint` runs: it gives every
message to the half that `DirectionRules` names, and everything else to the half that asked for it.
The Receives are one queue: each half posts one for each message that took one of its own, or one
of the other's.  Until the backward half is armed, everything goes to the forward half, as if
there were no other.

Calls that the Upper-Layer Protocol makes while it executes a forward Call go out after its Reply.

Hooks (methods that a mutant may override, one each; see also `DirectionRules`):

    to_forward              a message of the forward half
    to_backward             a message of the backward half
    may_settle              what must have come before this end sends of itself in Version Two
    drop                    a message that is too small
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.endpoint.backward import direction
from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Action, Disconnect, PostReceive
from rpcrdma.endpoint.core.connection import EndpointRole
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.properties.optional_half import Limited, OptionalHalf
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire import v2
from rpcrdma.wire.rpc import MessageType
from rpcrdma.xdr.runtime import word_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.backward.responder import BackwardResponder
    from rpcrdma.endpoint.core.backchannel import Backchannel
    from rpcrdma.endpoint.core.connection import Handler
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.requester.requester import Requester
    from rpcrdma.endpoint.responder.responder import Responder

__all__ = ["Backward", "ClientDuplex", "Duplex", "Forward", "server_duplex"]


_TWO_WORDS: Final = 8
"""Octets of the XID and the version."""

_PROCEDURE_AND_DIRECTION: Final = slice(12, 20)
_ASKS: Final = b"".join(
    word.to_bytes(4) for word in (v2.Rdma2Procedure.RDMA2_OPTIONAL, MessageType.CALL)
)
"""These words of an optional message that is no answer."""


class Forward(EndpointRole, Limited, Protocol):
    """What a forward half is beside a `EndpointRole`."""


class Backward(EndpointRole, Limited, Protocol):
    """What a backward half is beside a `EndpointRole`."""

    @property
    def armed(self) -> bool:
        """Whether backward messages can come at all."""
        ...

    def flush(self) -> list[Action]:
        """Send what can be sent now."""
        ...


class Duplex:
    """The role that works in both directions."""

    def __init__(
        self,
        forward: Forward,
        backward: Backward,
        rules: DirectionRules,
        optional: OptionalHalf | None = None,
    ) -> None:
        self.forward = forward
        self.backward = backward
        self.rules = rules
        self.optional = optional
        self._busy = False
        self._waker: Callable[[], None] | None = None
        self._take_forward = forward.handlers[events.MessageReceived]
        self._take_backward = backward.handlers[events.MessageReceived]
        receive = self._receive if optional is None else self._receive_any
        self.handlers: Mapping[type[events.Event], Handler] = {
            **{kind: self._behind(handler) for kind, handler in forward.handlers.items()},
            **{
                kind: handler
                for kind, handler in backward.handlers.items()
                if kind not in forward.handlers
            },
            events.Connected: self._connected,
            events.MessageReceived: self._behind(receive),
            events.GroupBroken: self._group_broken,
            events.WorkFailed: self._work_failed,
            events.Disconnected: self._both(events.Disconnected),
        }
        if optional is not None:
            optional.join((forward, backward), self.initial_receives)
            self.handlers = {
                kind: _counted(handler, optional) for kind, handler in self.handlers.items()
            }

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """The Receives of both halves."""
        spare = () if self.optional is None else self.optional.initial_receives
        return self.forward.initial_receives + self.backward.initial_receives + spare

    @property
    def later_receives(self) -> int:
        """Those of both halves: for backward Replies, and for long responses (rtrext 4.3)."""
        return self.forward.later_receives + self.backward.later_receives

    @property
    def reductions(self) -> Reductions:
        """Those of the forward half: nobody knows of which half a message will be."""
        return self.forward.reductions

    def peer_is_ready(self, channel: Backchannel) -> None:
        """The Upper-Layer Protocol, being executed, says that the peer takes backward Calls here.

        Args:
            channel: has the Calls for this peer; from now on they go over this connection.
        """
        if isinstance(self.backward, BackwardRequester):
            self.backward.bind(channel)

    def wake_by(self, waker: Callable[[], None]) -> None:
        """Have `waker` called when backward Calls wait and no event is being handled.

        Args:
            waker: has this endpoint handle `CallsWaiting`.
        """
        self._waker = waker
        if isinstance(self.backward, BackwardRequester):
            self.backward.waker = self._wake

    def _wake(self) -> None:
        if not self._busy and self._waker is not None:
            self._waker()

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        if not self.backward.armed:
            return self._take_forward(event, now)
        half = self.rules.sort(event.data)
        if half is direction.Half.NOBODY:
            return self.drop(event)
        if half is direction.Half.BACKWARD:
            return self.to_backward(event, now)
        return self.to_forward(event, now)

    def _receive_any(self, event: events.MessageReceived, now: float) -> list[Action]:
        """As `_receive`, where Version Two is spoken, too."""
        optional, message = self.optional, event.data
        if optional is None:
            return self._receive(event, now)
        agrees = self.may_settle(message) and optional.is_agreed_by(message)
        if agrees and isinstance(self.backward, BackwardRequester):
            self.backward.speak(TWO)
        actions = optional.heard(event.sends)
        is_two = len(message) >= _TWO_WORDS and word_at(message, 4) == TWO.number
        if not is_two:
            return actions + self._receive(event, now)
        half = self.rules.sort(message)
        if half is direction.Half.OPTIONAL and optional.is_about_an_rpc(message):
            half = self.rules.errors
        if half is direction.Half.OPTIONAL:
            actions += optional.take(message)
        elif half is direction.Half.NOBODY or optional.rejects(message):
            actions += self.drop(event)
        elif half is direction.Half.FORWARD:
            take = self.to_forward if self.backward.armed else self._take_forward
            actions += take(event, now)
        elif self.backward.armed:
            actions += self.to_backward(event, now)
        else:
            actions += self.drop(event)  # a Reply to a Call that was never made
        return actions + optional.begin() if agrees else actions

    def _group_broken(self, event: events.GroupBroken, _now: float) -> list[Action]:
        optional = self.optional
        if optional is None:
            raise LocalProtocolError("a group of which this end supports no operation")
        return [*self._again(event.sends), *optional.group_broken(event)]

    def may_settle(self, _message: bytes) -> bool:
        """Whether this end may send of itself once a message, the first that is good, has come."""
        return True

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        """A message of the forward direction."""
        return self._take_forward(event, now)

    def to_backward(self, event: events.MessageReceived, now: float) -> list[Action]:
        """A message of the backward direction."""
        return self._take_backward(event, now)

    def drop(self, event: events.MessageReceived) -> list[Action]:
        """A message that is too small: all it does is cost a Receive (bidir 2.4)."""
        return self._again(event.sends)

    def _again(self, sends: int) -> list[Action]:
        """Post Receives for Sends that are no half's."""
        length = self.initial_receives[0]
        if self.optional is not None:
            length = self.optional.exchange.posted_length
        return [PostReceive.of(length)] * sends

    def _behind(self, handler: Handler) -> Handler:
        """Wraps a handler: after it returns, queued backward Calls are sent."""

        def handle(event: events.Event, now: float) -> list[Action]:
            self._busy = True
            try:
                actions = handler(event, now)
            finally:
                self._busy = False
            if not self.backward.armed or (actions and isinstance(actions[-1], Disconnect)):
                return actions
            return actions + self.backward.flush()

        return handle

    def _connected(self, event: events.Connected, now: float) -> list[Action]:
        if self.optional is not None:
            self.optional.connected(event)
        return self._both(events.Connected)(event, now)

    def _both(self, kind: type[events.Event]) -> Handler:
        """A handler of what concerns both halves."""
        handlers = [half.handlers[kind] for half in (self.forward, self.backward)]

        def handle(event: events.Event, now: float) -> list[Action]:
            return [action for handler in handlers for action in handler(event, now)]

        return handle

    def _work_failed(self, event: events.WorkFailed, now: float) -> list[Action]:
        # The server's backward half counts its work downward; a client's never asks for it again.
        half = self.backward if event.key < 0 else self.forward
        return half.handlers[events.WorkFailed](event, now)


def _counted(handler: Handler, optional: OptionalHalf) -> Handler:
    """A handler whose Receives the optional half knows of, and after which it does its own."""

    def handle(event: events.Event, now: float) -> list[Action]:
        actions = handler(event, now)
        optional.posted(actions)
        if actions and isinstance(actions[-1], Disconnect):
            return actions
        return actions + optional.fulfil()

    return handle


class ClientDuplex(Duplex):
    """The client's end: makes forward Calls, executes backward ones."""

    def __init__(
        self,
        forward: Requester,
        backward: BackwardResponder,
        optional: OptionalHalf | None = None,
    ) -> None:
        operations = None if optional is None else optional.exchange.options.operations
        rules = DirectionRules(MessageType.CALL, operations)
        super().__init__(forward, backward, rules, optional)

    def may_settle(self, message: bytes) -> bool:
        """D-54: what a server asks does not answer the client's first message."""
        return message[_PROCEDURE_AND_DIRECTION] != _ASKS


def server_duplex(forward: Responder, backward: BackwardRequester) -> Duplex:
    """The server's end: executes forward Calls, makes backward ones."""
    return Duplex(forward, backward, DirectionRules(MessageType.REPLY))
