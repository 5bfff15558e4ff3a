"""bidir section 2.2.3, In the Absence of Backward Direction Support: who announces it."""

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

PREPARED = "bidir.2.2.3.client-is-prepared-before-it-announces"


@requirement(
    PREPARED,
    "bidir.2.2.1.client-posts-receives-again-after-reconnecting",
    role="requester",
    needs=("backward",),
)
def test_client_takes_a_call_as_soon_as_it_has_announced_itself(
    service: Service, client: ActingClient
) -> None:
    """On a new connection a backward Call comes before anything else: it finds a Receive."""
    service.welcome = Welcome(rnr_retry=0)
    service.drop()
    act = client.begin(ActKind.SMALL)
    service.next_connection()
    server = BackwardServer.of(service)

    xid = server.call(server.calls.null)

    server.answered(xid, breaks=PREPARED)
    verify.calls.done(service.serve_until(act))
