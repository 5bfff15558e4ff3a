"""rfc8166 section 3.3.1 RPC-over-RDMA Credits: answers to calls that have not been made yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.reply import draft_error
from rpcrdma.ulp import rpc
from rpcrdma.wire import ErrChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

    Made = Callable[[Service, ReceivedCall, int], bytes]

WITHIN: Final = "rfc8166.3.3.1.no-call-beyond-the-grant"

SEVERAL: Final = 4
LENGTH: Final = 6000


def reply(service: Service, call: ReceivedCall, xid: int) -> bytes:
    """The reply to a call under another XID, without memory."""
    right = service.draft(call)
    other = right.changed(xid=xid, payload=xid.to_bytes(4) + right.payload[4:])
    return other.with_writes().with_reply_chunk(None).octets


def refusal(service: Service, call: ReceivedCall, xid: int) -> bytes:
    """A reply that says that the arguments are garbage."""
    other = service.draft(call).changed(xid=xid, payload=rpc.garbage_args(xid))
    return other.with_writes().with_reply_chunk(None).octets


def error(service: Service, call: ReceivedCall, xid: int) -> bytes:
    """ERR_CHUNK."""
    return draft_error(call, service.grant, ErrChunk()).changed(xid=xid).octets


ANSWERS: Final[Mapping[str, Made]] = {"reply": reply, "refusal": refusal, "err-chunk": error}


@requirement(
    WITHIN,
    role="requester",
    wider="whether an answer to a call that waits ends this call is left to the client",
)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kind", [ActKind.MANY, ActKind.MANY_READS], ids=str)
def test_requester_gains_no_credit_from_an_answer_to_a_call_that_waits(
    service: Service, client: ActingClient, kind: ActKind, answer: str
) -> None:
    """Answers come under the XIDs that are next, while the one credit is in use: it stays so.

    Calls with these XIDs may wait for the credit.
    """
    service.grant = 1
    verify.calls.done(client.serve_good_act())
    act = client.begin(kind, LENGTH, SEVERAL)
    call = service.next_call()

    for number in range(1, SEVERAL):
        octets = ANSWERS[answer](service, call, (call.xid + number) & 0xFFFFFFFF)
        service.send(octets, service.line_of(call))
    service.waiting()

    verify.calls.in_flight(service, at_most=1, after="under a grant of 1", breaks=(WITHIN,))
    service.reply(call)
    verify.calls.ended(service, act, (WITHIN,))
    verify.calls.done(client.serve_good_act(), (WITHIN,))
