"""v2 section 5 Protocol Version Negotiation: the Requester's first messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import ErrChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

FIRST = "v2.5.first-message-has-version-two"
FITS = "v2.5.first-message-fits-1024-octets"
ONE_AT_A_TIME = "v2.5.one-message-until-the-first-answer"
NO_LIFT = "v2.5.error-lifts-no-limit"
GRANTED = "v2.5.calls-within-the-grant"


@requirement(FIRST, FITS, "v2.4.2.header-layout", role="requester")
@pytest.mark.parametrize(
    ("kind", "length"),
    [(ActKind.NULL, 0), (ActKind.LONG_CALL, 2000), (ActKind.WRITE, 2000), (ActKind.READ, 8192)],
    ids=("null", "long-call", "write", "read"),
)
def test_requester_offers_version_two_by_a_small_message(
    service_fresh: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Whatever comes first on a connection, it is one message of Version Two that is not long."""
    act = client.begin(kind, length)

    verify.versions.offer(service_fresh)

    service_fresh.answer_all()
    verify.calls.done(service_fresh.serve_until(act))


@requirement(ONE_AT_A_TIME, role="requester")
def test_requester_sends_one_message_until_it_is_answered(
    service_fresh: Service, client: ActingClient
) -> None:
    """Told to make eight calls on a new connection, the client sends one until it is answered."""
    act = client.begin(ActKind.MANY, count=8)
    verify.versions.offer(service_fresh)
    service_fresh.waiting()

    verify.calls.in_flight(service_fresh, at_most=1, after="before the first answer")
    service_fresh.answer_all()
    verify.calls.done(service_fresh.serve_until(act))


@requirement(
    NO_LIFT,
    role="requester",
    interpretations=("D-16", "D-62"),
    means={"v2.5.one-message-until-the-first-answer": NO_LIFT},
)
def test_requester_takes_no_grant_from_an_error(
    service_fresh: Service, client: ActingClient
) -> None:
    """The first call is answered by BAD_HEADER with 32 credits: the others still go one by one."""
    act = client.begin(ActKind.MANY, count=8)
    offer = verify.versions.offer(service_fresh)

    service_fresh.error(offer, ErrChunk())
    service_fresh.waiting()

    verify.calls.in_flight(service_fresh, at_most=1, after="after nothing but an error")
    service_fresh.answer_all()
    service_fresh.serve_until(act)


@requirement(GRANTED, role="requester")
def test_requester_obeys_a_grant_that_shrinks(service_two: Service, client: ActingClient) -> None:
    """With eight calls in flight the grant becomes two: no more than two are in flight then."""
    service_two.grant = 8
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=24)
    held = service_two.waiting()
    verify.calls.in_flight(service_two, at_most=8, after="under a grant of 8")

    service_two.grant = 2
    for _ in held:
        service_two.reply(service_two.next_call(lambda call: call in held))
    service_two.waiting()

    verify.calls.in_flight(service_two, at_most=2, after="under a grant of 2")
    verify.calls.done(service_two.serve_until(act))
