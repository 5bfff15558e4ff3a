"""rfc8166 section 3.3.1 RPC-over-RDMA Credits: calls given up while they wait for a credit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import ErrChunk, ErrVers
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire import ErrorBody

LEAVES: Final = "rfc8166.3.3.1.new-calls-within-lower-value"
RETIRES: Final = "rfc8166.2.2.2.reply-retires-the-xid"


@requirement(LEAVES, RETIRES, role="requester", needs=("cancels",))
@pytest.mark.parametrize(
    "kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_REPLY], ids=str
)
def test_requester_gives_up_a_call_that_waits_for_a_credit(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The one credit is in use when a call is given up: whether it comes or not, others go on.

    A call that comes all the same is served: its reply gives the credit back.
    """
    service.grant = 1
    verify.calls.done(client.serve_good_act())
    first = client.good_act()
    held = service.next_call()
    waiting = client.begin(kind, 6000)
    service.waiting(service.profile.grace)

    waiting.abandon()
    service.waiting(service.profile.grace)
    service.reply(held)

    verify.calls.done(verify.calls.ended(service, first, (LEAVES,)), (LEAVES,))
    for _ in range(2):
        after = verify.calls.ended(service, client.good_act(), (LEAVES, RETIRES))
        verify.calls.done(after, (LEAVES, RETIRES))


@requirement(
    LEAVES,
    RETIRES,
    role="requester",
    narrower="the act that must go well is another than the one that was given up",
)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.LONG_REPLY], ids=str)
def test_requester_keeps_the_credit_of_a_call_that_was_given_up(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Whoever made a call is stopped before its reply: the one credit is in use until that comes.

    A client that goes on waiting for nobody does no harm.
    """
    client.two_at_once()
    service.grant = 1
    verify.calls.done(client.serve_good_act())
    given_up = client.begin(kind, 6000)
    call = service.next_call()
    given_up.abandon()
    act = client.good_act()
    seconds = service.profile.start + service.profile.grace
    service.waiting(seconds, until=lambda: len(service.in_flight()) > 1)

    verify.calls.in_flight(service, at_most=1, after="with one credit granted", breaks=(LEAVES,))
    service.send(service.draft(call).octets)  # no data: the memory may be out of reach
    call.answered = True
    verify.calls.done(verify.calls.ended(service, act, (LEAVES, RETIRES)), (LEAVES, RETIRES))
    verify.calls.stands(service.line_of(call), "a call that was given up", (RETIRES,))


ANSWERS: Final[Mapping[str, ErrorBody | None]] = {
    "reply": None,
    "err-chunk": ErrChunk(),
    "err-vers": ErrVers(1, 1),
}
"""What ends a call that nobody waits for."""


@requirement(
    LEAVES,
    RETIRES,
    role="requester",
    needs=("cancels",),
    narrower="the act that must go well is another than the one that was given up",
)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ], ids=str)
def test_requester_has_the_credit_back_of_a_call_that_was_given_up(
    service: Service, client: ActingClient, kind: ActKind, answer: str
) -> None:
    """The one credit is that of a call given up: once it is answered, what waits for it comes."""
    service.grant = 1
    verify.calls.done(client.serve_good_act())
    given_up = client.begin(kind, 6000)
    call = service.next_call()
    given_up.abandon()
    service.waiting(service.profile.grace)
    act = client.good_act()
    service.waiting(service.profile.grace)

    error = ANSWERS[answer]
    if error is not None:
        service.error(call, error)
    else:
        service.send(service.draft(call).octets)  # no data: the memory may be out of reach
        call.answered = True

    verify.calls.done(verify.calls.ended(service, act, (LEAVES, RETIRES)), (LEAVES, RETIRES))
    verify.calls.stands(service.line_of(call), "a call that was given up", (RETIRES,))
