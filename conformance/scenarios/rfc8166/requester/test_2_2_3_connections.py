"""rfc8166 section 2.2.3 RPC Transports: who opens connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement("rfc8166.2.2.3.requester-opens-the-connection", role="requester")
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL, ActKind.READ])
def test_requester_opens_a_connection_for_its_calls(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """There is no connection any more: to act, the client opens one, and calls on it."""
    before = len(service.lines)
    service.drop()
    service.waiting(service.profile.grace)

    result = client.do(kind, 5000)

    verify.calls.done(result)
    calls = [call for call in service.received if call.line > before]
    verify.calls.some(calls, "on a new connection")
