"""rfc8166 section 4.2.4 Procedure Number: of a Requester's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import Procedure
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient

OF_CALLS = (Procedure.RDMA_MSG, Procedure.RDMA_NOMSG)


def no_call(call: ReceivedCall) -> str:
    """Whether the fourth word is of something else than a call."""
    procedure = int.from_bytes(call.octets[12:16], "big")
    return "" if procedure in OF_CALLS else f"A message has procedure {procedure}"


@requirement(
    "rfc8166.4.2.fourth-word-selects-the-body",
    "rfc8166.4.2.4.msg-is-zero",
    "rfc8166.4.2.4.msgp-is-reserved",
    "rfc8166.4.2.4.done-is-reserved",
    "rfc8166.4.6.1.msgp-is-not-sent",
    "rfc8166.4.6.2.done-is-not-sent",
    "rfc8166.4.2.4.nomsg-is-one",
    "rfc8166.4.2.4.nomsg-has-a-list",
    "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
    role="requester",
)
@pytest.mark.parametrize(
    "kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]
)
def test_requester_sends_calls_and_nothing_else(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """All that comes while the client acts, and after it, is RDMA_MSG or RDMA_NOMSG."""
    result = client.do(kind, 6000)
    service.waiting()

    verify.calls.each(service.received, no_call)
    verify.calls.done(result)


@requirement("rfc8166.4.2.4.requester-sends-no-error", role="requester")
@pytest.mark.parametrize("octets", [20, 32, 44])
def test_requester_answers_no_bad_reply(
    service: Service, client: ActingClient, octets: int
) -> None:
    """A reply is cut off, in its header or behind: nothing is sent because of it."""
    act = client.good_act()
    call = service.next_call()
    reply = service.draft(call).octets
    before = len(service.received)

    service.send(reply[:octets])
    service.waiting()

    verify.calls.each(service.received[before:], no_call)
    service.reply(call)
    service.serve_until(act)
