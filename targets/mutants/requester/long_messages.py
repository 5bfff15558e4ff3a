"""Mutants of the client: messages that are long, or in parts (rfc8166 sections 3.2, 3.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.plan import CallPlan, ReadPlan
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import rpc
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.plan import ResultsPlan
    from rpcrdma.ulp.bindings import DataItem

MOST: Final = 16384
WORD: Final = 4


@mutant(breaks="rfc8166.3.2.payload-begins-with-xid")
class LeavesOutTheXid(RequestRules):
    """Leaves the XID out of calls without chunks, since the transport header has it already."""

    def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
        return payload[:WORD] + behind_xid + payload[WORD:]


@mutant(breaks="rfc8166.3.5.1.short-message-is-one-send")
class SendsHeadersApart(Requester):
    """Sends the transport header of a call without chunks in a message of its own."""

    def _enqueue(self, call: OutgoingCall) -> list[Action]:
        actions = super()._enqueue(call)
        if call.plan is not None:
            return actions
        end = len(call.message) - len(call.payload)
        return _apart(actions, call.message, end, next(self._keys))


@mutant(breaks="rfc8166.3.5.2.reduced-stream-in-one-send")
class SendsReducedStreamsApart(Requester):
    """Sends the reduced Payload stream in a message of its own, after the header."""

    def _enqueue(self, call: OutgoingCall) -> list[Action]:
        actions = super()._enqueue(call)
        if call.plan is None or call.plan.form is not MessageForm.CHUNKED:
            return actions
        end = len(call.message) - len(call.plan.inline)
        return _apart(actions, call.message, end, next(self._keys))


@mutant(breaks="rfc8166.3.5.3.still-too-large-means-long-message")
class GivesUpVeryLongCalls(CallPlanner):
    """Takes a call of more than 16384 octets that cannot be reduced for one to be sent inline."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if items or len(payload) <= MOST:
            return super().choose_form(payload, items, results)
        return CallPlan(MessageForm.SHORT, payload, ())  # which is then found to be too long


@mutant(breaks="rfc8166.3.5.3.long-message-sends-the-header-only")
class SendsTheBeginningAlong(CallPlanner):
    """Sends the first 64 octets of a Long Call after its header as well."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        return replace(plan, inline=payload[:64]) if plan.form is MessageForm.LONG else plan


@mutant(
    breaks="rfc8166.3.5.3.long-message-keeps-roundup",
    also_trips={"rfc8166.8.2.2.": because.UNDER_GSS},
)
class CutsPaddingOffLongCalls(CallPlanner):
    """Leaves the padding at the end of a Long Call out of its chunk."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        plan = super().choose_form(payload, items, results)
        if plan.form is not MessageForm.LONG:
            return plan
        _, start = rpc.decode_call(payload)
        end = start + WORD + int.from_bytes(payload[start : start + WORD], "big")
        return replace(plan, reads=(ReadPlan(0, (payload[:end],)),))


def _apart(actions: list[Action], message: bytes, end: int, key: int) -> list[Action]:
    """The actions with the Send of a message cut in two, the second of them under `key`."""
    cut: list[Action] = []
    for action in actions:
        if isinstance(action, Send) and action.data is message:
            cut += [Send(action.key, message[:end]), Send(key, message[end:])]
        else:
            cut.append(action)
    return cut
