"""rtrext section 9.2, Transmit Request Operation: how a Requester makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.taken import GROUPED

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

COUNT = "rtrext.9.2.count-of-a-request"
BEGINS = "rtrext.9.2.payload-begins-after-xmtreq"


@requirement(COUNT, role="requester", needs=("xmtreq",), interpretations=("D-98",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_sends_as_many_transmissions_as_it_says(groups: GroupServer, what: str) -> None:
    """A request has as many transmissions as its first one counts, and nothing is left over."""
    act, call = groups.request(*GROUPED[what])

    verify.calls.obey((call,), COUNT)
    groups.finish(act, call, (COUNT,))


@requirement(BEGINS, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("what", GROUPED)
def test_requester_puts_the_payload_right_after_the_header(groups: GroupServer, what: str) -> None:
    """The RPC message of a request begins right after its header, whatever the header lists."""
    act, call = groups.request(*GROUPED[what])

    verify.calls.obey((call,), BEGINS)
    groups.finish(act, call, (BEGINS,))
