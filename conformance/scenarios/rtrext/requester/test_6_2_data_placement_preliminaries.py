"""rtrext section 6.2, Data Placement Preliminaries: displacements, numbers, types of placement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.taken import TAKEN, structure
from rpcrdma.wire._generated_rtrext import PlacementType
from rpcrdma.wire.operations import XmtResp, operation_of
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.groups.draft import GroupDraft
    from conformance.groups.server import GroupServer

DISPLACEMENTS = "rtrext.6.2.displacements-are-in-the-whole-stream"
NUMBERED = "rtrext.6.2.target-segments-are-numbered"
SHORT = "rtrext.6.2.segments-after-a-short-transmission-count"
PAYLOAD = "rtrext.6.2.segments-with-payload-count"
CODES = "rtrext.6.2.codes-of-the-types"
EITHER = "rtrext.6.2.choice-is-the-responders"
MEMORY = "rtrext.6.2.choice-comes-with-memory"
ITEMS = "rtrext.6.2.types-of-items-in-requests"
DIRECTIONS = "rtrext.6.2.types-of-directions"
NO_RESULT = "rtrext.6.2.direction-as-item-of-a-response"

STRUCTURES: Final = {
    "one target": ((1, 1024, False), (1, 3072, True)),
    "small targets": ((1, 512, False), (14, 256, True)),
    "targets apart": ((1, 512, False), (1, 512, True), (1, 1024, False), (2, 1024, True)),
    "targets of two sizes": ((2, 512, False), (2, 512, True), (1, 2048, True)),
    "nothing else": ((8, 512, True),),
    "targets first": ((2, 512, True), (1, 1024, False), (2, 1024, True)),
}
"""Buffers of the tester: count and octets of segments, and whether they are targets."""


@requirement(DISPLACEMENTS, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("length", [9000, 9001, 20000])
def test_requester_counts_displacements_in_the_whole_stream(
    groups: GroupServer, length: int
) -> None:
    """The argument that a client stores is just where its item says."""
    act, call = groups.request(ActKind.WRITE, length)

    verify.calls.obey((call,), DISPLACEMENTS)
    verify.calls.stores(groups.service, (call,), length, (DISPLACEMENTS,))
    groups.finish(act, call, (DISPLACEMENTS,))


@requirement(NUMBERED, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("length", [5000, 9001])
def test_requester_numbers_the_targets(groups: GroupServer, name: str, length: int) -> None:
    """Bulk data are in the targets whose numbers are given, through all transmissions."""
    groups.announce(replace(TAKEN, structure=structure(*STRUCTURES[name])))
    act, call = groups.request(ActKind.WRITE, length)

    verify.calls.obey((call,), NUMBERED)
    verify.calls.stores(groups.service, (call,), length, (NUMBERED,))
    groups.finish(act, call, (NUMBERED,))


@requirement(SHORT, role="requester", needs=("xmtreq", "xmtcont"))
def test_requester_counts_targets_that_nothing_reached(groups: GroupServer) -> None:
    """The first transmission of a response ends after its first target; the others count."""
    act, call = groups.request(ActKind.READ, 4096)
    targets = len(groups.told.layout.targets)
    sends = groups.reserved(call)
    place = groups.targets(4096, sends, [0, *range(targets, sends * targets)])

    groups.service.reply(call, groups.placed(call, place, sends))

    groups.done(act, (SHORT,), reading=4096)


@requirement(PAYLOAD, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("name", ["nothing else", "targets first"])
def test_requester_counts_targets_with_header_and_payload(groups: GroupServer, name: str) -> None:
    """Header and payload reach into targets, which are numbered as well."""
    groups.announce(replace(TAKEN, structure=structure(*STRUCTURES[name])))
    act, call = groups.request(ActKind.WRITE, 7000)

    verify.calls.obey((call,), PAYLOAD)
    verify.calls.stores(groups.service, (call,), 7000, (PAYLOAD,))
    groups.finish(act, call, (PAYLOAD,))


@requirement(
    CODES, ITEMS, DIRECTIONS, role="requester", needs=("xmtreq",), interpretations=("D-93",)
)
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE], ids=str)
def test_requester_uses_the_types_of_its_context(groups: GroupServer, kind: ActKind) -> None:
    """Items are XMDTYPE_EXRW or TBSN, directions one of the first four types."""
    act, call = groups.request(kind, 9000)

    verify.calls.obey((call,), ITEMS, DIRECTIONS, CODES)
    groups.finish(act, call, (ITEMS, DIRECTIONS, CODES))


@requirement(EITHER, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("chooses_memory", [False, True])
def test_requester_takes_either_way_of_placement(
    groups: GroupServer, *, chooses_memory: bool
) -> None:
    """What may go either way is placed by Sends, or goes to memory."""
    act, call = groups.request(ActKind.READ, 9000)

    groups.service.reply(call, groups.response(call, chooses_memory=chooses_memory))

    groups.done(act, (EITHER,), reading=9000)


@requirement(MEMORY, role="requester", needs=("xmtreq",))
def test_requester_offers_memory_where_it_leaves_the_choice(groups: GroupServer) -> None:
    """A direction that leaves the way to the Responder has memory for the result."""
    act, call = groups.request(ActKind.READ, 9000)

    verify.calls.obey((call,), MEMORY)
    groups.finish(act, call, (MEMORY,))


@requirement(NO_RESULT, role="requester", needs=("xmtreq",), interpretations=("D-106",))
@pytest.mark.parametrize(
    "kind", [PlacementType.XMDTYPE_CHOICE, PlacementType.XMDTYPE_BYSIZE], ids=lambda one: one.name
)
def test_requester_does_not_use_a_direction_for_an_answer(
    groups: GroupServer, kind: PlacementType
) -> None:
    """A response whose item has a type for directions is not what completes the RPC."""
    act, call = groups.request(ActKind.READ, 6000)

    groups.memory(call)
    wrong = groups.response(call, chooses_memory=True).changed(lambda group: _typed(group, kind))

    groups.unused(act, call, wrong, (NO_RESULT,))


def _typed(group: GroupDraft, kind: PlacementType) -> GroupDraft:
    """The same, but for the type of its only item, the fourth word of the operation."""
    contents = group.sends[0].contents
    if not isinstance(contents, XmtResp):
        raise TypeError("a response is needed")
    octets = bytearray(operation_of(contents).encode(contents))
    octets[12:16] = kind.to_bytes(4)
    return group.with_send(0, contents=bytes(octets))
