"""The backward Calls of a server to one client: what outlives the client's connections.

    bidir section 1.3.4  XID Values
    bidir section 2.3    Backward Direction Retransmission

A server cannot open a connection to its client.  When the connection is lost, its backward Calls
wait here, for as long as it takes, until the client has connected again and the Upper-Layer
Protocol has said that this is the same client (`BackwardRequester.bind`); then those without a
Reply are sent again, each under its XID.

A channel knows of no message and no credit: those are a connection's (`BackwardRequester`).  It is
bound to one connection at most; a Call that another connection still carries stays with that one.

Hooks (methods that a mutant may override, one each):

    choose_xid              an XID that no Call has which still awaits its Reply
    take_back               what was in flight when the connection was lost waits again
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rpcrdma.endpoint.core.actions import CallFailed, ReplyReceived

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rpcrdma.endpoint.core.actions import ApplicationEvent, Failure

__all__ = ["Backchannel", "BackwardCall", "Carrier"]

FIRST_XID = 1
WORD_MAXIMUM = 2**32 - 1


class Carrier(Protocol):
    """A connection to the client, as far as a channel knows it."""

    def wake(self) -> None:
        """There are Calls to be sent."""
        ...


@dataclass(slots=True)
class BackwardCall:
    """A Call that awaits its Reply.

    Attributes:
        token: names it to whoever made it.
        xid: in every transmission.
        payload: the unreduced Call.
        carrier: the connection over which it was sent; None while it waits.
    """

    token: int
    xid: int
    payload: bytes
    carrier: Carrier | None = None


def _nobody(_event: ApplicationEvent) -> None:
    """Nobody wants to know."""


class Backchannel:
    """The backward Calls to one client.

    Attributes:
        concluded: is told of each Reply or failure.
    """

    def __init__(self, concluded: Callable[[ApplicationEvent], None] = _nobody) -> None:
        self.concluded = concluded
        self._calls: dict[int, BackwardCall] = {}  # by token, in the order of being made
        self._bound: Carrier | None = None
        self._last_xid = FIRST_XID - 1
        self._last_token = 0

    @property
    def pending(self) -> tuple[BackwardCall, ...]:
        """Calls without a Reply, the oldest first."""
        return tuple(self._calls.values())

    # -- the Upper-Layer Protocol's side

    def call(self, encode: Callable[[int], bytes]) -> int:
        """Make a Call; returns its token.

        Args:
            encode: makes the complete Call payload with the XID that it is given.
        """
        self._last_token += 1
        xid = self.choose_xid({call.xid for call in self._calls.values()})
        self._calls[self._last_token] = BackwardCall(self._last_token, xid, encode(xid))
        if self._bound is not None:
            self._bound.wake()
        return self._last_token

    def choose_xid(self, taken: Collection[int]) -> int:
        """An XID that is free; those of forward Calls do not matter (bidir 1.3.4.1)."""
        xid = self._last_xid
        while True:
            xid = xid + 1 if xid < WORD_MAXIMUM else 0
            if xid not in taken:
                self._last_xid = xid
                return xid

    # -- the connection's side

    def bind(self, carrier: Carrier) -> None:
        """From now on Calls go over this connection."""
        self._bound = carrier

    def is_bound_to(self, carrier: Carrier) -> bool:
        """Whether Calls go over this connection."""
        return self._bound is carrier

    def next_waiting(self) -> BackwardCall | None:
        """The oldest Call that no connection carries."""
        return next((call for call in self._calls.values() if call.carrier is None), None)

    def replied(self, call: BackwardCall, payload: bytes) -> None:
        """The Reply to a Call is here."""
        del self._calls[call.token]
        self.concluded(ReplyReceived(call.token, payload))

    def failed(self, call: BackwardCall, failure: Failure, detail: str = "") -> None:
        """A Call will have no Reply."""
        del self._calls[call.token]
        self.concluded(CallFailed(call.token, failure, detail))

    def lost(self, carrier: Carrier) -> None:
        """A connection is gone: its Calls wait for another."""
        self.take_back(carrier)
        if self._bound is carrier:
            self._bound = None
        elif self._bound is not None:
            self._bound.wake()  # the client had connected again before this end noticed

    def take_back(self, carrier: Carrier) -> None:
        """Have the Calls that a lost connection carried wait again, whatever became of them."""
        for call in self._calls.values():
            if call.carrier is carrier:
                call.carrier = None
