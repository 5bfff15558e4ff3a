"""rtrext section 9.3, Transmit Response Operation: what a Requester makes of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

WHOLE = "rtrext.9.3.response-is-whole-with-its-count"
CROSSES = "rtrext.9.3.payload-of-xmtresp-crosses-segments"


@requirement(WHOLE, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-98",))
@pytest.mark.parametrize("left", [1, 2])
def test_requester_waits_for_the_last_transmission(groups: GroupServer, left: int) -> None:
    """As long as transmissions are missing the response is not taken; then it is."""
    act, call = groups.request(ActKind.LONG_REPLY, 9000)
    sends = groups.response(call).sends

    for octets in sends[:-left]:
        groups.service.send(octets)
    groups.service.waiting()
    early = act.poll()
    for octets in sends[-left:]:
        groups.service.send(octets)

    verify.equal(early, None, "the end of the act before the last came", breaks=(WHOLE,))
    call.answered = True
    groups.done(act, (WHOLE,))


@requirement(CROSSES, role="requester", needs=("xmtreq",), interpretations=("D-118",))
@pytest.mark.parametrize("octets", [4096, 5000, 9000])
def test_requester_takes_payload_across_its_segments(groups: GroupServer, octets: int) -> None:
    """The Payload stream of a response goes through all segments of the client's buffers."""
    act, call = groups.request(ActKind.LONG_REPLY, octets)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (CROSSES,))
