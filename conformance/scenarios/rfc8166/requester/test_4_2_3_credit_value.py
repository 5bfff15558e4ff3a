"""rfc8166 section 4.2.3 Credit Value: of a Requester's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement("rfc8166.4.2.3.call-carries-requested-credits", role="requester")
@pytest.mark.parametrize(
    "kind", [ActKind.NULL, ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]
)
def test_requester_requests_credits_in_calls_of_every_form(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Whatever stands in a call, it says how many credits are requested, or it is a warning."""
    result = client.do(kind, 6000)

    verify.calls.some((call for call in service.received if call.body is not None), "at all")
    verify.calls.done(result)
