"""rfc8166 section 9 IANA Considerations: the numbers of the programs that a Requester calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient


@requirement("rfc8166.9.program-numbers-are-unchanged", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_calls_programs_by_their_usual_numbers(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Every call is of the program that the profile names, under its number on any transport."""
    result = client.do(kind, 6000)

    verify.calls.each(service.received, lambda call: renumbered(service, call))
    verify.calls.done(result)


def renumbered(service: Service, call: ReceivedCall) -> str:
    """Whether a call is of another program."""
    wanted = service.profile.extra.program
    if call.rpc is None or call.rpc.program == wanted:
        return ""
    return f"Program {call.rpc.program} is called, not {wanted}"
