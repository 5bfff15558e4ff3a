"""rtrext section 9.4, Transmit Continue Operation: how a Requester continues, and is continued."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.server import group_of
from rpcrdma.wire.operations import XmtCont
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

FOLLOWS = "rtrext.9.4.continuations-follow-a-beginning"
XID = "rtrext.9.4.continuation-has-the-xid"
NEEDS = "rtrext.9.4.continuation-needs-the-operation"
ITYPE = "rtrext.9.4.itype-is-the-first-operation"
NUMBER = "rtrext.9.4.number-of-a-continuation"
LENGTH = "rtrext.9.4.pslen-of-a-continuation"
EMPTY = "rtrext.9.4.continuation-without-payload"
BEGINS = "rtrext.9.4.payload-begins-after-xmtcont"
CROSSES = "rtrext.9.4.payload-of-xmtcont-crosses-segments"
PARTS = "rtrext.9.4.parts-are-the-payload-stream"

LENGTHS = (4096, 9000, 20000)
"""Octets of Calls of two transmissions and more."""


@requirement(
    NUMBER, XID, FOLLOWS, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-98",)
)
@pytest.mark.parametrize("length", LENGTHS)
def test_requester_numbers_its_continuations(groups: GroupServer, length: int) -> None:
    """Continuations come after their beginning, under its XID, with the numbers from 1 on."""
    act, call = groups.request(ActKind.LONG_CALL, length)

    later = group_of(call).said[1:]
    numbers = [one.optxc_xnum for one in later if isinstance(one, XmtCont)]
    verify.equal(numbers, list(range(1, call.sends)), "the numbers", breaks=(NUMBER,))
    verify.calls.obey((call,), FOLLOWS, XID)
    groups.finish(act, call)


@requirement(ITYPE, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-100",))
def test_requester_says_what_it_continues(groups: GroupServer) -> None:
    """optxc_itype of each continuation is the code of XMTREQ."""
    act, call = groups.request(ActKind.LONG_CALL, 9000)

    verify.calls.obey((call,), ITYPE)
    groups.finish(act, call)


@requirement(LENGTH, BEGINS, PARTS, role="requester", needs=("xmtreq", "xmtcont"))
@pytest.mark.parametrize("length", LENGTHS)
def test_requester_divides_its_payload(groups: GroupServer, length: int) -> None:
    """The parts of the Payload stream, each as long as it says, are the RPC message."""
    act, call = groups.request(ActKind.LONG_CALL, length)

    verify.calls.obey((call,), LENGTH, BEGINS, PARTS)
    groups.finish(act, call, (LENGTH, BEGINS, PARTS))


@requirement(NEEDS, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-107",))
def test_requester_takes_the_continuations_it_provides_for(groups: GroupServer) -> None:
    """A response uses all transmissions that were told of: the continuations are taken."""
    act, call = groups.request(ActKind.LONG_REPLY, 9000)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (NEEDS,))


@requirement(EMPTY, role="requester", needs=("xmtreq", "xmtcont"))
@pytest.mark.parametrize("cuts", [(0, 0), (0,), (4, 0), (-4, 0), ("all",), ("all", 0)], ids=str)
def test_requester_takes_transmissions_without_payload(
    groups: GroupServer, cuts: tuple[int | str, ...]
) -> None:
    """Transmissions of a response have bulk data, or nothing, and no Payload stream."""
    act, call = groups.request(ActKind.READ, 9000)

    groups.service.reply(call, groups.cut(call, *cuts))

    groups.done(act, (EMPTY,), reading=9000)


@requirement(CROSSES, role="requester", needs=("xmtreq", "xmtcont"), interpretations=("D-118",))
def test_requester_takes_continuations_across_its_segments(groups: GroupServer) -> None:
    """Payload of the continuations goes through all segments of the client's buffers."""
    act, call = groups.request(ActKind.LONG_REPLY, 12000)

    groups.service.reply(call, groups.response(call))

    groups.done(act, (CROSSES,))
