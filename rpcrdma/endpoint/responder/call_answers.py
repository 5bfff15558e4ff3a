"""How a Responder answers, for better or worse: replies, errors, and the end of the connection.

    rfc8166 section 3.5.2  Chunked Messages (Writes before the Send)
    rfc8166 section 4.5    Error Handling
    rtrext section 9.3     Transmit Response Operation

What a Call is answered by is for `Responder` to say, of which this is one half.

Hooks (methods that a mutant may override, one each):

    repost                  a Receive for each one used up, before anything is answered
    results                 only DDP-eligible results are reduced
    transmit                Writes, then one Send
    invalidated             which handle a reply invalidates
    discard                 silence
    send_error              RDMA_ERROR
    send_report             ROPT_REPTERR
    disconnect              the end of the connection
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Action, Disconnect, PostReceive, RdmaWrite, Send
from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer, FaultFound
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.core.sending import sends_of
from rpcrdma.endpoint.core.thresholds import DEFAULT, InlineThresholds
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.endpoint.responder.plan import plan_reply
from rpcrdma.wire import RdmaError, TransportHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.core.group_placement import PlacementFound
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.plan import PlannedWrite
    from rpcrdma.endpoint.responder.reply_rules import ReplyRules
    from rpcrdma.ulp.bindings import DataItem, UpperLayer
    from rpcrdma.wire import FixedWords

__all__ = ["CallAnswers", "ResponderOptions"]

_REMEMBERED_WORK: Final = 512
"""Work requests whose calls are known when they fail; more than a send queue holds."""


@dataclass(frozen=True, slots=True)
class ResponderOptions:
    """What a Responder allows.

    Attributes:
        thresholds: the inline thresholds of the connection.
        receives: Receives posted, and so the most credits granted.
        most_calls: calls in progress at one time before the connection is given up; more than
            `receives`, since a call that waits for another holds no Receive.
        longest_call: octets of the longest unreduced call; memory is never taken for more.
        reductions: how round trips are reduced, in Version Two.
    """

    thresholds: InlineThresholds = DEFAULT
    receives: int = 32
    most_calls: int = 256
    longest_call: int = 8 * 1024 * 1024
    reductions: Reductions = NO_REDUCTIONS


class CallAnswers:
    """The answers of one connection.

    Attributes:
        receive_length: octets of the Receives that are posted from now on.
        reply_limits: for each version, the octets of the longest reply that goes inline.
        may_invalidate: whether the Requester lets replies invalidate its memory.
    """

    def __init__(
        self,
        upper_layer: UpperLayer,
        options: ResponderOptions,
        replies: ReplyRules,
        dialects: Collection[Dialect],
        groups: RequestGroups | None,
    ) -> None:
        self.options = options
        self.replies = replies
        self.groups = groups or RequestGroups(options.reductions, replies)
        thresholds = options.thresholds
        self.receive_length = max(thresholds.call, *(one.threshold for one in dialects))
        self.reply_limits = {one.number: max(thresholds.reply, one.threshold) for one in dialects}
        self.may_invalidate = False
        self._upper_layer = upper_layer
        self._last_key = 0
        self._work: deque[tuple[int, IncomingCall]] = deque(maxlen=_REMEMBERED_WORK)
        self._answers: Mapping[FaultAnswer, Callable[[FixedWords, Fault], list[Action]]] = {
            FaultAnswer.DISCARD: self.discard,
            FaultAnswer.ERR_VERS: self.send_error,
            FaultAnswer.ERR_CHUNK: self.send_error,
            FaultAnswer.DISCONNECT: self.disconnect,
        }

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        """What of the reply may go into Write chunks (rfc8166 6.1)."""
        return self._upper_layer.results(payload, reply)

    def _reply(self, call: IncomingCall, payload: bytes, reply: bytes) -> list[Action]:
        if self._goes_as_group(call, reply):
            return self._send_group(call, payload, reply)
        slots = self.results(payload, reply) if call.writes else ()
        return self._send_reply(call, reply, slots)

    def _goes_as_group(self, call: IncomingCall, reply: bytes) -> bool:
        return call.group is not None and self.groups.is_answered_by_group(call.group, reply)

    def _send_group(self, call: IncomingCall, request: bytes, reply: bytes) -> list[Action]:
        """Reply by a transmission group; `request` is empty if nothing can have been placed."""
        try:
            credit = self.replies.grant(call.words.credit, self.options.receives)
            plan = self.groups.plan(call, request, reply, credit, self._upper_layer)
        except FaultFound as found:
            return self._answer_fault(found.fault, call.words)
        first, *later = plan.sends
        send = Send(self._key(call), first, self.invalidated(call))
        return [*self._writes(call, plan.placements), *sends_of(send, later)]

    def _send_reply(
        self, call: IncomingCall, reply: bytes, slots: tuple[DataItem | None, ...]
    ) -> list[Action]:
        try:
            credit = self.replies.grant(call.words.credit, self.options.receives)
            limit = self.reply_limits.get(call.words.version, self.options.thresholds.reply)
            plan = plan_reply(self.replies, call, reply, slots, credit, limit)
        except FaultFound as found:
            return self._answer_fault(found.fault, call.words)
        writes = self._writes(call, plan.placements)
        send = Send(self._key(call), plan.message, self.invalidated(call))
        return self.transmit(writes, send)

    def _writes(self, call: IncomingCall, placements: Iterable[PlannedWrite]) -> list[Action]:
        return [
            RdmaWrite(self._key(call), placement.data, placement.schedule)
            for placement in placements
            if placement.schedule
        ]

    def invalidated(self, call: IncomingCall) -> int | None:
        """The handle that a reply invalidates: one of its call's (xcharext 3.2, D-80)."""
        return next(iter(call.handles), None) if self.may_invalidate else None

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        """Everything that a reply takes: Writes before the Send (rfc8166 3.5.2)."""
        return writes + sends_of(send)

    # -- answers to faults

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        return self._answers[RULES[fault].answer](words, fault)

    def discard(self, _words: FixedWords, _fault: Fault) -> list[Action]:
        """Say nothing."""
        return []

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        """Send an RDMA_ERROR (rfc8166 4.5)."""
        rules = self.replies
        header = TransportHeader(
            rules.error_xid(words),
            rules.error_version(words),
            rules.error_credit(words, self.options.receives),
            RdmaError(rules.error_body(RULES[fault].answer)),
        )
        return self._say(rules.encode_error(header), words, fault)

    def send_report(self, words: FixedWords, found: PlacementFound) -> list[Action]:
        """Send a ROPT_REPTERR (rtrext 5.4, 9.5)."""
        credit = self.replies.error_credit(words, self.options.receives)
        return self._say(self.groups.report(words.xid, credit, found), words, found.fault)

    def _say(self, message: bytes, words: FixedWords, fault: Fault) -> list[Action]:
        """Send what tells of a fault, unless it is longer than the Requester takes (D-142)."""
        if len(message) > self.reply_limits.get(words.version, len(message)):
            return self.disconnect(words, fault)
        self._last_key += 1
        return sends_of(Send(self._last_key, message))

    def disconnect(self, _words: FixedWords, fault: Fault) -> list[Action]:
        """Close the connection."""
        return [Disconnect(RULES[fault].requirement)]

    def repost(self) -> list[Action]:
        """Post a Receive in place of the one just used up."""
        # rfc8166 3.3.1: before the next reply is sent, so that every grant is true.
        return [PostReceive.of(self.receive_length)]

    def _key(self, call: IncomingCall) -> int:
        self._last_key += 1
        self._work.append((self._last_key, call))
        return self._last_key
