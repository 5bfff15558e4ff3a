"""rtrext section 6.2, Data Placement Preliminaries: displacements, numbers of segments, types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import INLINE, SENDS, grouped, to_memory, to_sends
from conformance.tester.client import mutate
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import MessageItem, NoItem, PlacementType, TooShort

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import Argument
    from conformance.tester.client.peer import Peer

DISPLACEMENTS: Final = "rtrext.6.2.displacements-are-in-the-whole-stream"
NUMBERED: Final = "rtrext.6.2.target-segments-are-numbered"
AFTER_SHORT: Final = "rtrext.6.2.segments-after-a-short-transmission-count"
WITH_PAYLOAD: Final = "rtrext.6.2.segments-with-payload-count"
DIRECTION_AS_ITEM: Final = "rtrext.6.2.direction-as-item-of-a-request"
RESULT_AS_ITEM: Final = "rtrext.6.2.result-as-item-of-a-request"
RESULT_AS_DIRECTION: Final = "rtrext.6.2.result-as-direction"
TYPE_OF_ITEM: Final = 28 + 4 + 8
"""Offset of the type of the first item of an XMTREQ: after a count and two words."""

TYPE_OF_DIRECTION: Final = 28 + 4 + 4 + 8 + 4 + 4
"""The same of the first direction, without items: after three counts, a range and a length."""


@requirement(DISPLACEMENTS, needs=NEEDS)
@pytest.mark.parametrize(
    "ways",
    [(SENDS, SENDS), ((), ()), (INLINE, SENDS), (SENDS, ())],
    ids=["sends", "memory", "second", "both"],
)
def test_server_counts_displacements_in_the_whole_stream(
    connect_two: Callable[..., Peer], ways: tuple[Argument, Argument]
) -> None:
    """The displacement of the second item counts the first, wherever that is."""
    client = GroupClient.of(connect_two)
    client.place(1)

    request = client.peer.workload.store_two(pattern(702, 7), pattern(1301, 9))
    call = client.send(grouped(client.peer, request, ways))

    answers.served(client, call, breaks=DISPLACEMENTS)


@requirement(DISPLACEMENTS, needs=NEEDS)
def test_server_tells_displacements_in_the_whole_stream(
    connect_two: Callable[..., Peer],
) -> None:
    """Of two results that are placed, the displacement of the second counts the first."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch_two(702, 1301)
    call = client.send(grouped(client.peer, request, directions=(to_sends(), to_sends())))

    answers.served(client, call, breaks=DISPLACEMENTS)


@requirement(NUMBERED, needs=NEEDS, interpretations=("D-118",))
@pytest.mark.parametrize("send", [0, 1, 2])
def test_server_numbers_segments_through_all_transmissions(
    connect_two: Callable[..., Peer], send: int
) -> None:
    """An item in the target segments of one transmission is found by their numbers."""
    client = GroupClient.of(connect_two)
    where = client.place(600, send=send)

    request = client.peer.workload.store(pattern(600, 7))
    sizes = (None, 0, 0)
    call = client.send(grouped(client.peer, request, (where,), sizes=sizes))

    answers.served(client, call, breaks=NUMBERED)


@requirement(NUMBERED, needs=NEEDS, interpretations=("D-118",))
@pytest.mark.parametrize("length", [700, 3300, 9000])
def test_server_uses_the_numbers_of_the_requesters_segments(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """Results in target segments of several transmissions are where the numbers say."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_fetch(3000, length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=NUMBERED)


@requirement(AFTER_SHORT, needs=NEEDS, interpretations=("D-118",))
def test_server_counts_segments_that_a_short_transmission_lacks(
    connect_two: Callable[..., Peer],
) -> None:
    """An item after transmissions that end before their target segments is found."""
    client = GroupClient.of(connect_two)
    where = client.place(500, send=2)

    request = client.peer.workload.store(pattern(500, 7))
    call = client.send(grouped(client.peer, request, (where,), sizes=(20, 4, None)))

    answers.served(client, call, breaks=AFTER_SHORT)


@requirement(WITH_PAYLOAD, needs=NEEDS, interpretations=("D-118",))
def test_server_counts_segments_that_payload_has_filled(
    connect_two: Callable[..., Peer],
) -> None:
    """An item in a target segment after one that payload takes is found by its number."""
    client = GroupClient.of(connect_two)
    (first,) = client.place(1).xmdl_bsnum
    end = client.announced.layout.targets[first].end
    where = client.place(500, front=end)

    request = client.peer.workload.long_store(end - 300, pattern(500, 7))
    sizes = (None, *(0,) * client.last_send(where))
    call = client.send(grouped(client.peer, request, (where,), sizes=sizes))

    answers.served(client, call, breaks=WITH_PAYLOAD)


@requirement(WITH_PAYLOAD, needs=NEEDS, interpretations=("D-118",))
def test_server_counts_the_requesters_segments_with_payload(
    connect_two: Callable[..., Peer],
) -> None:
    """A result after payload that fills target segments is where the numbers say."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_fetch(1500, 600)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=WITH_PAYLOAD)


@requirement(DIRECTION_AS_ITEM, needs=NEEDS, interpretations=("D-106",))
@pytest.mark.parametrize("kind", [PlacementType.XMDTYPE_CHOICE, PlacementType.XMDTYPE_BYSIZE, 9])
def test_server_cannot_decode_a_direction_as_item(
    connect_two: Callable[..., Peer], kind: int
) -> None:
    """A type that no item of a request can have makes a header that cannot be decoded."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.store(pattern(600, 7)), ((),))

    odd = mutate.word(call.message, TYPE_OF_ITEM, kind, "xmddp_type")
    client.send_all(odd)

    faults.bad_header(client, odd, breaks=DIRECTION_AS_ITEM)


@requirement(RESULT_AS_ITEM, needs=NEEDS, interpretations=("D-106",))
@pytest.mark.parametrize("where", [TooShort(), NoItem()], ids=["tooshort", "noitem"])
def test_server_refuses_a_result_as_item(
    connect_two: Callable[..., Peer], where: TooShort | NoItem
) -> None:
    """A request with an entry that only a response can have is refused, and not executed."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.store(pattern(600, 7)), ((),))

    odd = client.send(call.spoiled(call.draft.with_item(0, xmdmi_where=where)))

    faults.refused(client, odd.message, breaks=RESULT_AS_ITEM)


@requirement(RESULT_AS_ITEM, needs=NEEDS, interpretations=("D-106",))
def test_server_refuses_a_result_beside_a_whole_stream(connect_two: Callable[..., Peer]) -> None:
    """The same where the Payload stream has all that is needed to execute the request."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.store(pattern(600, 7)))
    (item,) = call.request.layer.arguments(call.unreduced)

    entry = MessageItem(item.position, item.length, TooShort())
    odd = client.send(call.spoiled(call.draft.with_items((entry,))))

    faults.refused(client, odd.message, breaks=RESULT_AS_ITEM)


@requirement(RESULT_AS_DIRECTION, needs=NEEDS, interpretations=("D-106",))
@pytest.mark.parametrize("kind", [PlacementType.XMDTYPE_TOOSHORT, PlacementType.XMDTYPE_NOITEM, 9])
def test_server_cannot_decode_a_result_as_direction(
    connect_two: Callable[..., Peer], kind: int
) -> None:
    """A type that no direction can have makes a header that cannot be decoded."""
    client = GroupClient.of(connect_two)
    room = to_memory(client.peer, 2000)
    call = grouped(client.peer, client.peer.workload.fetch(600), directions=(room,))

    odd = mutate.word(call.message, TYPE_OF_DIRECTION, kind, "xmddp_type")
    client.send_all(odd)

    faults.bad_header(client, odd, breaks=RESULT_AS_DIRECTION)
