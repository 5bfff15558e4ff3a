"""rtrext section 7.4, Response Direction DDP Structures: a Requester's directions, and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Inconclusive
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import ByExplicitRdma, MessageItem, NoItem, TooShort
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.draft import GroupDraft
    from conformance.groups.server import GroupServer

OFFERS = "rtrext.7.4.exrw-direction-offers-memory"
EMPTY = "rtrext.7.4.tbsn-direction-is-empty"
ANY = "rtrext.7.4.responder-chooses-the-segments"
BY_SIZE = "rtrext.7.4.bysize-direction-offers-memory"
NOT_USED = "rtrext.7.4.invalid-answers-are-not-used"
DEREGISTERED = "rtrext.7.4.memory-is-deregistered"
DISJOINT = "rtrext.7.4.ranges-are-disjoint"
ASCEND = "rtrext.7.4.ranges-ascend"


@requirement(OFFERS, BY_SIZE, EMPTY, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("length", [6000, 20000])
def test_requester_directs_with_memory_where_it_must(groups: GroupServer, length: int) -> None:
    """Directions to explicit RDMA, and by size, have memory for the result; others have none."""
    act, call = groups.request(ActKind.READ, length)

    verify.calls.obey((call,), OFFERS)
    verify.calls.obey((call,), BY_SIZE)
    verify.calls.obey((call,), EMPTY)
    groups.finish(act, call)


@requirement(DISJOINT, ASCEND, role="requester", needs=("xmtreq",), interpretations=("D-115",))
def test_requester_keeps_ranges_apart_and_in_order(groups: GroupServer) -> None:
    """No range of directions overlaps the one before, or comes before it."""
    act, call = groups.request(ActKind.READ, 6000)

    verify.calls.obey((call,), DISJOINT, ASCEND)
    groups.finish(act, call)


@requirement(ANY, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("first", [1, 2, 4])
def test_requester_takes_a_result_in_any_of_its_targets(groups: GroupServer, first: int) -> None:
    """The Responder uses other targets than the first ones: the result is there."""
    act, call = groups.request(ActKind.READ, 4096)
    sends = groups.reserved(call)
    numbers = range(sends * len(groups.told.layout.targets))
    place = groups.targets(4096, sends, [*numbers[first:], *numbers[:first]])

    groups.service.reply(call, groups.placed(call, place, sends))

    groups.done(act, (ANY,), reading=4096)


def _none(_items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
    return ()


def _twice(items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
    return (*items, MessageItem(0, 0, NoItem()))


def _elsewhere(items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
    """Memory under another handle."""
    item = items[0]
    where = ByExplicitRdma((RdmaSegment(0xBAD, item.xmdmi_length, 0),))
    return (msgspec.structs.replace(item, xmdmi_where=where),)


WRONG: dict[str, Callable[[tuple[MessageItem, ...]], tuple[MessageItem, ...]]] = {
    "no entry": _none,
    "one too many": _twice,
    "other memory": _elsewhere,
}
"""Entries that answer the one direction of a READ wrongly."""


@requirement(NOT_USED, role="requester", needs=("xmtreq",), interpretations=("D-105", "D-106"))
@pytest.mark.parametrize("what", WRONG)
def test_requester_does_not_use_wrong_answers(groups: GroupServer, what: str) -> None:
    """The entries of a response do not answer the directions: it is not what completes the RPC."""
    act, call = groups.request(ActKind.READ, 6000)

    def change(group: GroupDraft) -> GroupDraft:
        return group.with_items(WRONG[what](group.items))

    groups.unused(act, call, groups.answering(call).changed(change), (NOT_USED,))


@requirement(NOT_USED, role="requester", needs=("xmtreq",), interpretations=("D-105", "D-106"))
@pytest.mark.parametrize("where", [TooShort(), NoItem()], ids=["TOOSHORT", "NOITEM"])
def test_requester_does_not_miss_what_is_not_there(
    groups: GroupServer, where: TooShort | NoItem
) -> None:
    """The result of a READ is neither placed nor in the stream: that does not complete the RPC."""
    act, call = groups.request(ActKind.READ, 6000)
    right = groups.answering(call)
    if isinstance(right.group.items[0].xmdmi_where, TooShort | NoItem):
        raise Inconclusive(f"{call} has its results left in the stream")

    wrong = right.changed(lambda group: group.with_item(0, xmdmi_where=where))

    groups.unused(act, call, wrong, (NOT_USED,))


@requirement(DEREGISTERED, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("chooses_memory", [False, True])
def test_requester_takes_the_memory_of_directions_back(
    groups: GroupServer, *, chooses_memory: bool
) -> None:
    """The memory of a direction, used or not, cannot be written to once the RPC is done."""
    act, call = groups.request(ActKind.READ, 6000)
    segment = groups.memory(call)

    groups.service.reply(call, groups.response(call, chooses_memory=chooses_memory))

    verify.calls.done(groups.service.serve_until(act))
    verify.memory.unreachable(
        groups.service, groups.line, segment, for_results=True, breaks=(DEREGISTERED,)
    )
