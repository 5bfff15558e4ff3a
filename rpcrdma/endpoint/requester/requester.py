"""The Requester: builds Calls, offers memory, matches Replies by XID.

    rfc8166 section 3.3.1  RPC-over-RDMA Credits
    rfc8166 section 3.5    Message Size
    rfc8166 section 4.4.1  Registration Longevity
    rfc8166 section 4.5    Error Handling
    xcharext section 3.2   Requester Remote Invalidation

Theory of operation.  A call goes through the phases of `PHASES`.  Its form is chosen at once
(`rpcrdma.endpoint.requester.plan`); then its memory is REGISTERING, then it is QUEUED for a credit,
then SENT.  However it ends, by a reply, an error, a cancellation or the loss of the connection, its
memory is INVALIDATING before the application hears of it; a call without chunks has no memory and
passes through those phases without a pause.

A cancelled call keeps its credit until the Responder answers: it may still be working on it.

A reply that cannot be decoded is dropped, one that can and breaks a rule ends its call (D-28).
A Receive that was used up is posted again at once; but when no call is in flight, after the next
Send, where it costs that call no time.  All but one are posted then, which is enough.

When memory cannot be invalidated the connection is closed (rfc8166 4.5.4).
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    ApplicationEvent,
    CallFailed,
    Deliver,
    Disconnect,
    Failure,
    Invalidate,
    PostReceive,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.dialect import NO_CHUNKS
from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer, FaultFound
from rpcrdma.endpoint.core.sending import sends_of
from rpcrdma.endpoint.requester.call_message import frame
from rpcrdma.endpoint.requester.call_planning import RequesterOptions
from rpcrdma.endpoint.requester.outgoing import (
    NOTHING_OFFERED,
    PHASES,
    CallStep,
    Memory,
    OutgoingCall,
    Phase,
    unreduced,
)
from rpcrdma.endpoint.requester.reply_parsing import Offer, judge_returned
from rpcrdma.endpoint.requester.requester_parts import REQUESTER, RequesterParts
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.wire import (
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    TransportHeader,
)
from rpcrdma.wire.rpc import MessageType, message_type_of, xid_of
from rpcrdma.wire.transmission import divided

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.endpoint.core.connection import Handler
    from rpcrdma.endpoint.properties.values import PropertyValues

__all__ = ["Requester", "RequesterOptions", "RequesterParts"]

_REPLY: Final = MessageType.REPLY.to_bytes(4, "big")
_SENT, _DONE = Phase.SENT, Phase.DONE  # each call needs them, and finding one in an Enum is slow


class Requester:
    """The role that makes calls; `owes_receive` is true while one is to be posted after a Send."""

    later_receives = 0
    operations: frozenset[int] = frozenset()

    def __init__(
        self, options: RequesterOptions | None = None, parts: RequesterParts = REQUESTER
    ) -> None:
        self.options = options or RequesterOptions()
        dialect = self.options.dialect
        self.rules = parts.rules(dialect)
        self._decode = dialect.decode
        self._version = dialect.number
        self._plain = dialect.plain  # told by identity
        self._header = dialect.header
        self.allowance = parts.allowance(self.options.credits)
        self._keys = count(1)
        self._planner = parts.planner(self.options, self._keys)
        self._calls: dict[int, OutgoingCall] = {}
        self._abandoned: dict[int, OutgoingCall] = {}
        self._queue: deque[OutgoingCall] = deque()
        self._memory: dict[int, tuple[OutgoingCall, Memory]] = {}
        self._lost = False
        self._receive_again = PostReceive.of(self.options.thresholds.reply)
        self.owes_receive = False
        requested = self.rules.requested(self.options.credits)
        header = TransportHeader(0, self.rules.version(), requested, NO_CHUNKS)
        self._behind_xid = dialect.encode(header, MessageType.CALL)[4:]
        self.handlers: Mapping[type[events.Event], Handler] = {
            events.Connected: self._connected,
            events.MessageReceived: self._receive,
            events.WorkFailed: self._work_failed,
            events.Registered: self._registered,
            events.RegistrationFailed: self._registration_failed,
            events.Invalidated: self._invalidated,
            events.Disconnected: self._disconnected,
            events.CallRequested: self._request,
            events.CallCancelled: self._cancel,
        }

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """One Receive for each reply that may be expected (rfc8166 3.3.1)."""
        return (self.options.thresholds.reply,) * self.options.credits

    def heed(self, version: int, send_limit: int, _peer: PropertyValues) -> None:
        """Keep Calls within what the peer has announced (xcharext 3.1)."""
        if version == self._version:
            self._planner.send_limit = send_limit

    def post_from_now(self, octets: int) -> None:
        """From now on, post Receives of this length; longer replies get chunks (xcharext 3.1)."""
        self._receive_again = PostReceive.of(octets)
        self._planner.receive_limit = min(octets, self._planner.receive_limit)

    # -- a call goes out

    def _connected(self, _event: events.Connected, _now: float) -> list[Action]:
        return []

    def _request(self, event: events.CallRequested, _now: float) -> list[Action]:
        try:
            call = self._planner.plan(event, self._free_xid(event.payload))
        except (DecodeError, LocalProtocolError) as error:
            failed = CallFailed(event.token, Failure.CANNOT_SEND, str(error))
            return [Deliver(failed)]  # rfc8166 4.5.4: at once
        if self._lost:
            return [Deliver(CallFailed(event.token, Failure.CONNECTION_LOST))]
        self._calls[call.xid] = call
        if call.plan is None:
            call.message = self.rules.plain_message(call.payload, self._behind_xid)
            return self._enqueue(call)
        segments = call.segments()
        if not segments:
            return self._build(call)
        for segment in segments:
            self._memory[segment.key] = (call, segment)
        return [segment.action for segment in segments]

    def _free_xid(self, payload: bytes) -> int:
        xid = xid_of(payload) if len(payload) >= 4 else None
        if xid is None or xid in self._calls or xid in self._abandoned:
            raise LocalProtocolError("the payload has no XID, or one that is in use")
        return xid

    def _registered(self, event: events.Registered, _now: float) -> list[Action]:
        call, memory = self._memory[event.key]
        memory.segment = RdmaSegment(event.handle, memory.action.length, event.offset)
        if call.phase is not Phase.REGISTERING:  # it ended meanwhile
            return [Invalidate(event.key)]
        if all(segment.segment is not None for segment in call.segments()):
            return self._build(call)
        return []

    def _registration_failed(self, event: events.RegistrationFailed, _now: float) -> list[Action]:
        call, memory = self._memory.pop(event.key)
        memory.safe = True
        if call.phase is Phase.REGISTERING:
            return self._fail(call, Failure.CANNOT_SEND, event.reason)
        return self._conclude(call)

    def _build(self, call: OutgoingCall) -> list[Action]:
        """All coordinates are known: make the message."""
        call.message = frame(call, self.rules, self.rules.requested(self.options.credits))
        if len(call.message) > self._planner.threshold:
            octets = f"{len(call.message)} octets exceed the call inline threshold"
            return self._fail(call, Failure.CANNOT_SEND, octets)
        return self._enqueue(call)

    def _enqueue(self, call: OutgoingCall) -> list[Action]:
        call.sends = len(divided(call.message))  # so many credits it takes
        if not self._queue and self.allowance.try_take(call.sends):
            actions = self._sent(call)
            if self.owes_receive:
                self.owes_receive = False
                actions.append(self._receive_again)
            return actions
        call.phase = Phase.QUEUED
        self._queue.append(call)
        return self._send_queued()

    def _send_queued(self) -> list[Action]:
        actions: list[Action] = []
        while self._queue and self.allowance.try_take(self._queue[0].sends):
            actions += self._sent(self._queue.popleft())
        return actions

    def _sent(self, call: OutgoingCall) -> list[Action]:
        call.phase = _SENT
        return sends_of(Send(next(self._keys), call.message))

    # -- a reply comes in

    def _receive(self, event: events.MessageReceived, _now: float) -> list[Action]:
        if event.invalidated is not None:
            self._memory[event.invalidated][1].withdrawn = True
        try:
            actions = self._judge(event.data)
        except FaultFound as found:
            # Faults that end a call are raised after `_judge`: nothing is left but silence.
            if RULES[found.fault].answer is not FaultAnswer.DISCARD:
                raise
            actions = []
        used = event.sends
        if not (self.allowance.outstanding or self.owes_receive or self.options.credits == 1):
            self.owes_receive = True
            used -= 1
        return [self._receive_again] * used + actions if used else actions

    def _judge(self, message: bytes) -> list[Action]:
        try:
            header, end = self._decode(message)
        except DecodeError as error:
            raise FaultFound(Fault.BAD_REPLY_HEADER, str(error)) from error
        body = header.rdma_body
        if body is self._plain and header.rdma_vers == self._version:
            delivered = self._take_plain_reply(header, message)
            if delivered is not None:
                return delivered
        if isinstance(body, RdmaError):  # D-11: before the version is looked at
            return self._refused(header.rdma_xid, body)
        if header.rdma_vers != self._version:
            raise FaultFound(Fault.REPLY_VERSION, str(header.rdma_vers))
        if isinstance(body, RdmaMsgp):
            raise FaultFound(Fault.MSGP_REPLY)
        if isinstance(body, RdmaDone):
            raise FaultFound(Fault.DONE_REPLY)
        return self._take_reply(header, body, message[end:])

    def _take_plain_reply(self, header: TransportHeader, message: bytes) -> list[Action] | None:
        """Nearly every reply: chunkless, to a chunkless call; None leaves it to `_take_reply`.

        Nothing of `judge_returned` can be broken by it, and there is no memory to take back.
        """
        call = self._calls.get(header.rdma_xid)
        if call is None or call.plan is not None or call.phase is not _SENT:
            return None
        if not message.startswith(call.payload[:4] + _REPLY, self._header):
            return None
        self.allowance.give_back(call.sends)
        self.allowance.granted_by_reply(header.rdma_credit)
        call.phase = _DONE
        del self._calls[call.xid]
        delivered = Deliver(ReplyReceived(call.token, message[self._header :]))
        return [delivered, *self._send_queued()] if self._queue else [delivered]

    def _refused(self, xid: int, body: RdmaError) -> list[Action]:
        call = self._take_answered(xid)
        if call is None:
            return self._send_queued()
        if isinstance(body.error, ErrVers):
            versions = f"{body.error.rdma_vers_low}..{body.error.rdma_vers_high}"
            actions = self._fail(call, Failure.REFUSED_VERSION, versions)
        else:
            actions = self._fail(call, Failure.REFUSED_CHUNKS, "")
        return actions + self._send_queued()

    def _take_reply(
        self, header: TransportHeader, body: RdmaMsg | RdmaNomsg, payload: bytes
    ) -> list[Action]:
        xid = header.rdma_xid
        if isinstance(body, RdmaMsg) and (len(payload) < 4 or xid_of(payload) != xid):
            raise FaultFound(Fault.REPLY_XID_MISMATCH)
        if isinstance(body, RdmaMsg) and message_type_of(payload) == MessageType.CALL:
            raise FaultFound(Fault.CALL_TO_REQUESTER)
        if isinstance(body, RdmaNomsg) and body.rdma_reply is None:
            raise FaultFound(Fault.NOMSG_WITHOUT_REPLY)
        given_up = self._abandoned.get(xid)
        offer = NOTHING_OFFERED if given_up is None else given_up.offer
        call = self._take_answered(xid)
        try:
            self._judge_lists(offer if call is None else call.offer, body)
        except FaultFound as found:
            # rfc8166 3.3.3: only a valid Reply tells the grant.
            ended = [] if call is None else self._fail(call, Failure.BAD_REPLY, str(found))
            return ended + self._send_queued()
        self.allowance.granted_by_reply(header.rdma_credit)
        if call is None:
            return self._send_queued()
        call.answer, call.inline = body, payload
        return self._end(call) + self._send_queued()

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        """Raise FaultFound unless the lists of a reply are those that its call offered."""
        judge_returned(offer, body)

    def _take_answered(self, xid: int) -> OutgoingCall | None:
        """The call in flight with this XID; None if the application gave it up."""
        call = self._calls.get(xid)
        if call is not None and call.phase is Phase.SENT:
            self.allowance.give_back(call.sends)
            return call
        if xid not in self._abandoned:
            raise FaultFound(Fault.UNKNOWN_XID, f"{xid:#x}")
        self.allowance.give_back(self._abandoned.pop(xid).sends)
        return None

    # -- a call ends

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
            if call.token == event.token and call.phase is not Phase.INVALIDATING:
                break
        else:
            return []  # it has just ended
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
            if call.phase is not Phase.INVALIDATING:
                actions += self._fail(call, Failure.CONNECTION_LOST, event.reason)
        return actions
