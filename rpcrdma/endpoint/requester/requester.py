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

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    Failure,
    Invalidate,
    PostReceive,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.dialect import NO_CHUNKS
from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer, FaultFound
from rpcrdma.endpoint.core.group_bodies import GroupedMsg, OptionRefused
from rpcrdma.endpoint.core.group_placement import PlacementFound
from rpcrdma.endpoint.core.keys import Keys
from rpcrdma.endpoint.core.sending import sends_of
from rpcrdma.endpoint.requester.call_ends import CallEnds
from rpcrdma.endpoint.requester.call_message import frame
from rpcrdma.endpoint.requester.call_planning import RequesterOptions
from rpcrdma.endpoint.requester.groups import CallGroups
from rpcrdma.endpoint.requester.outgoing import OutgoingCall, Phase
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
from rpcrdma.wire.operations import XmtResp
from rpcrdma.wire.rpc import MessageType, message_type_of, xid_of
from rpcrdma.wire.transmission import Transmission

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.endpoint.core.connection import Handler
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.properties.values import PropertyValues

__all__ = ["Requester", "RequesterOptions", "RequesterParts"]

_REPLY: Final = MessageType.REPLY.to_bytes(4, "big")
_SENT, _DONE = Phase.SENT, Phase.DONE  # each call needs them, and finding one in an Enum is slow


class Requester(CallEnds):
    """The role that makes calls; `owes_receive` is true while one is to be posted after a Send."""

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
        self._keys = Keys()
        self._planner = parts.planner(self.options, self._keys, parts.groups)
        super().__init__(CallGroups(self.options, self._planner))
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

    @property
    def later_receives(self) -> int:
        """Those for later transmissions of responses (rtrext 4.3)."""
        return self.options.reductions.reserve

    @property
    def reductions(self) -> Reductions:
        """How it reduces round trips."""
        return self.options.reductions

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        """Keep Calls within what the peer has announced (xcharext 3.1, rtrext 5)."""
        if version == self._version:
            self._planner.send_limit = send_limit
            self._planner.groups.heed(send_limit, peer)

    def post_from_now(self, octets: int) -> None:
        """From now on, post Receives of this length; longer replies get chunks (xcharext 3.1)."""
        self._receive_again = PostReceive.of(octets)
        self._planner.receive_limit = min(octets, self._planner.receive_limit)
        self._planner.groups.post_from_now(octets)

    @property
    def is_busy(self) -> bool:
        """Whether a call has not ended."""
        return bool(self._calls)

    # -- a call goes out

    def _connected(self, _event: events.Connected, _now: float) -> list[Action]:
        return []

    def _request(self, event: events.CallRequested, _now: float) -> list[Action]:
        return self._begin(event)

    def _begin(self, event: events.CallRequested, *, again: bool = False) -> list[Action]:
        as_group = self.groups.is_possible and not again
        try:
            xid = self._free_xid(event.payload)
            group = self.groups.plan(event, xid, self.allowance.limit) if as_group else None
            call = group or self._planner.plan(event, xid)
            call.made_again = again
        except (DecodeError, LocalProtocolError) as error:
            failed = CallFailed(event.token, Failure.CANNOT_SEND, str(error))
            return [Deliver(failed)]  # rfc8166 4.5.4: at once
        if self._lost:
            return [Deliver(CallFailed(event.token, Failure.CONNECTION_LOST))]
        self._calls[call.xid] = call
        if call.plan is None:
            call.message = self.rules.plain_message(call.payload, self._behind_xid)
            return self._enqueue(call)
        actions: list[Action] = [self._receive_again] * self.groups.begun(call)
        segments = call.segments()
        if not segments:
            return actions + self._build(call)
        for segment in segments:
            self._memory[segment.key] = (call, segment)
        return actions + [segment.action for segment in segments]

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
        if call.group is not None:
            return self._enqueue(call) if self.groups.is_framed(call) else self._go_otherwise(call)
        call.message = frame(call, self.rules, self.rules.requested(self.options.credits))
        if len(call.message) > self._planner.threshold:
            octets = f"{len(call.message)} octets exceed the call inline threshold"
            return self._fail(call, Failure.CANNOT_SEND, octets)
        return self._enqueue(call)

    def _enqueue(self, call: OutgoingCall) -> list[Action]:
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
        while self._queue:
            call = self._queue[0]
            if self.allowance.try_take(call.sends):
                actions += self._sent(self._queue.popleft())
            elif call.sends > 1 and self.allowance.outstanding < self.allowance.limit:
                # rtrext 4.3: a credit is left, and one is enough by the base protocol.  To wait for
                # more could be for ever: what is in flight may wait for a call after this one.
                actions += self._go_otherwise(self._queue.popleft())
            else:
                break
        return actions

    def _sent(self, call: OutgoingCall) -> list[Action]:
        call.phase = _SENT
        return sends_of(Send(next(self._keys), call.message), call.later)

    # -- a reply comes in

    def _receive(self, event: events.MessageReceived, _now: float) -> list[Action]:
        if event.invalidated is not None:
            self._memory[event.invalidated][1].withdrawn = True
        try:
            group = event.group
            actions = self._judge(event.data) if group is None else self._take_group(group)
        except PlacementFound as found:
            actions = [self.groups.report(next(self._keys), event.data, found)]
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
            return self._refused(self.groups.meant(header.rdma_xid, body), body)
        if header.rdma_vers != self._version:
            raise FaultFound(Fault.REPLY_VERSION, str(header.rdma_vers))
        if isinstance(body, RdmaMsgp):
            raise FaultFound(Fault.MSGP_REPLY)
        if isinstance(body, RdmaDone):
            raise FaultFound(Fault.DONE_REPLY)
        if isinstance(body, GroupedMsg):
            return self._take_group(Transmission.of_one(message))
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
        if not self.groups.is_about(self._calls.get(xid) or self._abandoned.get(xid), body):
            return []
        call = self._take_answered(xid)
        if call is None:
            return self._send_queued()
        if isinstance(body.error, ErrVers):
            versions = f"{body.error.rdma_vers_low}..{body.error.rdma_vers_high}"
            actions = self._fail(call, Failure.REFUSED_VERSION, versions)
        elif call.group is not None:
            if isinstance(body, OptionRefused):
                self.groups.refused()
            actions = self._go_otherwise(call)
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
        waiting = self._abandoned.get(xid) or self._calls.get(xid)
        fault = None
        try:
            self._judge_lists(self.groups.offer_to_plain_reply(waiting), body)
        except FaultFound as found:
            if RULES[found.fault].answer is FaultAnswer.DISCARD:
                raise  # rfc8166 4.5: the header is wrong by itself, and the call stays open
            fault = found
        return self._answered(header, body, payload, fault)

    def _take_group(self, arrived: Transmission) -> list[Action]:
        """A reply that came as a transmission group (rtrext 9.3)."""
        header, end = self._decode(arrived.octets)
        body, payload = header.rdma_body, arrived.octets[end:]
        xid = header.rdma_xid
        if not isinstance(body, GroupedMsg) or len(payload) < 4 or xid_of(payload) != xid:
            raise FaultFound(Fault.REPLY_XID_MISMATCH)
        contents, is_call = body.contents, message_type_of(payload) == MessageType.CALL
        if not isinstance(contents, XmtResp) or is_call:
            raise FaultFound(Fault.CALL_TO_REQUESTER)
        call = self._calls.get(xid)
        fault = None
        if call is not None and call.phase is _SENT:
            fault = self.groups.fault_of(call, contents, arrived)
        return self._answered(header, body, payload, fault)

    def _answered(
        self,
        header: TransportHeader,
        body: RdmaMsg | RdmaNomsg,
        payload: bytes,
        fault: FaultFound | None,
    ) -> list[Action]:
        """A reply to a call in flight came; with a fault, it ends the call and says no more."""
        call = self._take_answered(header.rdma_xid)
        if fault is not None:
            # rfc8166 3.3.3: only a valid Reply tells the grant.
            ended = [] if call is None else self._fail(call, Failure.BAD_REPLY, str(fault))
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
        given_up = self._abandoned.pop(xid)
        if xid not in self._calls:  # else it is over when its memory is safe
            self.groups.ended(given_up)
        self.allowance.give_back(given_up.sends)
        return None
