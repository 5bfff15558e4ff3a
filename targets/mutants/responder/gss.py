"""Mutants: calls under RPCSEC_GSS (rfc8166 section 8.2.2)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import gss, rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire._generated_gss import GssService
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import UpperLayer

WORD: Final = 4
WRAPPED: Final = (GssService.RPC_GSS_SVC_INTEGRITY, GssService.RPC_GSS_SVC_PRIVACY)
UNDER: Final = "rfc8166.8.2.2.3.no-reduction-under-integrity-or-privacy"


def _asks_for(service: GssService, payload: bytes) -> bool:
    with suppress(DecodeError):  # of a call whose header is cut
        call = gss.decode_gss_call(payload)
        return call is not None and call.is_data and call.service is service
    return False


def _protected_body(reply: bytes) -> tuple[DataItem, ...]:
    """What a reply has of protected results, if it has any."""
    answered, start = rpc.decode_reply(reply)
    count = int.from_bytes(reply[start : start + WORD])
    return (DataItem(start + WORD, count),) if answered.succeeded else ()


@mutant(breaks=UNDER)
class PushesResultsUnderIntegrity(Responder):
    """Puts results under integrity, as they were protected, into a Write chunk."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        if _asks_for(GssService.RPC_GSS_SVC_INTEGRITY, payload):
            return _protected_body(reply)
        return super().results(payload, reply)


@mutant(breaks=UNDER)
class PushesResultsUnderPrivacy(Responder):
    """Puts sealed results into a Write chunk."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        if _asks_for(GssService.RPC_GSS_SVC_PRIVACY, payload):
            return _protected_body(reply)
        return super().results(payload, reply)


@mutant(breaks="rfc8166.8.2.2.2.gss-authentication-keeps-eligibility")
class KeepsResultsUnderAuthentication(Responder):
    """Leaves results in the stream whenever a call is under RPCSEC_GSS."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        return () if gss.is_gss(payload) else super().results(payload, reply)


@mutant(breaks="rfc8166.8.2.2.3.rdma-between-intermediate-buffers")
class RefusesLongCallsUnderProtection(CallRules):
    """Does not take a Long Call under integrity or privacy."""

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        wrapped = any(_asks_for(service, payload) for service in WRAPPED)
        if wrapped and call.chunks:
            raise FaultFound(Fault.INELIGIBLE_ARGUMENT, "the call is protected")
        super().judge_arguments(call, payload, upper_layer)
