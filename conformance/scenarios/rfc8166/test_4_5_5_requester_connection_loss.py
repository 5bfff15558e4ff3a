"""rfc8166 section 4.5.5 RPC-over-RDMA Transport Errors: a Requester whose connection is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.requirement import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import Service


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_repeats_a_call_on_a_new_connection(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The connection is lost before a call is answered: it is made again on a new one."""
    act = client.begin(kind, 9000)
    lost = service.next_call()

    service.drop(service.line_of(lost))

    verify_calls.done(service.serve_until(act))
