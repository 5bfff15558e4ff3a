"""rtrext section 8.4, Request Transmission Receive Limit Property: what a Requester keeps to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.taken import TAKEN
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

LIMIT = "rtrext.8.4.no-request-beyond-the-limit"


@requirement(LIMIT, role="requester", needs=("xmtreq", "xmtcont"))
@pytest.mark.parametrize("kind", [ActKind.LONG_CALL, ActKind.WRITE], ids=str)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_requester_keeps_to_the_limit_of_its_responder(
    groups: GroupServer, kind: ActKind, limit: int
) -> None:
    """Requests have no more transmissions than the tester tells; what is longer goes otherwise."""
    groups.announce(replace(TAKEN, request_limit=limit))

    for length in (4000, 6000, 9000, 12000, 20000):
        groups.done(groups.client.begin(kind, length), (LIMIT,))

    verify.calls.obey(groups.service.received, LIMIT)
