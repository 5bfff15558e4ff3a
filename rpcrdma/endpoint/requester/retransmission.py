"""Which calls outlive their connection, and for how long (no I/O).

    rfc8166 section 4.2.1  Transaction ID (a repeated call keeps its XID)
    rfc8166 section 4.5.5  RPC-over-RDMA Transport Errors (the loss of a connection is survived)
    rfc5531 section 4      Transports and Semantics

A call whose connection is lost before its reply is sent again on the next one: the same payload,
and so the same XID, but with memory registered anew, since memory belongs to one connection.  Any
other failure ends it: sending the same again would be of no use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Failure

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.core.events import CallRequested

__all__ = ["MOST_LOSSES", "Retransmission"]

MOST_LOSSES: Final = 4
"""Connections in a row on which nothing was answered, after which calls fail: a Responder that
hangs up over a call must not be called for ever."""


PAUSE: Final = 0.02
"""Seconds between a lost connection, or one that could not be made, and the next try."""


class Retransmission:
    """The calls of one client, across its connections."""

    most_losses = MOST_LOSSES
    pause = PAUSE

    def __init__(self) -> None:
        self._unfinished: dict[int, CallRequested] = {}
        self._losses = 0

    @property
    def unfinished(self) -> tuple[CallRequested, ...]:
        """What is to be sent on a new connection, the oldest first."""
        return tuple(self._unfinished.values())

    def requested(self, call: CallRequested) -> None:
        """Note a call that the application wants executed."""
        self._unfinished[call.token] = call

    def forget(self, token: int) -> bool:
        """Repeat a call no more; returns whether it was one to be repeated."""
        return self._unfinished.pop(token, None) is not None

    def connection_lost(self) -> tuple[CallFailed, ...]:
        """Note that a connection ended or could not be made; returns what is given up now."""
        self._losses += 1
        if self._losses < self.most_losses:
            return ()
        given_up = tuple(self._unfinished)
        self._unfinished.clear()
        self._losses = 0
        return tuple(
            CallFailed(token, Failure.CONNECTION_LOST, "again and again") for token in given_up
        )

    def passed_on(self, event: ApplicationEvent) -> bool:
        """Whether the application is told of an event; else the call will be sent again."""
        if self.is_sent_again(event) and event.token in self._unfinished:
            return False
        self._unfinished.pop(event.token, None)
        if not isinstance(event, CallFailed) or event.failure is not Failure.CONNECTION_LOST:
            self._losses = 0
        return True

    def is_sent_again(self, event: ApplicationEvent) -> bool:
        """Whether what ended a call on one connection leaves it to the next."""
        return isinstance(event, CallFailed) and event.failure is Failure.CONNECTION_LOST
