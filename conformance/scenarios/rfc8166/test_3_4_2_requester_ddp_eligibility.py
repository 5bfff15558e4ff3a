"""rfc8166 section 3.4.2 DDP-Eligibility: what a Requester takes out of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.requirement import requirement
from rpcrdma.wire import group_by_position
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import ReceivedCall, Service


@requirement("rfc8166.3.4.2.only-eligible-items-are-reduced", role="requester")
@pytest.mark.parametrize(
    "kind", [ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]
)
def test_requester_reduces_eligible_arguments_only(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Each Read chunk but that of a Long Call is at the place of an argument of the binding."""
    result = client.do(kind, 6000)

    verify_calls.each(service.received, lambda call: ineligible(service, call))
    verify_calls.done(result)


def ineligible(service: Service, call: ReceivedCall) -> str:
    """Whether a Read chunk holds what the binding does not name."""
    allowed = {item.position for item in service.arguments(call)} | {0}
    found = [one.position for one in group_by_position(call.reads) if one.position not in allowed]
    return f"The Read chunk at Position {found[0]} holds no eligible argument" if found else ""
