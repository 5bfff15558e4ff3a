"""rfc8166 section 4.2.4 Procedure Number: of a Requester's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

OF_CALLS: Final = (
    "rfc8166.4.2.fourth-word-selects-the-body",
    "rfc8166.4.2.4.msg-is-zero",
    "rfc8166.4.2.4.msgp-is-reserved",
    "rfc8166.4.2.4.done-is-reserved",
    "rfc8166.4.6.1.msgp-is-not-sent",
    "rfc8166.4.6.2.done-is-not-sent",
    "rfc8166.4.2.4.nomsg-is-one",
    "rfc8166.4.2.4.nomsg-has-a-list",
    "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
)
NO_ERROR: Final = "rfc8166.4.2.4.requester-sends-no-error"


@requirement(*OF_CALLS, role="requester")
@pytest.mark.parametrize(
    "kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]
)
def test_requester_sends_calls_and_nothing_else(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """All that comes while the client acts, and after it, is RDMA_MSG or RDMA_NOMSG."""
    result = client.do(kind, 6000)
    service.waiting()

    verify.calls.obey(service.received, *OF_CALLS)
    verify.calls.done(result)


@requirement(
    NO_ERROR,
    role="requester",
    wider="what becomes of the call is looked at by the cases of 4.5, here what the client sends",
)
@pytest.mark.parametrize("octets", [20, 32, 44])
def test_requester_answers_no_bad_reply(
    service: Service, client: ActingClient, octets: int
) -> None:
    """A reply is cut off, in its header or after: nothing is sent because of it."""
    act = client.good_act()
    call = service.next_call()
    reply = service.draft(call).octets
    before = len(service.received)

    service.send(reply[:octets])
    service.waiting()

    verify.calls.obey(service.received[before:], NO_ERROR)
    service.reply(call)
    service.serve_until(act)
