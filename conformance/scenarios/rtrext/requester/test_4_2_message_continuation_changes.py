"""rtrext section 4.2, Message Continuation Changes: groups of a Requester, and for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

WHOLE = "rtrext.4.2.placement-applies-to-the-whole-message"
ORDER = "rtrext.4.2.group-is-received-in-order"
BETWEEN = "rtrext.4.2.nothing-in-between"
CUT = "rtrext.4.2.message-may-be-cut-anywhere"
ONCE = "rfc8166.2.2.2.reply-retires-the-xid"


@requirement(ORDER, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-98",))
@pytest.mark.parametrize("length", [9000, 20000])
def test_requester_sends_a_group_in_order(groups: GroupServer, length: int) -> None:
    """The transmissions of a long Call come in the order of their numbers."""
    act, call = groups.request(ActKind.LONG_CALL, length)

    verify.calls.obey((call,), ORDER)
    groups.finish(act, call, (ORDER,))


@requirement(BETWEEN, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-109",))
def test_requester_sends_nothing_within_a_group(groups: GroupServer) -> None:
    """Long Calls are made beside short ones: no message comes between transmissions of a group."""
    acts = [groups.client.begin(ActKind.LONG_CALL, 9000), groups.client.begin(ActKind.MANY, 0, 8)]
    acts.append(groups.client.begin(ActKind.LONG_CALL, 9000))

    groups.service.waiting()

    verify.calls.obey(groups.service.received, BETWEEN)
    for act in acts:
        groups.done(act, (BETWEEN,))


@requirement(WHOLE, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-120",))
@pytest.mark.parametrize("length", [6000, 9000, 20000])
def test_requester_places_what_continuations_bring(groups: GroupServer, length: int) -> None:
    """The first header of a response places results that are in all of its transmissions."""
    act, call = groups.request(ActKind.READ, length)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (WHOLE,), reading=length)


@requirement(ONCE, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-97",))
def test_requester_makes_a_call_once_that_is_answered_as_a_group(groups: GroupServer) -> None:
    """A read is answered by several transmissions: the call is over, and does not come again."""
    act, call = groups.request(ActKind.READ, 9000)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (ONCE,), reading=9000)
    again = [one for one in groups.service.received if one.xid == call.xid and one is not call]
    verify.equal(again, [], "the further calls under its XID", breaks=(ONCE,))


@requirement(CUT, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-121",))
@pytest.mark.parametrize("cuts", [(4,), (8, 12), (24, 28), (1, 2), (5, -3), (-4,), (-1,)], ids=str)
def test_requester_takes_a_response_cut_anywhere(
    groups: GroupServer, cuts: tuple[int, ...]
) -> None:
    """A response is divided where no sender would divide it: it is taken."""
    act, call = groups.request(ActKind.READ, 9000)

    groups.service.reply(call, groups.cut(call, *cuts))

    groups.done(act, (CUT,), reading=9000)
