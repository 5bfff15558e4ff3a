"""Backward Calls with chunks, to a client that takes them (Version Two only).

    xcharext section 3.3  Backward Request Support (BKREQSUP_GENL)
    rfc8166 section 3.5   Message Size (which holds then, as in the forward direction; D-131)

A Call that goes by chunks is a `Requester`'s: it registers, offers and takes back memory.  This is
one inside the backward half.  The half counts the credits and posts the Receives, and it is the
half that the client's channel knows: what the Requester wants done is translated here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    PostReceive,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.call_planning import RequesterOptions
from rpcrdma.endpoint.requester.requester import Requester

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpcrdma.endpoint.core.backchannel import BackwardCall
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["ChunkedCalls"]


class _Counted(Allowance):
    """The allowance of the backward half, which has taken the credit before."""

    def __init__(self, half: Allowance) -> None:
        super().__init__(half.requested)
        self._half = half

    def try_take(self, sends: int) -> bool:
        """It is taken."""
        return True

    def give_back(self, sends: int) -> None:
        """Give it back to the half."""
        self._half.give_back(sends)

    def granted_by_reply(self, value: int) -> None:
        """Tell the half."""
        self._half.granted_by_reply(value)


class ChunkedCalls:
    """The backward Calls of one connection that go by chunks.

    Args:
        upper_layer: knows the binding of what is called.
        allowance: of the backward half.
        post: makes the Send of a message, and the Receive for its Reply before it.
        ended: is told of what became of a Call, by its XID.
    """

    def __init__(
        self,
        upper_layer: UpperLayer,
        allowance: Allowance,
        post: Callable[[BackwardCall, bytes], list[Action]],
        ended: Callable[[BackwardCall, ReplyReceived | CallFailed], None],
    ) -> None:
        self._upper_layer = upper_layer
        self._post = post
        self._ended = ended
        self._calls: dict[int, BackwardCall] = {}
        thresholds = InlineThresholds(call=TWO.threshold, reply=TWO.threshold)
        options = RequesterOptions(thresholds, credits=allowance.requested, dialect=TWO)
        self._requester = Requester(options)
        self._requester.allowance = _Counted(allowance)

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        """From now on, send nothing longer than this inline."""
        self._requester.heed(TWO.number, send_limit, peer)

    def carries(self, xid: int) -> bool:
        """Whether a Call with this XID is under way by chunks."""
        return xid in self._calls

    def awaits(self, xid: int) -> bool:
        """Whether such a Call was sent and has no Reply: its memory may outlast that."""
        return self._requester.awaits(xid)

    def begin(self, call: BackwardCall) -> list[Action]:
        """Send a Call; a credit has been taken for it."""
        self._calls[call.xid] = call
        request = events.CallRequested(call.xid, self._upper_layer, call.payload)
        return self.handle(request, 0.0)

    def handle(self, event: events.Event, now: float) -> list[Action]:
        """What became of memory, or a message that answers a Call by chunks."""
        return self._translated(self._requester.handlers[type(event)](event, now))

    def end(self, event: events.Disconnected, now: float) -> list[Action]:
        """The connection is gone: the memory is taken back; the Calls are the channel's again."""
        self._calls.clear()
        return self.handle(event, now)

    def _translated(self, actions: Iterable[Action]) -> list[Action]:
        translated: list[Action] = []
        for action in actions:
            match action:
                case Send(data=data):
                    call = self._calls[int.from_bytes(data[:4], "big")]
                    translated += self._post(call, data)
                case Deliver(event=outcome):
                    ended = self._calls.pop(outcome.token, None)
                    if ended is not None:
                        self._ended(ended, outcome)
                case PostReceive():
                    pass  # the half has posted the one for this Call
                case _:
                    translated.append(action)
        return translated
