"""bidir section 1.3.3, Bi-direction: the client, which acts upon what it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

TOGETHER = "bidir.1.3.3.both-directions-at-once"
CALLED = "bidir.1.3.2.service-may-make-calls"


@requirement(
    TOGETHER,
    CALLED,
    "bidir.1.5.2.forward-direction-is-undisturbed",
    role="requester",
    needs=("backward",),
)
def test_client_gives_back_what_it_is_asked_for_while_a_call_of_its_own_waits(
    service: Service, client: ActingClient
) -> None:
    """A backward Call that recalls something is answered, and what it asks for is done."""
    server = BackwardServer.of(service)
    act = client.begin(ActKind.SMALL)
    forward = service.next_call()

    xid = server.call(server.calls.recall)

    server.answered(xid, breaks=(TOGETHER, CALLED))
    server.given_back()
    service.serve(forward)
    verify.calls.done(service.serve_until(act))
