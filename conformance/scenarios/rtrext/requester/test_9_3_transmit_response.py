"""rtrext section 9.3, Transmit Response Operation: what a Requester makes of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.draft import drafted
from rpcrdma.wire.operations import XmtResp
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

UNDERSTOOD = "rtrext.5.1.told-operations-are-understood"
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


@requirement(UNDERSTOOD, role="requester", needs=("xmtreq",), interpretations=("D-107", "D-116"))
@pytest.mark.parametrize("kind", [ActKind.NULL, ActKind.SMALL], ids=str)
def test_requester_survives_a_group_in_answer_to_what_was_none(
    groups: GroupServer, kind: ActKind
) -> None:
    """An XMTRESP has the right reply to a call that was no group: the client lives."""
    act = groups.client.begin(kind)
    call = groups.service.next_call(lambda call: call.group is None)
    (reply, *_) = groups.service.replies.due(call, groups.line)
    layout = groups.told.layout
    response = drafted(call.xid, reply, (), XmtResp, layout, credits=groups.service.grant)

    for message in response.messages:
        groups.service.send(message.octets, groups.line)
    groups.service.waiting()

    if act.poll() is None and groups.line.connected:
        groups.service.reply(call)
    verify.calls.ended(groups.service, act, (UNDERSTOOD,))
    verify.calls.done(groups.client.serve_good_act(), (UNDERSTOOD,))
