"""rfc8166 section 4.5.5 RPC-over-RDMA Transport Errors: a Requester whose connection is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.harness import ActingClient


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_repeats_a_call_on_a_new_connection(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The connection is lost before a call is answered: it is made again on a new one."""
    act = client.begin(kind, 9000)
    lost = service.next_call()

    service.drop(service.line_of(lost))

    verify.calls.done(service.serve_until(act))
