"""Mutants of the client: calls under RPCSEC_GSS (rfc8166 section 8.2.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import CallFailed, Failure
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import gss
from rpcrdma.ulp.bindings import DataItem, ReplyExpectation
from rpcrdma.wire import RdmaNomsg
from rpcrdma.wire._generated_gss import GssService
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.core.events import CallRequested
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.plan import CallPlan, ResultsPlan

WORD: Final = 4
UNDER: Final = "rfc8166.8.2.2.3.no-reduction-under-integrity-or-privacy"


def _under(payload: bytes, *services: GssService) -> gss.GssCall | None:
    """A call of a procedure under one of these services."""
    call = gss.decode_gss_call(payload)
    return call if call is not None and call.is_data and call.service in services else None


def _count(payload: bytes, place: int) -> int:
    return int.from_bytes(payload[place : place + WORD])


@mutant(breaks=UNDER)
class ReducesUnderIntegrity(CallPlanner):
    """Reduces an argument within what the integrity service protects."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        call = _under(payload, GssService.RPC_GSS_SVC_INTEGRITY)
        if call is not None:
            # The count of the body and the sequence number stand before the arguments.
            count = call.start + 2 * WORD
            items = (DataItem(count + WORD, _count(payload, count)),)
        return super().choose_form(payload, items, results)


@mutant(breaks=UNDER)
class ReducesUnderPrivacy(CallPlanner):
    """Reduces what the privacy service has sealed."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        call = _under(payload, GssService.RPC_GSS_SVC_PRIVACY)
        if call is not None:
            items = (DataItem(call.start + WORD, _count(payload, call.start)),)
        return super().choose_form(payload, items, results)


@mutant(breaks=UNDER)
class OffersWriteChunksUnderPrivacy(CallPlanner):
    """Offers a Write chunk for results that come sealed."""

    def plan(self, event: CallRequested, xid: int) -> OutgoingCall:
        if _under(event.payload, GssService.RPC_GSS_SVC_PRIVACY) is not None:
            room = event.upper_layer.expectation(event.payload)
            event = msgspec.structs.replace(
                event, expectation=ReplyExpectation(room.maximum, (room.maximum,))
            )
        return super().plan(event, xid)


@mutant(breaks="rfc8166.8.2.2.2.room-for-gss-credentials")
class ForgetsVerifiers(CallPlanner):
    """Makes room for replies under RPCSEC_GSS as if they had an empty verifier."""

    def plan(self, event: CallRequested, xid: int) -> OutgoingCall:
        if _under(event.payload, GssService.RPC_GSS_SVC_NONE) is not None:
            room = event.upper_layer.expectation(event.payload)
            less = replace(room, maximum=room.maximum - gss.VERIFIER_LENGTH)
            event = msgspec.structs.replace(event, expectation=less)
        return super().plan(event, xid)


@mutant(breaks="rfc8166.8.2.2.3.long-messages-under-integrity-or-privacy")
class OffersNoReplyChunkWithLongCalls(CallPlanner):
    """Offers no Reply chunk with a Long Call under integrity or privacy."""

    def plan(self, event: CallRequested, xid: int) -> OutgoingCall:
        call = super().plan(event, xid)
        if _under(event.payload, GssService.RPC_GSS_SVC_INTEGRITY, GssService.RPC_GSS_SVC_PRIVACY):
            call.reply = []
        return call


@mutant(breaks="rfc8166.8.2.2.2.gss-authentication-keeps-eligibility")
class TakesNoPlacedResultsUnderAuthentication(Requester):
    """Does not take a result that was placed in its memory if its call is under RPCSEC_GSS."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        placed = any(memory.returned for chunk in call.writes for memory in chunk)
        if placed and gss.is_gss(call.payload):
            return CallFailed(call.token, Failure.BAD_REPLY, "reduced under RPCSEC_GSS")
        return super()._outcome(call)


@mutant(breaks="rfc8166.8.2.2.3.rdma-between-intermediate-buffers")
class TakesNoLongRepliesUnderProtection(Requester):
    """Does not take a Long Reply under integrity or privacy."""

    def _outcome(self, call: OutgoingCall) -> ApplicationEvent:
        found = gss.decode_gss_call(call.payload)
        if found is not None and found.is_wrapped and isinstance(call.answer, RdmaNomsg):
            return CallFailed(call.token, Failure.BAD_REPLY, "not in the stream")
        return super()._outcome(call)
