"""rtrext section 2, Extension Overview: a Requester before a server of Version One."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.taken import GROUPED
from conformance.oracle.header import VERSION_ONE

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

SERVED = "rtrext.2.version-one-peers-are-served"


@requirement(SERVED, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_gets_on_with_a_server_of_version_one(
    service: Service, client: ActingClient, what: str
) -> None:
    """Version Two is refused: what would go as groups goes by the facilities of Version One."""
    result = service.serve_until(client.begin(*GROUPED[what]))

    verify.versions.spoken(service.received, {VERSION_ONE})
    verify.calls.done(result, (SERVED,))
