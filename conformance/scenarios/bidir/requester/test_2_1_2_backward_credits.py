"""bidir section 2.1.2, Backward Credits: the client, which grants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.tester.server import Welcome
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

AT_ONCE = "bidir.2.1.2.as-many-calls-as-granted-are-handled"
RECEIVES = "bidir.2.2.1.client-posts-receives-for-its-grant"
PREPARED = "bidir.2.2.3.client-is-prepared-before-it-announces"
POSTED = "bidir.2.1.receives-posted-before-sends"
SEPARATE = "bidir.2.1.2.directions-are-accounted-separately"
FORWARD = "bidir.2.1.1.forward-calls-within-the-forward-grant"
BEYOND = "rfc8166.3.3.1.no-call-beyond-the-grant"
OWN = "bidir.2.2.1.each-forward-call-has-its-own-receive"
AGAIN = "bidir.2.2.1.client-posts-receives-again-after-reconnecting"

MOST = 64
"""Calls at once that are enough to show it."""


@requirement(AT_ONCE, POSTED, role="requester", needs=("backward",))
def test_client_posts_its_receives_again(service: Service, client: ActingClient) -> None:
    """Sixty backward Calls, one by one, are executed, and then a full grant of them."""
    _reconnect_without_patience(service, client)
    server = BackwardServer.of(service)
    for _ in range(60):
        granted = server.answered(server.call(server.calls.null), breaks=POSTED).credits

    xids = [server.call(server.calls.null) for _ in range(min(granted, MOST))]

    for xid in xids:
        server.answered(xid, breaks=(AT_ONCE, POSTED))


@requirement(
    AT_ONCE,
    RECEIVES,
    PREPARED,
    role="requester",
    needs=("backward",),
)
def test_client_takes_as_many_calls_at_once_as_it_granted(service: Service) -> None:
    """Right after a grant of n, n backward Calls are all executed."""
    server = BackwardServer.of(service)
    first = server.call(server.calls.null, credits=MOST)
    granted = server.answered(first, breaks=(PREPARED, RECEIVES)).credits

    xids = [server.call(server.calls.null) for _ in range(min(granted, MOST))]

    for xid in xids:
        server.answered(xid, breaks=(AT_ONCE, RECEIVES))


@requirement(OWN, RECEIVES, PREPARED, AT_ONCE, role="requester", needs=("backward",))
def test_client_takes_backward_calls_beside_forward_replies(
    service: Service, client: ActingClient
) -> None:
    """With many forward Calls in flight the whole backward grant and all Replies arrive."""
    _reconnect_without_patience(service, client)
    server = BackwardServer.of(service)
    first = server.call(server.calls.null, credits=MOST)
    granted = server.answered(first, breaks=(PREPARED, RECEIVES)).credits
    act = client.begin(ActKind.MANY, count=40)
    service.waiting()

    xids = [server.call(server.calls.null) for _ in range(min(granted, MOST))]

    verify.calls.done(service.serve_until(act), (OWN,))
    for xid in xids:
        server.answered(xid, breaks=(OWN, RECEIVES, AT_ONCE))


@requirement(OWN, POSTED, role="requester", needs=("backward",))
def test_client_keeps_receives_for_replies_while_it_is_called(
    service: Service, client: ActingClient
) -> None:
    """With twelve forward Calls in flight, 48 backward ones leave a Receive for each Reply."""
    _reconnect_without_patience(service, client)
    server = BackwardServer.of(service)
    act = client.begin(ActKind.MANY, count=12)
    held = [service.next_call() for _ in service.waiting()]
    for _ in range(48):
        server.answered(server.call(server.calls.null), breaks=(OWN, POSTED))

    for call in held:
        service.serve(call)

    verify.calls.done(service.serve_until(act), breaks=(OWN,))
    verify.calls.stands(service.line, "48 backward Calls and the Replies after them", (OWN,))


@requirement(
    SEPARATE,
    FORWARD,
    role="requester",
    needs=("backward",),
    means={BEYOND: (SEPARATE, FORWARD)},
)
def test_client_takes_no_backward_request_for_a_forward_grant(
    service: Service, client: ActingClient
) -> None:
    """Backward Calls that request a hundred credits let no further forward Call out."""
    server = BackwardServer.of(service)
    service.grant = 1
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=60)
    service.waiting()
    before = len(service.in_flight())

    xids = []
    for _ in range(3):
        xids.append(server.call(server.calls.null, credits=100))
        service.waiting()
    other = client.begin(ActKind.SMALL)
    service.waiting()

    verify.calls.in_flight(service, at_most=before, after="after backward requests of 100")
    verify.calls.done(service.serve_until(act))
    verify.calls.done(service.serve_until(other))
    # A client with so much to do may answer late; after the case this would be nobody's Reply.
    for xid in xids:
        server.answered(xid)


@requirement(AGAIN, role="requester", needs=("backward",))
def test_client_takes_backward_calls_on_its_next_connection(
    service: Service, client: ActingClient
) -> None:
    """After a loss and a reconnection, a repeated Call and the whole grant are executed."""
    server = BackwardServer.of(service)
    server.answered(server.call(server.calls.null))
    service.drop()
    verify.calls.done(client.serve_good_act())

    granted = server.answered(server.call(server.calls.null, credits=MOST)).credits
    xids = [server.call(server.calls.null) for _ in range(min(granted, MOST))]

    for xid in xids:
        server.answered(xid, breaks=AGAIN)


def _reconnect_without_patience(service: Service, client: ActingClient) -> None:
    """A connection on which a message that finds no Receive is lost, and the connection with it."""
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    verify.calls.done(client.serve_good_act())
