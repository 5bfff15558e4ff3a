"""rfc8166 section 3.4.2 DDP-Eligibility: what a Requester takes out of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement("rfc8166.3.4.2.only-eligible-items-are-reduced", role="requester")
@pytest.mark.parametrize(
    "kind", [ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]
)
def test_requester_reduces_eligible_arguments_only(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Each Read chunk but that of a Long Call is at the place of an argument of the binding."""
    result = client.do(kind, 6000)

    verify.calls.obey(service.received, "rfc8166.3.4.2.only-eligible-items-are-reduced")
    verify.calls.done(result)
