"""rtrext section 11, Security Considerations: padding in the Sends of a Requester."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

ZERO = "rtrext.11.padding-tells-nothing"


@requirement(ZERO, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("length", [5000, 9001])
def test_requester_pads_with_zeros(groups: GroupServer, length: int) -> None:
    """What is before bulk data in a Send, and neither header nor payload, is zero."""
    act, call = groups.request(ActKind.WRITE, length)

    verify.calls.obey((call,), ZERO)
    groups.finish(act, call)
