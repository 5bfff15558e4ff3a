"""rfc8166 section 3.3 Managing Receiver Resources: what a Requester sends into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import THRESHOLD_ONE
from conformance.tester.server import Welcome
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

RECEIVES: Final = 4
"""Receives that the tester has posted, and credits that it grants."""


@requirement(
    "rfc8166.3.3.sender-respects-receive-resources",
    "rfc8166.3.3.2.threshold-is-the-smaller-end",
    role="requester",
)
@pytest.mark.parametrize(
    ("kind", "length", "count"),
    [
        (ActKind.MANY, 0, 20),
        (ActKind.WRITE, 980, 1),
        (ActKind.WRITE, 1500, 1),
        (ActKind.LONG_CALL, 1500, 1),
        (ActKind.MANY_READS, 3000, 12),
    ],
    ids=str,
)
def test_requester_respects_the_receives_of_its_responder(
    service: Service, client: ActingClient, kind: ActKind, length: int, count: int
) -> None:
    """As many Receives are posted as are granted, of 1024 octets: no message finds them wanting."""
    service.grant = RECEIVES
    service.welcome = Welcome(receives=RECEIVES, receive_length=THRESHOLD_ONE)
    service.drop()
    service.waiting(service.profile.grace)
    verify.calls.done(client.serve_good_act())
    line = service.line

    act = client.begin(kind, length, count)
    service.waiting()

    verify.calls.stands(line, "what the client has sent")
    verify.calls.in_flight(service, at_most=RECEIVES, after=f"with {RECEIVES} Receives posted")
    verify.calls.done(service.serve_until(act))
    verify.calls.stands(line, "what the client has sent")
