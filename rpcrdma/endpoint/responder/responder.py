"""The Responder: takes Calls apart, has them executed, builds Replies and errors.

    rfc8166 section 3.3.1  RPC-over-RDMA Credits (Receives are posted before the grant is sent)
    rfc8166 section 3.4.5  Read Chunks
    rfc8166 section 4.5    Error Handling

Theory of operation.  A message is judged word by word (`CallRules`); the first fault ends it with
the answer of the table in `rpcrdma.endpoint.core.faults`.  A Call with Read chunks is *pulling*
until its octets are here.  Then it is executed: the program returns replies that can be sent now,
of this call or of earlier ones that were deferred.  Each reply finds its call by XID, becomes a
plan (`plan_reply`), and the plan becomes Writes and one Send (`ReplyRules`).

An RDMA operation that fails costs the connection and nothing more: if that was the fault of what
its call offered, the call is remembered (`LostReplies`), so that its repetition on another
connection is answered by ERR_CHUNK.

What cannot be sent (rfc8166 4.5.4) ends the connection: the driver reports `WorkFailed`.

Hooks (methods that a mutant may override, one each; see also `CallAnswers` and `CallRules`):

    take_msgp               RDMA_MSGP
    take_done               RDMA_DONE
    take_error              RDMA_ERROR
    take_report             ROPT_REPTERR about a response
    execute                 a call is executed once
    is_known_loss           whether a call cost a connection before
    judge_load              calls beyond all measure
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Action, Disconnect, RdmaRead
from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer, FaultFound
from rpcrdma.endpoint.core.group_bodies import GroupedMsg, GroupError
from rpcrdma.endpoint.core.group_placement import PlacementFound
from rpcrdma.endpoint.core.placement import pull_schedule
from rpcrdma.endpoint.responder.call_answers import CallAnswers, ResponderOptions
from rpcrdma.endpoint.responder.call_rules import CallRules, IncomingCall
from rpcrdma.endpoint.responder.executing import Executing
from rpcrdma.endpoint.responder.lost_replies import LostReplies, is_fault_of_the_call
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    RdmaDone,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    fixed_words,
)
from rpcrdma.wire.rpc import xid_of
from rpcrdma.wire.transmission import Transmission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.core.connection import Handler
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.endpoint.responder.groups import RequestGroups
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import Body, FixedWords

    # A body's own type is what the table's key says; a table of functions cannot say so.
    Procedure = Callable[[FixedWords, Any, bytes], list[Action]]

__all__ = ["Responder", "ResponderOptions"]


class Responder(CallAnswers):
    """The role that executes calls."""

    later_receives = 0

    def __init__(
        self,
        upper_layer: UpperLayer,
        options: ResponderOptions | None = None,
        lost: LostReplies | None = None,
        calls: CallRules | None = None,
        replies: ReplyRules | None = None,
        groups: RequestGroups | None = None,
    ) -> None:
        self.calls = calls or CallRules()
        chosen, answers = options or ResponderOptions(), replies or ReplyRules()
        super().__init__(upper_layer, chosen, answers, self.calls.dialects.values(), groups)
        self._lost = lost if lost is not None else LostReplies()
        self._pulling: dict[int, IncomingCall] = {}
        self._executing = Executing()
        self._in_progress = 0
        self.handlers: Mapping[type[events.Event], Handler] = {
            events.Connected: self._connected,
            events.MessageReceived: self._receive,
            events.ReadCompleted: self._pulled,
            events.WorkFailed: self._work_failed,
            events.Disconnected: self._disconnected,
        }
        # RDMA_ERROR has no row: it is recognised by its fixed words (D-15).
        self._procedures: Mapping[type[Body], Procedure] = {
            RdmaMsg: self._take_msg,
            RdmaNomsg: self._take_nomsg,
            RdmaMsgp: self.take_msgp,
            RdmaDone: self.take_done,
            GroupError: self.take_report,
        }

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """One Receive for each credit that may be granted."""
        return (self.receive_length,) * self.options.receives

    @property
    def reductions(self) -> Reductions:
        """How it reduces round trips."""
        return self.options.reductions

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        """Keep Replies within what the peer has announced (xcharext 3.1, 3.2; rtrext 8.3)."""
        self.reply_limits[version] = send_limit
        self.groups.heed(send_limit, peer)
        self.may_invalidate = peer.remote_invalidation

    def post_from_now(self, octets: int) -> None:
        """From now on, post Receives of this length."""
        self.receive_length = octets

    @property
    def deferred(self) -> int:
        """Calls that were executed and whose replies the program gives later."""
        return len(self._executing)

    @property
    def is_busy(self) -> bool:
        """Whether a call waits for its octets or its reply."""
        return bool(self._in_progress)

    # -- what happens

    def _connected(self, _event: events.Connected, _now: float) -> list[Action]:
        return []

    def _receive(self, event: events.MessageReceived, _now: float) -> list[Action]:
        message = event.data
        actions = self.repost()
        for _ in range(1, event.sends):
            actions += self.repost()
        if self.calls.is_runt(message):
            return actions  # rfc8166 4.5: before any parsing
        words = fixed_words(message)
        try:
            if event.group is None:
                actions += self._judge(message, words)
            else:
                actions += self._take_group(words, event.group)
        except PlacementFound as found:
            actions += self.send_report(words, found)
        except FaultFound as found:
            actions += self._answer_fault(found.fault, words)
        return actions

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        # rfc8166 4.5.2: only a recognised version makes the rest worth parsing.
        if not self.calls.supports_version(words.version):
            raise FaultFound(
                Fault.UNKNOWN_VERSION_ERROR if words.is_error else Fault.UNKNOWN_VERSION
            )
        if words.is_error:
            return self.take_error()  # D-15: whatever it carries
        header, end = self.calls.decode(message)
        body = header.rdma_body
        if isinstance(body, GroupedMsg):
            return self._take_group(words, Transmission.of_one(message))
        return self._procedures[type(body)](words, body, message[end:])

    def _pulled(self, event: events.ReadCompleted, _now: float) -> list[Action]:
        call = self._pulling.pop(event.key)
        self._in_progress -= 1
        try:
            return self._take_pulled(call, event.data)
        except FaultFound as found:
            return self._answer_fault(found.fault, call.words)

    def _take_pulled(self, call: IncomingCall, data: bytes) -> list[Action]:
        pieces = []
        start = 0
        for chunk in call.chunks:
            pieces.append(data[start : start + chunk.length])
            start += chunk.length
        return self._take_payload(call, self.calls.assemble(call, tuple(pieces)))

    def _work_failed(self, event: events.WorkFailed, _now: float) -> list[Action]:
        for key, call in self._work:
            if key == event.key and is_fault_of_the_call(event.reason):
                self._lost.remember(call.xid, call.likeness)
        return [Disconnect(f"{RULES[Fault.RDMA_FAILED].requirement}: {event.reason}")]

    def _disconnected(self, _event: events.Disconnected, _now: float) -> list[Action]:
        self._pulling.clear()
        self._executing.clear()
        self._work.clear()
        self._in_progress = 0
        return []

    # -- the procedures

    def _take_msg(self, words: FixedWords, body: RdmaMsg, payload: bytes) -> list[Action]:
        limit = self.options.longest_call
        return self._accept(self.calls.take_short(words, body, payload, limit))

    def _take_nomsg(self, words: FixedWords, body: RdmaNomsg, _rest: bytes) -> list[Action]:
        return self._accept(self.calls.take_long(words, body, self.options.longest_call))

    def take_msgp(self, _words: FixedWords, _body: RdmaMsgp, _payload: bytes) -> list[Action]:
        """An RDMA_MSGP arrived (rfc8166 4.6.1)."""
        raise FaultFound(Fault.MSGP_CALL)

    def take_done(self, _words: FixedWords, _body: RdmaDone, _rest: bytes) -> list[Action]:
        """An RDMA_DONE arrived (rfc8166 4.6.2)."""
        raise FaultFound(Fault.DONE_MESSAGE)

    def _take_group(self, words: FixedWords, arrived: Transmission) -> list[Action]:
        header, end = self.calls.decode(arrived.octets)
        body, payload = header.rdma_body, arrived.octets[end:]
        if not isinstance(body, GroupedMsg):
            raise FaultFound(Fault.UNDECODABLE_HEADER)
        group = self.groups.take(body, arrived, len(payload))
        limit = self.options.longest_call
        return self._accept(self.calls.take_group(words, body, payload, limit, group))

    def take_report(self, _words: FixedWords, _body: GroupError, _rest: bytes) -> list[Action]:
        """A ROPT_REPTERR about a response arrived: its Call is left to its timeout (rtrext 5.4)."""
        return []

    def take_error(self) -> list[Action]:
        """An RDMA_ERROR arrived (rfc8166 4.2.4)."""
        raise FaultFound(Fault.ERROR_MESSAGE)

    # -- a call

    def _accept(self, call: IncomingCall) -> list[Action]:
        self.judge_load(self._in_progress)
        if self.is_known_loss(call):
            raise FaultFound(Fault.REPLY_WAS_LOST)
        if not call.chunks and not call.placed:
            return self._take_payload(call, call.inline)
        length, schedule = pull_schedule([self.calls.pull_order(chunk) for chunk in call.chunks])
        if not schedule:
            return self._take_pulled(call, b"")
        key = self._key(call)
        self._pulling[key] = call
        self._in_progress += 1
        return [RdmaRead(key, length, schedule)]

    def judge_load(self, in_progress: int) -> None:
        """Give up a peer that sends far more calls than it was granted (rfc8166 3.3.1)."""
        if in_progress >= self.options.most_calls:
            raise FaultFound(Fault.TOO_MANY_CALLS, f"{in_progress} calls are in progress")

    def is_known_loss(self, call: IncomingCall) -> bool:
        """Whether this call cost a connection before (rfc8166 4.5.3)."""
        return self._lost.knows(call.xid, call.likeness)

    def _take_payload(self, call: IncomingCall, payload: bytes) -> list[Action]:
        """The unreduced call is here."""
        self.calls.judge_xid(call.xid, payload)
        self.calls.judge_message_type(payload)
        try:
            self.calls.judge_arguments(call, payload, self._upper_layer)
        except FaultFound as found:
            if RULES[found.fault].answer is not FaultAnswer.GARBAGE_ARGS:
                raise
            # No results: what is garbage may be the RPC header, which says what they would be.
            reply = self.replies.garbage_args(call.xid)
            if self._goes_as_group(call, reply):
                return self._send_group(call, b"", reply)
            return self._send_reply(call, reply, ())
        xid = xid_of(payload)
        self._executing.add(xid, call, payload)
        self._in_progress += 1
        replies = self.execute(payload)
        if not replies:
            self._check_deferred(payload)
        actions: list[Action] = []
        for number, reply in enumerate(replies):
            answered = xid_of(reply)
            own = number == 0 and answered == xid
            actions += self._reply(*self._take_executing(answered, newest=own), reply)
        return actions

    def execute(self, payload: bytes) -> list[bytes]:
        """Have the call executed; returns the replies that can be sent now."""
        return self._upper_layer.execute(payload)

    def _check_deferred(self, payload: bytes) -> None:
        """No reply means that the call waits, unless it was none at all."""
        try:
            self._upper_layer.arguments(payload)
        except DecodeError as error:
            self._take_executing(xid_of(payload), newest=True)
            raise FaultFound(Fault.NOT_A_CALL, str(error)) from error

    def _take_executing(self, xid: int, *, newest: bool = False) -> tuple[IncomingCall, bytes]:
        """The call that a reply answers; of deferred calls with one XID the oldest."""
        entry = self._executing.take(xid, newest=newest)
        self._in_progress -= 1
        return entry
