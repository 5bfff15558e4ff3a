"""rfc8166 section 3.3.1 RPC-over-RDMA Credits: what completes no call takes no Receive for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.tester.server import useless
from conformance.verify.disturbance import Disturbed

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

EXPECTED: Final = "rfc8166.3.3.1.receives-for-expected-replies"
POSTED: Final = "rfc8166.2.3.2.receives-posted-before-sends"


@requirement(EXPECTED, POSTED, role="requester")
@pytest.mark.parametrize("kind", useless.ONE)
def test_requester_has_its_receives_after_what_completes_no_call(
    service: Service, client: ActingClient, kind: str
) -> None:
    """As many messages that complete no call as it has Receives; then all Replies come at once."""
    disturbed = Disturbed.of(service, client, (EXPECTED,))

    for _ in range(disturbed.rounds):
        disturbed.send(useless.ONE[kind])

    disturbed.use_all_credits()
