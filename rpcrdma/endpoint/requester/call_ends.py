"""How the Calls of a Requester end, and what becomes of their memory.

    rfc8166 section 4.4.1  Registration Longevity
    rfc8166 section 4.5.4  Other Operational Errors
    rtrext section 5.4     Error Reporting (a group that failed is made again without the extension)

However a Call ends, its memory is taken back first; then the application hears of it.  What ends a
Call is for `Requester` to say, of which this is one half.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    Disconnect,
    Failure,
    ReplyReceived,
)
from rpcrdma.endpoint.core.faults import FaultFound
from rpcrdma.endpoint.requester.outgoing import PHASES, CallStep, Phase, unreduced

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.requester.groups import CallGroups
    from rpcrdma.endpoint.requester.outgoing import Memory, OutgoingCall

__all__ = ["CallEnds"]


class CallEnds:
    """The Calls of one connection, until they are over."""

    def __init__(self, groups: CallGroups) -> None:
        self.groups = groups
        self._calls: dict[int, OutgoingCall] = {}
        self._abandoned: dict[int, OutgoingCall] = {}
        self._queue: deque[OutgoingCall] = deque()
        self._memory: dict[int, tuple[OutgoingCall, Memory]] = {}
        self._lost = False

    def awaits(self, xid: int) -> bool:
        """Whether a Call under this XID was sent and has no Reply."""
        call = self._calls.get(xid)
        return call is not None and call.phase is Phase.SENT

    def _begin(self, event: events.CallRequested, *, again: bool = False) -> list[Action]:
        """Make a call, as a group if it can be one; not one that was a group before."""
        raise NotImplementedError

    def _fail(self, call: OutgoingCall, failure: Failure, detail: str) -> list[Action]:
        call.failure = CallFailed(call.token, failure, detail)
        return self._end(call)

    def _end(self, call: OutgoingCall) -> list[Action]:
        """Take the memory back; then the application hears of it."""
        call.phase = PHASES[call.phase, CallStep.ENDED]
        if call.plan is None:
            return self._conclude(call)
        call.note_returned()
        held = (one for one in call.segments() if one.segment is not None and not one.safe)
        actions: list[Action] = [one.taken_back() for one in held]
        return actions or self._conclude(call)

    def _invalidated(self, event: events.Invalidated, _now: float) -> list[Action]:
        call, memory = self._memory.pop(event.key)
        memory.safe, memory.data = True, event.data
        if event.failed and not self._lost:
            # rfc8166 4.5.4: the memory must not stay within reach; the loss then ends the call.
            call.answer = None
            call.failure = CallFailed(call.token, Failure.CONNECTION_LOST, "cannot invalidate")
            return [*self._conclude(call), Disconnect("memory cannot be invalidated")]
        return self._conclude(call)

    def _conclude(self, call: OutgoingCall) -> list[Action]:
        """Tell the application, once all memory is safe."""
        if call.plan is not None and not all(memory.safe for memory in call.segments()):
            return []
        call.move(CallStep.MEMORY_SAFE)
        del self._calls[call.xid]
        if call.xid not in self._abandoned:
            self.groups.ended(call)
        if call.goes_otherwise and call.event is not None and call.failure is None:
            return self._begin(call.event, again=True)
        return [Deliver(self._outcome(call))]

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        if call.failure is not None:
            return call.failure
        try:
            return ReplyReceived(call.token, unreduced(call))
        except FaultFound as found:
            return CallFailed(call.token, Failure.BAD_REPLY, str(found))

    def _cancel(self, event: events.CallCancelled, _now: float) -> list[Action]:
        for call in self._calls.values():
            if call.token == event.token and (call.goes_otherwise or not call.is_ending):
                break
        else:
            return []  # it has just ended
        if call.is_ending:
            call.failure = CallFailed(call.token, Failure.CANCELLED)
            return []
        if call.phase is Phase.SENT:
            self._abandoned[call.xid] = call
        elif call.phase is Phase.QUEUED:
            self._queue.remove(call)
        return self._fail(call, Failure.CANCELLED, "")

    def _work_failed(self, event: events.WorkFailed, _now: float) -> list[Action]:
        return [Disconnect(event.reason)]

    def _disconnected(self, event: events.Disconnected, _now: float) -> list[Action]:
        self._lost = True
        self._queue.clear()
        self._abandoned.clear()
        actions: list[Action] = []
        for call in list(self._calls.values()):
            if not call.is_ending:
                actions += self._fail(call, Failure.CONNECTION_LOST, event.reason)
        return actions

    def _go_otherwise(self, call: OutgoingCall) -> list[Action]:
        """End a group and make its call again by the base protocol, once all memory is safe."""
        call.goes_otherwise = True
        return self._end(call)
