"""Mutants: calls whose header is good and whose arguments are not (rfc8166 section 4.5.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc as calls
from rpcrdma.wire import rpc
from rpcrdma.wire.rpc import xid_of
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall

GARBAGE = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
MISMATCH = "rfc8166.4.5.2.xid-mismatch-is-an-xdr-error"


@mutant(breaks=GARBAGE)
class DropsGarbage(Responder):
    """Keeps silent about arguments that cannot be decoded."""

    def execute(self, payload: bytes) -> list[bytes]:
        return [one for one in super().execute(payload) if not is_garbage_args(one)]


@mutant(breaks=GARBAGE)
class AnswersSystemErrorToGarbage(Responder):
    """Answers SYSTEM_ERR to arguments that cannot be decoded."""

    def execute(self, payload: bytes) -> list[bytes]:
        failed = rpc.encode_message(rpc.accepted(xid_of(payload), rpc.SystemErr()))
        return [failed if is_garbage_args(one) else one for one in super().execute(payload)]


@mutant(breaks=MISMATCH)
class DropsMismatchedXids(CallRules):
    """Keeps silent about a call with two XIDs."""

    def judge_xid(self, xid: int, payload: bytes) -> None:
        super().judge_xid(xid_of(payload) if len(payload) >= 8 else xid, payload)
        if xid_of(payload) != xid:
            raise FaultFound(Fault.NOT_A_CALL)


@mutant(breaks=MISMATCH)
class AnswersUnderPayloadXid(Responder):
    """Answers under the XID of the RPC message, whatever the header says."""

    def _take_payload(self, call: IncomingCall, payload: bytes) -> list[Action]:
        if len(payload) >= 8:
            call = replace(call, words=msgspec.structs.replace(call.words, xid=xid_of(payload)))
        return super()._take_payload(call, payload)


def is_garbage_args(reply: bytes) -> bool:
    """Whether a reply says that the arguments could not be decoded."""
    try:
        header, _ = calls.decode_reply(reply)
    except DecodeError:
        return False
    return header.outcome is calls.RpcOutcome.GARBAGE_ARGS
