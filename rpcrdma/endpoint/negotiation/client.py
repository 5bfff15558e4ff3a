"""A client that offers Version Two and speaks what its server does.

    v2 section 2.3  Default Values (the thresholds that belong to a version)
    v2 section 5    Protocol Version Negotiation

Theory of operation.  The role of a connection is first the one of Version Two.  Its first Call is
the offer: at most 1024 octets, and nothing else is sent until it is answered; what the application
wants meanwhile is held back.  An answer in Version Two lets the held Calls go; ERR_VERS puts the
role of Version One in its place, on the same connection, and the offered Call is made again there,
with the held ones after it.  The application hears nothing of that.  The rules are in
`rpcrdma.endpoint.negotiation.table`; this module carries them out.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    Failure,
    PostReceive,
)
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.negotiation.table import Negotiation, NegotiationState, Signal
from rpcrdma.endpoint.properties.values import PropertyValues
from rpcrdma.errors import DecodeError
from rpcrdma.wire import ErrVers, RdmaError, decode_any_header, v2
from rpcrdma.wire.rpc import xid_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.backward.duplex import Duplex
    from rpcrdma.endpoint.core.connection import Handler
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.requester.requester import Requester

__all__ = ["NegotiatingClient"]

_EVENTS: Final = (
    events.Connected,
    events.GroupBroken,
    events.ReadCompleted,
    events.WorkFailed,
    events.Registered,
    events.RegistrationFailed,
    events.Invalidated,
)


class NegotiatingClient:
    """The role of a client that speaks both versions.

    Args:
        make: the role of a version, and the Requester in it.
        negotiation: of this connection.
    """

    def __init__(
        self, make: Callable[[Dialect], tuple[Duplex, Requester]], negotiation: Negotiation
    ) -> None:
        self._make = make
        self.negotiation = negotiation
        self._dialect: Dialect = ONE if negotiation.state is NegotiationState.ONE else TWO
        self.role, self._requester = make(self._dialect)
        self._offer: events.CallRequested | None = None
        self._offered_xid: int | None = None
        self._held: deque[events.CallRequested] = deque()
        self._answered = False
        self.handlers: Mapping[type[events.Event], Handler] = {
            **{kind: self._passing_on(kind) for kind in _EVENTS},
            events.MessageReceived: self._receive,
            events.CallRequested: self._request,
            events.CallCancelled: self._cancel,
            events.Disconnected: self._disconnected,
        }

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """Large enough for either version from the first (v2 5.2)."""
        return self.role.initial_receives

    @property
    def later_receives(self) -> int:
        """Those of the role that is in place."""
        return self.role.later_receives

    @property
    def reductions(self) -> Reductions:
        """Those of the role that is in place; a driver asks while that is the first."""
        return self.role.reductions

    # -- calls

    def _request(self, event: events.CallRequested, now: float) -> list[Action]:
        state = self.negotiation.state
        if state is NegotiationState.OFFERING:
            self._held.append(event)
            return []
        if state is NegotiationState.NONE:
            return [Deliver(_refused(event.token))]
        if state is NegotiationState.FRESH:
            self._offer = event
            self._offered_xid = xid_of(event.payload) if len(event.payload) >= _XID else None
            self.negotiation.signal(Signal.OFFERED)
        return self._watched(self._role_handles(event, now), now)

    def _cancel(self, event: events.CallCancelled, now: float) -> list[Action]:
        for held in self._held:
            if held.token == event.token:
                self._held.remove(held)
                return [Deliver(CallFailed(event.token, Failure.CANCELLED))]
        return self._watched(self._role_handles(event, now), now)

    def _release(self, now: float) -> list[Action]:
        """Make the Calls that were held back, as far as the state allows."""
        actions: list[Action] = []
        held, self._held = self._held, deque()
        for event in held:
            actions += self._request(event, now)
        return actions

    # -- messages

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        if self._answered or self.negotiation.state is NegotiationState.ONE:
            return self._role_handles(event, now)
        signal = self._signal(event.data)
        before = self.negotiation.state
        state = before if signal is None else self.negotiation.signal(signal)
        if signal is Signal.ANSWERED:
            self._answered = True
            # v2 5.1: from now on both use the default of Version Two.
            self._requester.heed(TWO.number, TWO.threshold, PropertyValues())
        actions = self._watched(self._role_handles(event, now), now)
        if before is NegotiationState.OFFERING and state in _GOES_ON:
            actions += self._release(now)
        if state is NegotiationState.ONE and self._offer is None and self._dialect is TWO:
            actions += self._fall_back(None, now)  # the application had given the offered Call up
        return actions

    def _signal(self, message: bytes) -> Signal | None:
        """What a message says about versions; None if nothing."""
        try:
            header, _ = decode_any_header(message)
        except DecodeError:
            return None
        body = header.rdma_body
        offering = self.negotiation.state is NegotiationState.OFFERING
        is_answer = header.rdma_xid == self._offered_xid or isinstance(body, v2.Rdma2Optional)
        if offering and not is_answer:
            return None  # it answers nothing that was sent, and will be dropped
        if isinstance(body, RdmaError | v2.Rdma2Error):
            if isinstance(body.error, ErrVers):
                return self.negotiation.rules.choose(body.error)
            return Signal.ERRED if header.rdma_vers == v2.VERSION else None
        return Signal.ANSWERED if header.rdma_vers == v2.VERSION else None

    # -- what the role does

    def _passing_on(self, kind: type[events.Event]) -> Handler:
        def handle(event: events.Event, now: float) -> list[Action]:
            if kind not in self.role.handlers:
                return []
            return self._watched(self._role_handles(event, now), now)

        return handle

    def _role_handles(self, event: events.Event, now: float) -> list[Action]:
        return self.role.handlers[type(event)](event, now)

    def _watched(self, actions: list[Action], now: float) -> list[Action]:
        """What a role does, but for what it says about the offered Call to the application."""
        offer = self._offer
        if offer is None:
            return actions
        for index, action in enumerate(actions):
            if isinstance(action, Deliver) and action.event.token == offer.token:
                self._offer = None
                following = self._offer_ended(offer, action, now)
                return [*actions[:index], *following, *actions[index + 1 :]]
        return actions

    def _offer_ended(self, offer: events.CallRequested, ended: Deliver, now: float) -> list[Action]:
        failure = ended.event.failure if isinstance(ended.event, CallFailed) else None
        state = self.negotiation.state
        if failure is Failure.REFUSED_VERSION and state is NegotiationState.ONE:
            return self._fall_back(offer, now)
        if failure is Failure.CANNOT_SEND and state is NegotiationState.OFFERING:
            self.negotiation.signal(Signal.UNSENT)
            return [ended, *self._release(now)]
        return [ended]

    def _fall_back(self, offer: events.CallRequested | None, now: float) -> list[Action]:
        """Go on in Version One; all memory of the offered Call is safe by now."""
        actions: list[Action] = []
        if self._requester.owes_receive:
            actions.append(PostReceive.of(self.role.initial_receives[0]))
        self._dialect = ONE
        self.role, self._requester = self._make(ONE)
        if offer is not None:
            actions += self._request(offer, now)
        return actions + self._release(now)

    # -- the end

    def _disconnected(self, event: events.Disconnected, now: float) -> list[Action]:
        self.negotiation.signal(Signal.LOST)
        self._offer = None
        actions = self._role_handles(event, now)
        while self._held:
            token = self._held.popleft().token
            actions.append(Deliver(CallFailed(token, Failure.CONNECTION_LOST, event.reason)))
        return actions


_XID: Final = 4
"""Octets of an XID."""

_GOES_ON: Final = (NegotiationState.TWO, NegotiationState.NONE)
"""States in which a Call that was held back can be dealt with at once."""


def _refused(token: int) -> CallFailed:
    return CallFailed(token, Failure.REFUSED_VERSION, "no version that both ends speak")
