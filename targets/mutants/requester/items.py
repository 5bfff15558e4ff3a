"""Mutants of the client: optional data, arrays of arrays, and arrays of items (rfc8166 3.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import CallFailed, Failure
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import _generated_testprog as testprog
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.plan import CallPlan, ResultsPlan

WORD: Final = 4
V1: Final = testprog.TEST_V1


def _is_call_of(procedure: testprog.TEST_V1, payload: bytes) -> bool:
    return rpc.decode_call(payload)[0].procedure == procedure


@mutant(breaks="rfc8166.3.4.4.1.elements-stay-whole")
class CutsTheLastStoredRow(CallPlanner):
    """Leaves the last word of an array of arrays in the stream, without the rest of its array."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if _is_call_of(V1.TEST_STORE_ROWS, payload):
            items = tuple(DataItem(item.position, item.length - WORD) for item in items)
        return super().choose_form(payload, items, results)


@mutant(breaks="rfc8166.3.4.4.2.presence-word-stays-in-the-stream")
class MovesThePresenceWordOfArguments(CallPlanner):
    """Moves the word that says that optional data is present into the Read chunk as well."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if _is_call_of(V1.TEST_STORE_OPTIONAL, payload):
            items = tuple(DataItem(item.position - WORD, item.length + WORD) for item in items)
        return super().choose_form(payload, items, results)


@mutant(breaks="rfc8166.3.4.4.2.optional-data-moves-to-the-chunk")
class KeepsTheEndOfStoredOptionalData(CallPlanner):
    """Leaves the last word of optional data in the stream."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if _is_call_of(V1.TEST_STORE_OPTIONAL, payload):
            items = tuple(DataItem(item.position, item.length - WORD) for item in items)
        return super().choose_form(payload, items, results)


@mutant(breaks="rfc8166.3.4.4.4.one-item-in-a-chunk")
class MovesAnArrayAsOne(CallPlanner):
    """Moves three and more arguments, and what stands between them, in a single Read chunk."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if _is_call_of(V1.TEST_STORE_ARRAY, payload):
            first, last = items[0], items[-1]
            items = (DataItem(first.position, last.position + last.length - first.position),)
        return super().choose_form(payload, items, results)


@mutant(breaks="rfc8166.4.3.2.1.reply-tells-which-chunk-is-which")
class WantsAllWriteChunksUsed(Requester):
    """Does not take a reply with results in some Write chunks, but not in all."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        used = {any(memory.returned for memory in chunk) for chunk in call.writes}
        if used == {True, False}:
            return CallFailed(call.token, Failure.BAD_REPLY, "a result is missing")
        return super()._outcome(call)
