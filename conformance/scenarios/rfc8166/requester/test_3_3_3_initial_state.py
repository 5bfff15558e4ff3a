"""rfc8166 section 3.3.3 Initial Connection State: the first call of a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import THRESHOLD_ONE
from conformance.tester.private_data import FORMS
from conformance.tester.server import Welcome
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Line, Service
    from conformance.tester.server.acting import ActingClient

KEPT: Final = tuple(form for form in FORMS if form != "largest-sizes")
"""Private data that the tester keeps to: it takes and sends no messages of the largest size."""

STRAYS_ARE_DROPPED = (
    "rfc8166.2.2.2.reply-retires-the-xid",
    "rfc8166.3.3.1.replies-in-any-order",
)
"""What a client breaks that does anything else about a reply to no call."""


@requirement(
    "rfc8166.3.3.3.first-reply-before-second-call",
    "rfc8166.3.3.3.one-credit-at-first",
    role="requester",
)
def test_requester_awaits_the_first_reply(service: Service, client: ActingClient) -> None:
    """Told to make many calls on a new connection, the client makes one, and awaits its reply."""
    service.drop()
    service.waiting(service.profile.grace)
    act = client.begin(ActKind.MANY, count=8)
    service.next_connection()

    service.waiting()

    verify.calls.in_flight(service, at_most=1, after="before any reply has granted credits")
    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.3.3.3.1024-octets-unless-known",
    role="requester",
    interpretations=("D-30",),
)
@pytest.mark.parametrize("told", KEPT)
def test_requester_bears_private_data_of_any_kind(
    service: Service, client: ActingClient, told: str
) -> None:
    """Whatever private data a connection is accepted with (RFC 8797), calls are made on it."""
    service.welcome = Welcome(private_data=FORMS[told])
    service.drop()
    service.waiting(service.profile.grace)

    verify.calls.done(client.serve_good_act())
    read = service.serve_until(client.begin(ActKind.READ, 3000))
    verify.calls.done(read)
    verify.calls.reads(read, 3000)


@requirement(
    "rfc8166.3.3.3.one-exchange-of-1024-octets",
    "rfc8166.3.3.3.receives-1024-octets",
    role="requester",
)
def test_requester_takes_a_first_message_of_1024_octets(
    service: Service, client: ActingClient
) -> None:
    """The first message to come on a new connection has 1024 octets: the connection bears it.

    It is a reply to no call, since no client can be told what reply of that length to ask for.
    """
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    service.waiting(service.profile.grace)
    act = client.good_act()
    line = service.next_connection()
    call = service.next_call()

    service.send(service.draft(call).stray(THRESHOLD_ONE).octets, line)
    service.waiting()

    bears(line, "a first message")
    service.reply(call)
    verify.calls.done(service.serve_until(act), STRAYS_ARE_DROPPED)


@requirement(
    "rfc8166.3.3.3.receives-1024-octets",
    "rfc8166.3.5.receives-posted-and-large-enough",
    role="requester",
)
@pytest.mark.parametrize("before", [1, 30, 90])
def test_requester_takes_messages_of_1024_octets(
    service: Service, client: ActingClient, before: int
) -> None:
    """After any number of short replies a message of 1024 octets comes: the connection bears it."""
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    service.waiting(service.profile.grace)
    verify.calls.done(client.do(ActKind.MANY, count=before))
    act = client.good_act()
    call = service.next_call()
    line = service.line_of(call)

    service.send(service.draft(call).stray(THRESHOLD_ONE).octets, line)
    service.waiting()

    bears(line, "a message")
    service.reply(call)
    verify.calls.done(service.serve_until(act), STRAYS_ARE_DROPPED)


def bears(line: Line, what: str) -> None:
    """The connection stands; whoever ends it in order has found a Receive that was long enough."""
    breaks = () if line.lost else STRAYS_ARE_DROPPED
    verify.calls.stands(line, f"{what} of {THRESHOLD_ONE} octets to no call", breaks)
