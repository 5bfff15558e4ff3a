"""rtrext section 7.1, Data Placement Overview: directions for bulk data in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

DIRECTS = "rtrext.7.1.requests-direct-bulk-results"


@requirement(DIRECTS, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("length", [6000, 20000])
def test_requester_directs_results_that_may_be_long(groups: GroupServer, length: int) -> None:
    """A request whose response has bulk data says where these are to go."""
    act, call = groups.request(ActKind.READ, length)

    verify.calls.obey((call,), DIRECTS)
    groups.finish(act, call)
