"""rtrext section 3.3, Send-based DDP: what leaves the Payload stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.taken import GROUPED

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

ELIGIBLE = "rtrext.3.3.only-eligible-items-leave-the-stream"


@requirement(ELIGIBLE, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_places_eligible_arguments_alone(groups: GroupServer, what: str) -> None:
    """What is taken out of the stream of a request is DDP-eligible, as a whole."""
    act, call = groups.request(*GROUPED[what])

    verify.calls.obey((call,), ELIGIBLE)
    groups.finish(act, call, (ELIGIBLE,))
