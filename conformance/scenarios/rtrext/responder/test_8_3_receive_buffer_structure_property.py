"""rtrext section 8.3, Receive Buffer Structure Property: Receives, and their size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, NO_TARGETS, TOLD, GroupClient
from conformance.groups.request import grouped, to_sends
from conformance.tester.client import build
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import (
    DefaultValue,
    DerivedStructure,
    property_values,
    propid_of,
    structure_octets,
)
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

AS_TOLD: Final = "rtrext.8.3.receives-are-as-told"
AGREES: Final = "rtrext.8.3.structure-agrees-with-the-size"
DEFAULT: Final = "xcharext.2.1.zero-length-means-the-default"
FOLLOWS: Final = "rtrext.8.3.size-follows-from-the-structure"
SIZE: Final = "xcharext.3.1.no-send-beyond-the-announced-size"


@requirement(AS_TOLD, needs=NEEDS, interpretations=("D-101",))
def test_server_posts_receives_as_told(connect_two: Callable[..., Peer]) -> None:
    """Sends that fill the server's buffers to their last octet are taken, one after the other."""
    client = GroupClient.of(connect_two)
    longest = client.announced.layout.length
    count = client.announced.request_limit

    request = client.peer.workload.long_call((count - 1) * (longest - 64))
    for _ in range(4):
        call = client.send(grouped(client.peer, request))
        answers.served(client, call, breaks=AS_TOLD)


@requirement(AGREES, needs=NEEDS, interpretations=("D-101",))
def test_server_tells_a_size_that_agrees_with_its_structure(
    connect_two: Callable[..., Peer],
) -> None:
    """The segments of the structure have together the Receive Buffer Size that is told."""
    client = GroupClient.of(connect_two)
    structure, octets = client.announced.structure, client.announced.octets

    if structure is None or octets is None:
        raise Unsupported("the device has not told both")
    verify.recommended(
        client.peer,
        structure_octets(structure) == octets,
        f"the segments have {octets} octets together",
        actual=f"{structure_octets(structure)}",
        breaks=AGREES,
    )


@requirement(FOLLOWS, needs=NEEDS, interpretations=("D-101", "D-130"))
@pytest.mark.parametrize("count", [1, 2])
def test_server_derives_the_size_from_the_structure(
    connect_two: Callable[..., Peer], count: int
) -> None:
    """Told of a structure alone, the server sends nothing that is longer than its segments."""
    plain, target = BufferSegment(1024, 0, 0), BufferSegment(1024, 0, XMRSFLAG_DDP)
    groups = BufferSegmentGroup(1, plain), BufferSegmentGroup(count, target)
    shorter = BufferStructure(1024 + count * 1024, groups)
    client = GroupClient.of(connect_two, replace(TOLD, structure=shorter, octets=None))

    request = client.peer.workload.long_fetch(5000, 9000)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=FOLLOWS)


@requirement(SIZE, needs=NEEDS, interpretations=("D-101",))
def test_server_keeps_to_a_size_below_the_structure(connect_two: Callable[..., Peer]) -> None:
    """Segments are announced that have more octets than the size: no Send is longer than the size.

    The tester contradicts itself, as an end does that was asked for a smaller size.
    """
    segments = BufferStructure(8192, (BufferSegmentGroup(2, BufferSegment(4096, 0, 0)),))
    peer = GroupClient.of(connect_two, replace(TOLD, structure=segments, octets=6000)).peer
    call = build.long_reply(peer, peer.workload.long_reply(7000))

    peer.send(call)

    length = verify.served(peer, call, breaks=SIZE).answer.length
    verify.that(
        length <= 6000,
        "the Send is no longer than 6000 octets",
        actual=f"a Send of {length} octets",
        breaks=SIZE,
    )


@requirement(DEFAULT, needs=NEEDS, interpretations=("D-101", "D-130"))
@pytest.mark.parametrize("octets", [None, 2048], ids=["no-size", "a-size"])
def test_server_takes_a_structure_of_no_octets(
    connect_two: Callable[..., Peer], octets: int | None
) -> None:
    """A structure without a value is one segment, of the size told or else of the default."""
    client = GroupClient.of(connect_two, None)
    told, known = replace(NO_TARGETS, octets=octets), client.peer.device.properties
    empty = property_values(DefaultValue(propid_of(DerivedStructure(), known)), known=known)
    client.peer.send(build.option(client.peer, ConnProp((*empty, *told.values(known)), ())))
    client.peer.told = told
    client.fence()

    request = client.peer.workload.long_reply(9000)
    call = client.send(grouped(client.peer, request))

    answers.served(client, call, breaks=DEFAULT)
