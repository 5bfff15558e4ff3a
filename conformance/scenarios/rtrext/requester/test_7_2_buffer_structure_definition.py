"""rtrext section 7.2, Buffer Structure Definition: what is told of buffers, and by it placed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.taken import TAKEN, structure
from rpcrdma.wire._generated_rtrext import XMRSFLAG_DDP
from rpcrdma.wire.properties import structure_octets
from rpcrdma.wire.words import in_words
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.groups.server import GroupServer

LENGTH = "rtrext.7.2.segment-length"
NO_OTHER = "rtrext.7.2.no-other-flag"
ONLY = "rtrext.7.2.only-flagged-segments-are-targets"
TAKES = "rtrext.7.2.flagged-segments-take-bulk-data"
ALIKE = "rtrext.7.2.group-stands-for-like-segments"
FOLLOW = "rtrext.7.2.groups-follow-each-other"

STORED: Final = 7001
"""Octets that are placed in several transmissions."""


def _stores(groups: GroupServer, *segments: tuple[int, int, bool], breaks: str) -> None:
    """With these buffers of the tester, a client stores what it was told to store."""
    groups.announce(replace(TAKEN, structure=structure(*segments)))
    act, call = groups.request(ActKind.WRITE, STORED)

    verify.calls.obey((call,), breaks)
    verify.calls.stores(groups.service, (call,), STORED, (breaks,))
    groups.finish(act, call, (breaks,))


@requirement(LENGTH, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("octets", [512, 1000, 3000])
def test_requester_goes_by_the_lengths_of_segments(groups: GroupServer, octets: int) -> None:
    """Bulk data go from one target into the next at its length."""
    count = 3000 // octets
    _stores(groups, (1, 4096 - count * octets, False), (count, octets, True), breaks=LENGTH)


@requirement(LENGTH, role="requester", needs=("xmtreq",), interpretations=("D-101",))
def test_requester_tells_the_length_of_all_its_segments(groups: GroupServer) -> None:
    """xmrbuf_length of the structure that a client tells is the sum over its segments."""
    told = groups.told.structure
    if told is None:
        raise Unsupported("the client tells of no structure")

    verify.equal(told.xmrbuf_length, structure_octets(told), "xmrbuf_length", breaks=(LENGTH,))


@requirement(ONLY, role="requester", needs=("xmtreq",))
def test_requester_places_bulk_data_in_flagged_segments(groups: GroupServer) -> None:
    """Segments with the flag and without it take turns: bulk data are in those with it."""
    apart = ((1, 1024, False), (1, 1024, True), (1, 512, False), (1, 1024, True), (1, 512, False))
    _stores(groups, *apart, breaks=ONLY)


@requirement(ALIKE, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("count", [2, 6, 12])
def test_requester_knows_that_a_group_is_several_segments(groups: GroupServer, count: int) -> None:
    """Targets are told of as a group, and used as so many segments."""
    _stores(groups, (1, 1024, False), (count, 3072 // count, True), breaks=ALIKE)


@requirement(FOLLOW, role="requester", needs=("xmtreq",))
@pytest.mark.parametrize("turned", [False, True])
def test_requester_takes_groups_in_their_order(groups: GroupServer, *, turned: bool) -> None:
    """Targets of two lengths are in the buffer in the order in which they were told of."""
    targets = [(2, 512, True), (1, 2048, True)]
    if turned:
        targets.reverse()
    _stores(groups, (1, 1024, False), *targets, breaks=FOLLOW)


@requirement(NO_OTHER, role="requester", needs=("xmtreq",))
def test_requester_sets_no_other_flag(groups: GroupServer) -> None:
    """The flags of the segments that a client tells of are XMRSFLAG_DDP, or none."""
    told = groups.told.structure
    if told is None:
        raise Unsupported("the client tells of no structure")

    flags = [one.xmrgrp_info.xmrseg_flags & ~XMRSFLAG_DDP for one in told.xmrbuf_groups]

    if any(flags):
        groups.service.case.let_pass(f"Other flags are set: {in_words(flags)}.", (NO_OTHER,))


@requirement(TAKES, role="requester", needs=("xmtreq", "xmtcont"))
def test_requester_takes_bulk_data_in_each_target(groups: GroupServer) -> None:
    """Results begin in each target of the client's in turn, in the first and later Sends."""
    layout = groups.told.layout
    if not layout.targets:
        raise Unsupported("the client tells of no target")
    for first in range(2 * len(layout.targets)):
        act, call = groups.request(ActKind.READ, 4096)
        sends = groups.reserved(call)
        numbers = range(sends * len(layout.targets))
        place = groups.targets(4096, sends, [*numbers[first:], *numbers[:first]])

        groups.service.reply(call, groups.placed(call, place, sends))

        groups.done(act, (TAKES,), reading=4096)
