"""rtrext section 7.2, Buffer Structure Definition: bulk data by the structure of buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, TOLD, GroupClient
from conformance.groups.request import grouped, to_sends
from conformance.oracle.announced import Announced
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

SEGMENT_LENGTH: Final = "rtrext.7.2.segment-length"
FLAGS: Final = "rtrext.7.2.no-other-flag"
ONLY_FLAGGED: Final = "rtrext.7.2.only-flagged-segments-are-targets"
FLAGGED: Final = "rtrext.7.2.flagged-segments-take-bulk-data"
LIKE_SEGMENTS: Final = "rtrext.7.2.group-stands-for-like-segments"
GROUPS: Final = "rtrext.7.2.groups-follow-each-other"
NAMED: Final = "rtrext.7.3.tbsn-names-the-segments"
DDP: Final = XMRSFLAG_DDP


def _structure(*groups: tuple[int, int, int]) -> Announced:
    """The tester with buffers of these groups: how many segments, their length, their flags."""
    told = tuple(
        BufferSegmentGroup(count, BufferSegment(length, 0, flags))
        for count, length, flags in groups
    )
    octets = sum(count * length for count, length, _ in groups)
    structure = BufferStructure(octets, told)
    return Announced(TOLD.support, structure, octets, TOLD.request_limit, TOLD.response_limit)


STRUCTURES: Final = {
    "one-large": _structure((1, 512, 0), (1, 8192, DDP)),
    "many-small": _structure((1, 512, 0), (14, 256, DDP)),
    "plain-between": _structure((1, 256, 0), (2, 1000, DDP), (1, 500, 0), (1, 2000, DDP)),
    "plain-last": _structure((1, 1024, 0), (1, 2048, DDP), (2, 1024, 0)),
    "target-first": _structure((4, 1024, DDP), (1, 1024, 0)),
    "odd-lengths": _structure((1, 1022, 0), (3, 1023, DDP), (1, 7, 0), (1, 2000, DDP)),
    "empty-groups": _structure((0, 77, DDP), (1, 1024, 0), (0, 8, 0), (3, 1024, DDP)),
}


@requirement(SEGMENT_LENGTH, LIKE_SEGMENTS, needs=NEEDS)
@pytest.mark.parametrize("buffers", STRUCTURES)
@pytest.mark.parametrize("length", [1, 900, 7000])
def test_server_places_by_the_structure_of_buffers(
    connect_two: Callable[..., Peer], buffers: str, length: int
) -> None:
    """A result is placed by lengths and counts of the segments that were told."""
    client = GroupClient.of(connect_two, STRUCTURES[buffers])

    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=(SEGMENT_LENGTH, LIKE_SEGMENTS))


@requirement(GROUPS, needs=NEEDS, means={NAMED: GROUPS})
@pytest.mark.parametrize("buffers", ["plain-last", "target-first"])
def test_server_takes_groups_in_their_order(connect_two: Callable[..., Peer], buffers: str) -> None:
    """A result is where it should be whichever group of segments comes first."""
    client = GroupClient.of(connect_two, STRUCTURES[buffers])

    request = client.peer.workload.fetch(1500)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=GROUPS)


@requirement(ONLY_FLAGGED, needs=NEEDS, means={NAMED: ONLY_FLAGGED})
@pytest.mark.parametrize("length", [900, 2400])
def test_server_places_nothing_in_segments_without_the_flag(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A result goes into target segments alone, though others are between them."""
    client = GroupClient.of(connect_two, STRUCTURES["plain-between"])

    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=ONLY_FLAGGED)


@requirement(FLAGGED, needs=NEEDS)
def test_server_takes_bulk_data_in_each_target(connect_two: Callable[..., Peer]) -> None:
    """Each segment that the server has told of as a target takes bulk data."""
    client = GroupClient.of(connect_two)
    client.place(1)

    for target in client.announced.layout.targets:
        where = client.place(target.length, front=target.start)
        request = client.peer.workload.store(pattern(target.length, 7))
        sizes = (None, *(0,) * client.last_send(where))
        call = client.send(grouped(client.peer, request, (where,), sizes=sizes))
        answers.served(client, call, breaks=FLAGGED)


@requirement(SEGMENT_LENGTH, LIKE_SEGMENTS, needs=NEEDS)
def test_server_finds_bulk_data_by_its_own_structure(connect_two: Callable[..., Peer]) -> None:
    """An item that takes all targets of a Send is found by the structure that was told."""
    client = GroupClient.of(connect_two)
    client.place(1)
    length = sum(target.length for target in client.announced.layout.targets)

    request = client.peer.workload.store(pattern(length, 7))
    where = client.place(length, send=1)
    sizes = (None, *(0,) * client.last_send(where))
    call = client.send(grouped(client.peer, request, (where,), sizes=sizes))

    answers.served(client, call, breaks=SEGMENT_LENGTH)


@requirement(FLAGS, needs=NEEDS)
def test_server_sets_no_other_flag(connect_two: Callable[..., Peer]) -> None:
    """No segment of the structure that the server tells has a flag that is not defined."""
    client = GroupClient.of(connect_two)
    structure = client.announced.structure
    groups = () if structure is None else structure.xmrbuf_groups

    flags = [group.xmrgrp_info.xmrseg_flags for group in groups]

    verify.recommended(
        client.peer,
        all(one & ~XMRSFLAG_DDP == 0 for one in flags),
        "no flag but XMRSFLAG_DDP is set",
        actual=f"the flags are {in_words(flags)}",
        breaks=FLAGS,
    )
