"""rfc8166 section 3.3.1 RPC-over-RDMA Credits: how many calls a Requester has in flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Inconclusive
from conformance.tester.server import Welcome
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement(
    "rfc8166.3.3.1.no-call-beyond-the-grant",
    "rfc8166.8.1.4.transactions-within-the-grant",
    "rfc8166.3.3.1.credits-travel-in-rdma-credit",
    role="requester",
)
@pytest.mark.parametrize("grant", [1, 2, 7])
def test_requester_keeps_within_the_grant(
    service: Service, client: ActingClient, grant: int
) -> None:
    """Told to make many calls at once, the client has no more in flight than were granted."""
    service.grant = grant
    verify.calls.done(client.serve_good_act())

    act = client.begin(ActKind.MANY, count=grant + 9)
    service.waiting()

    verify.calls.in_flight(service, at_most=grant, after=f"under a grant of {grant}")
    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.grant-may-shrink",
    "rfc8166.3.3.1.latest-grant-counts",
    "rfc8166.3.3.1.no-call-beyond-the-grant",
    role="requester",
)
def test_requester_obeys_a_shrinking_grant(service: Service, client: ActingClient) -> None:
    """With eight calls in flight the grant becomes one: no further call until all are answered."""
    service.grant = 8
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=24)
    held = service.waiting()
    verify.calls.in_flight(service, at_most=8, after="after grants of 32 and of 8")
    if len(held) < 2:
        raise Inconclusive(f"of 8 calls that were granted the client has {len(held)} in flight")

    service.grant = 1
    for left in range(len(held) - 1, -1, -1):
        service.reply(service.next_call(lambda call: call in held))
        service.waiting()

        allowed = max(left, 1)
        verify.calls.in_flight(service, at_most=allowed, after="after the grant shrank to 1")
    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.latest-grant-counts",
    "rfc8166.3.3.1.credit-value-is-not-a-countdown",
    role="requester",
)
def test_requester_takes_a_growing_grant_as_a_limit(service: Service, client: ActingClient) -> None:
    """Four replies grant five credits each: that makes five calls in flight, and not twenty."""
    service.grant = 1
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=40)

    service.grant = 5
    for _ in range(4):
        service.reply(service.next_call())
        service.waiting()

        verify.calls.in_flight(service, at_most=5, after="under a grant of 5")
    verify.calls.done(service.serve_until(act))


@requirement("rfc8166.3.3.1.no-call-beyond-the-grant", role="requester")
def test_requester_takes_a_zero_grant_for_no_licence(
    service: Service, client: ActingClient
) -> None:
    """A reply grants no credit, which none may: the client keeps to the grant before, and goes on.

    A Responder that grants zero forbids its client to call ever again; to take that for one credit,
    or to leave the limit as it was, is allowed.
    """
    service.grant = 2
    verify.calls.done(client.serve_good_act())
    first = client.good_act()
    call = service.next_call()
    service.reply(call, service.draft(call).changed(credits=0))
    service.serve_until(first)

    act = client.begin(ActKind.MANY, count=12)
    service.waiting()

    verify.calls.in_flight(service, at_most=2, after="after a grant of 2 and one of 0")
    verify.calls.done(service.serve_until(act))


@requirement("rfc8166.3.3.1.replies-in-any-order", role="requester")
def test_requester_takes_replies_in_any_order(service: Service, client: ActingClient) -> None:
    """Calls in flight at one time are answered from the last to the first."""
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=6)
    held = service.waiting()
    if len(held) < 2:
        raise Inconclusive("the client has one call in flight at a time")

    for call in reversed(held):
        service.reply(call)

    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.every-call-requests-credits",
    "rfc8166.4.2.3.call-carries-requested-credits",
    role="requester",
)
def test_requester_requests_credits_in_every_call(service: Service, client: ActingClient) -> None:
    """Every call asks for one credit at least, for its own reply, or it is worth a warning."""
    result = client.serve_good_act()

    verify.calls.some((call for call in service.received if call.body is not None), "at all")
    verify.calls.done(result)


@requirement("rfc8166.3.3.1.new-calls-within-lower-value", role="requester")
def test_requester_keeps_within_its_own_request(service: Service, client: ActingClient) -> None:
    """Granted more than it requests, the client has no more calls in flight than it requested."""
    service.grant = 48
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=60)

    held = service.waiting()

    requested = max(call.credits for call in verify.calls.some(held, "at all"))
    verify.calls.in_flight(
        service, at_most=min(requested, 48), after=f"of {requested} requested and 48 granted"
    )
    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.1.credit-values-may-change",
    "rfc8166.3.3.1.latest-grant-counts",
    role="requester",
)
def test_requester_bears_any_change_of_the_grant(service: Service, client: ActingClient) -> None:
    """Every reply grants another number: all calls are made and answered on one connection."""
    act = client.begin(ActKind.MANY, count=20)
    line = service.line

    for grant in (7, 1, 32, 2, 2, 30, 3, 1, 16):
        service.grant = grant
        service.reply(service.next_call())
        service.waiting()

    verify.calls.done(service.serve_until(act))
    verify.calls.stands(line, "replies with other grants")


@requirement(
    "rfc8166.3.3.1.receives-for-expected-replies",
    "rfc8166.2.3.2.receives-posted-before-sends",
    role="requester",
)
@pytest.mark.parametrize("count", [2, 16, 30])
def test_requester_has_a_receive_for_every_reply(
    service: Service, client: ActingClient, count: int
) -> None:
    """Calls in flight are answered at once, twice, on a connection that waits for no Receive."""
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    service.waiting(service.profile.grace)
    verify.calls.done(client.serve_good_act())
    for _ in range(2):
        act = client.begin(ActKind.MANY, count=count)
        held = verify.calls.some(service.waiting(), "at all")

        for call in held:
            service.reply(call)
        result = service.serve_until(act)

        verify.calls.stands(service.line_of(held[0]), f"{len(held)} replies at once")
        verify.calls.done(result)


@requirement(
    "rfc8166.2.3.2.receives-posted-before-sends",
    "rfc8166.3.3.1.receives-for-expected-replies",
    role="requester",
)
def test_requester_posts_receives_again(service: Service, client: ActingClient) -> None:
    """Many replies, one after the other, each find a Receive, on such a connection."""
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    service.waiting(service.profile.grace)
    verify.calls.done(client.serve_good_act())
    line = service.line

    result = client.do(ActKind.MANY, count=90)

    verify.calls.stands(line, "90 replies one after the other")
    verify.calls.done(result)
