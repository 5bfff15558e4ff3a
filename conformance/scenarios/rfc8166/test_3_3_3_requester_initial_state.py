"""rfc8166 section 3.3.3 Initial Connection State: the first call of a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify_calls
from conformance.requirement import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import Service


@requirement(
    "rfc8166.3.3.3.first-reply-before-second-call",
    "rfc8166.3.3.3.one-credit-at-first",
    role="requester",
)
def test_requester_awaits_the_first_reply(service: Service, client: ActingClient) -> None:
    """Told to make many calls on a new connection, the client makes one, and awaits its reply."""
    service.drop()
    service.waiting()
    act = client.begin(ActKind.MANY, count=8)
    service.next_connection()

    service.waiting()

    verify_calls.in_flight(service, at_most=1, after="before any reply has granted credits")
    verify_calls.done(service.serve_until(act))
