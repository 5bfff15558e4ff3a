"""rfc8166 section 3.3.1 RPC-over-RDMA Credits: how many calls a Requester has in flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.case import Inconclusive
from conformance.requirement import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import Service


@requirement(
    "rfc8166.3.3.1.no-call-beyond-the-grant",
    "rfc8166.8.1.4.transactions-within-the-grant",
    role="requester",
)
@pytest.mark.parametrize("grant", [1, 2, 7])
def test_requester_keeps_within_the_grant(
    service: Service, client: ActingClient, grant: int
) -> None:
    """Told to make many calls at once, the client has no more in flight than were granted."""
    service.grant = grant
    verify_calls.done(client.serve_good_act())

    act = client.begin(ActKind.MANY, count=grant + 9)
    service.waiting()

    verify_calls.in_flight(service, at_most=grant, after=f"under a grant of {grant}")
    verify_calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.grant-may-shrink",
    "rfc8166.3.3.1.latest-grant-counts",
    "rfc8166.3.3.1.no-call-beyond-the-grant",
    role="requester",
)
def test_requester_obeys_a_shrinking_grant(service: Service, client: ActingClient) -> None:
    """With eight calls in flight the grant becomes one: no further call until all are answered."""
    service.grant = 8
    verify_calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=24)
    held = service.waiting()
    verify_calls.in_flight(service, at_most=8, after="after grants of 32 and of 8")
    if len(held) < 2:
        raise Inconclusive(f"of 8 calls that were granted the client has {len(held)} in flight")

    service.grant = 1
    for left in range(len(held) - 1, -1, -1):
        service.reply(service.next_call(lambda call: call in held))
        service.waiting()

        allowed = max(left, 1)
        verify_calls.in_flight(service, at_most=allowed, after="after the grant shrank to 1")
    verify_calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.latest-grant-counts",
    "rfc8166.3.3.1.credit-value-is-not-a-countdown",
    role="requester",
)
def test_requester_takes_a_growing_grant_as_a_limit(service: Service, client: ActingClient) -> None:
    """Four replies grant five credits each: that makes five calls in flight, and not twenty."""
    service.grant = 1
    verify_calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=40)

    service.grant = 5
    for _ in range(4):
        service.reply(service.next_call())
        service.waiting()

        verify_calls.in_flight(service, at_most=5, after="under a grant of 5")
    verify_calls.done(service.serve_until(act))


@requirement("rfc8166.3.3.1.no-call-beyond-the-grant", role="requester")
def test_requester_takes_a_zero_grant_for_no_licence(
    service: Service, client: ActingClient
) -> None:
    """A reply grants no credit, which none may: the client keeps to the grant before, and goes on.

    A Responder that grants zero forbids its client to call ever again; to take that for one credit,
    or to leave the limit as it was, is allowed.
    """
    service.grant = 2
    verify_calls.done(client.serve_good_act())
    first = client.good_act()
    call = service.next_call()
    service.reply(call, service.draft(call).changed(credits=0))
    service.serve_until(first)

    act = client.begin(ActKind.MANY, count=12)
    service.waiting()

    verify_calls.in_flight(service, at_most=2, after="after a grant of 2 and one of 0")
    verify_calls.done(service.serve_until(act))


@requirement("rfc8166.3.3.1.replies-in-any-order", role="requester")
def test_requester_takes_replies_in_any_order(service: Service, client: ActingClient) -> None:
    """Calls in flight at one time are answered from the last to the first."""
    verify_calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=6)
    held = service.waiting()
    if len(held) < 2:
        raise Inconclusive("the client has one call in flight at a time")

    for call in reversed(held):
        service.reply(call)

    verify_calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.every-call-requests-credits",
    "rfc8166.4.2.3.call-carries-requested-credits",
    role="requester",
)
def test_requester_requests_credits_in_every_call(service: Service, client: ActingClient) -> None:
    """Every call asks for one credit at least: for its own reply."""
    client.serve_good_act()

    verify_calls.each(
        service.received, lambda call: "" if call.credits else "A call requests no credit"
    )
