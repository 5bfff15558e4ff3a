"""rtrext section 7.4, Response Direction DDP Structures: results by the Requester's directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import (
    WHOLE,
    by_choice,
    by_size,
    grouped,
    to_memory,
    to_sends,
)
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    InTargetedSegments,
    NoItem,
    ResponseRange,
    TooShort,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import Directed
    from conformance.tester.client.peer import Peer

TO_MEMORY: Final = "rtrext.7.4.exrw-direction-is-written-to"
EVERY: Final = "rtrext.7.4.every-direction-is-answered"
ANSWERS_EXRW: Final = "rtrext.7.4.answers-to-exrw"
ANSWERS_TBSN: Final = "rtrext.7.4.answers-to-tbsn"
RANGE: Final = "rtrext.7.4.directions-hold-within-their-range"
ONE_BY_ONE: Final = "rtrext.7.4.one-direction-for-one-item"
INLINE: Final = "rtrext.7.4.small-items-stay-inline"
USED_UP: Final = "rtrext.7.4.small-item-uses-its-direction-up"
UNTOUCHED: Final = "rtrext.7.4.memory-of-a-small-item-is-left-alone"
ORDER: Final = "rtrext.7.4.answers-are-in-the-order-of-directions"
DISJOINT: Final = "rtrext.7.4.ranges-are-disjoint"
ASCEND: Final = "rtrext.7.4.ranges-ascend"
TOOSHORT: Final = "rtrext.6.2.tooshort-is-an-item-left-inline"
NOITEM: Final = "rtrext.6.2.noitem-is-a-direction-left-over"
TYPES: Final = "rtrext.6.2.types-of-items-in-responses"
TYPE_CODES: Final = "rtrext.6.2.codes-of-the-types"
HELD: Final = 0x53
"""Token of the request that the device holds."""

BEYOND: Final = ResponseRange(4, 2**32 - 1)
"""A range in which no operation of a Call begins that is one operation (D-115)."""


def _fetched(
    client: GroupClient, length: int, *directions: Directed, breaks: str = EVERY
) -> answers.GroupReply:
    """A result of that length, by these directions."""
    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=directions))
    return answers.served(client, call, breaks=breaks)


def _kinds(reply: answers.GroupReply) -> list[type[object]]:
    return [type(entry.xmdmi_where) for entry in reply.entries]


@requirement(TO_MEMORY, ANSWERS_EXRW, EVERY, needs=NEEDS, interpretations=("D-95",))
@pytest.mark.parametrize("sizes", [(2000,), (500, 500, 1000), (4, 8000)])
def test_server_writes_a_result_into_its_memory(
    connect_two: Callable[..., Peer], sizes: tuple[int, ...]
) -> None:
    """A result that is directed to memory is written there, in the order of the segments."""
    client = GroupClient.of(connect_two)

    reply = _fetched(client, 2000, to_memory(client.peer, *sizes), breaks=TO_MEMORY)

    verify.equal(_kinds(reply), [ByExplicitRdma], "how the result came", breaks=TO_MEMORY)


@requirement(ANSWERS_TBSN, EVERY, needs=NEEDS)
@pytest.mark.parametrize("length", [4, 1500, 7000])
def test_server_places_a_directed_result_in_sends(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A result that is directed into Sends is placed there."""
    client = GroupClient.of(connect_two)

    reply = _fetched(client, length, to_sends())

    verify.equal(_kinds(reply), [InTargetedSegments], "how the result came", breaks=ANSWERS_TBSN)


@requirement(EVERY, needs=NEEDS, interpretations=("D-97",))
@pytest.mark.parametrize("length", [6000, 20000])
def test_server_chooses_memory_where_sends_are_too_few(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A result that is directed by choice fits the memory, and not the one Send that is allowed."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(length)
    direction = by_choice(client.peer, length)
    call = client.send(grouped(client.peer, request, directions=(direction,), reserve=1))

    answers.served(client, call, breaks=EVERY)


@requirement(INLINE, TOOSHORT, UNTOUCHED, TYPE_CODES, needs=NEEDS, interpretations=("D-105",))
@pytest.mark.parametrize("kind", ["memory", "sends", "choice", "size"])
def test_server_leaves_a_small_result_inline(connect_two: Callable[..., Peer], kind: str) -> None:
    """A result that is smaller than its direction asks for stands in the Payload stream."""
    client = GroupClient.of(connect_two)
    directions = {
        "memory": lambda: to_memory(client.peer, 3000, least=100),
        "sends": lambda: to_sends(least=100),
        "choice": lambda: by_choice(client.peer, 3000, least=100),
        "size": lambda: by_size(client.peer, 0, 3000, least=100),
    }

    reply = _fetched(client, 99, directions[kind]())

    verify.equal(_kinds(reply), [TooShort], "what became of the direction", breaks=INLINE)


@requirement(INLINE, needs=NEEDS)
def test_server_places_a_result_of_just_the_smallest_length(
    connect_two: Callable[..., Peer],
) -> None:
    """A result that is as long as its direction asks for is placed."""
    client = GroupClient.of(connect_two)

    reply = _fetched(client, 100, to_memory(client.peer, 3000, least=100))

    verify.equal(_kinds(reply), [ByExplicitRdma], "what became of the direction", breaks=INLINE)


@requirement(USED_UP, UNTOUCHED, needs=NEEDS)
def test_server_uses_up_the_direction_of_a_small_result(connect_two: Callable[..., Peer]) -> None:
    """The result after a small one goes by the next direction, not by the one of the small one."""
    client = GroupClient.of(connect_two)
    directions = to_memory(client.peer, 3000, least=100), to_memory(client.peer, 3000)

    request = client.peer.workload.fetch_two(40, 2000)
    call = client.send(grouped(client.peer, request, directions=directions))

    reply = answers.served(client, call, breaks=USED_UP)
    verify.equal(
        _kinds(reply), [TooShort, ByExplicitRdma], "what became of the directions", breaks=USED_UP
    )


@requirement(NOITEM, EVERY, ORDER, TYPES, needs=NEEDS, interpretations=("D-105",))
def test_server_answers_directions_that_are_left_over(connect_two: Callable[..., Peer]) -> None:
    """Directions for more results than there are come back as unused."""
    client = GroupClient.of(connect_two)
    room = to_memory(client.peer, 3000)

    reply = _fetched(client, 2000, room, to_sends(), by_choice(client.peer, 3000))

    wanted = [ByExplicitRdma, NoItem, NoItem]
    verify.equal(_kinds(reply), wanted, "what became of the directions", breaks=NOITEM)


@requirement(ONE_BY_ONE, ORDER, needs=NEEDS)
@pytest.mark.parametrize("kinds", ["memory-sends", "sends-memory", "sends-sends"])
def test_server_meets_results_and_directions_one_by_one(
    connect_two: Callable[..., Peer], kinds: str
) -> None:
    """Two results use up two directions, each its own."""
    client = GroupClient.of(connect_two)
    directions = tuple(
        to_memory(client.peer, 3000) if kind == "memory" else to_sends()
        for kind in kinds.split("-")
    )

    request = client.peer.workload.fetch_two(1500, 700)
    call = client.send(grouped(client.peer, request, directions=directions))

    answers.served(client, call, breaks=ONE_BY_ONE)


@requirement(ONE_BY_ONE, needs=NEEDS, interpretations=("D-105",))
def test_server_passes_over_a_slot_without_data(connect_two: Callable[..., Peer]) -> None:
    """A result of a union's other arm uses up no direction: the next result does."""
    client = GroupClient.of(connect_two)
    directions = to_memory(client.peer, 3000), to_memory(client.peer, 3000)

    request = client.peer.workload.fetch_second_only(1500)
    call = client.send(grouped(client.peer, request, directions=directions))

    reply = answers.served(client, call, breaks=ONE_BY_ONE)
    verify.equal(
        _kinds(reply), [ByExplicitRdma, NoItem], "what became of the directions", breaks=ONE_BY_ONE
    )


@requirement(ONE_BY_ONE, needs=NEEDS)
def test_server_leaves_a_result_without_a_direction_inline(
    connect_two: Callable[..., Peer],
) -> None:
    """The second result of a request with one direction stays in the Payload stream."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch_two(700, 900)
    direction = to_memory(client.peer, 3000)
    call = client.send(grouped(client.peer, request, directions=(direction,)))

    answers.served(client, call, breaks=ONE_BY_ONE)


@requirement(RANGE, NOITEM, needs=NEEDS, interpretations=("D-115",))
def test_server_heeds_the_range_of_directions(connect_two: Callable[..., Peer]) -> None:
    """A direction for a part of the request in which no operation begins is left over."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(2000)
    ranges = ((BEYOND, (to_memory(client.peer, 3000), to_sends())),)
    call = client.send(grouped(client.peer, request, ranges=ranges))

    reply = answers.served(client, call, breaks=RANGE)
    verify.equal(_kinds(reply), [NoItem, NoItem], "what became of the directions", breaks=RANGE)


@requirement(RANGE, ORDER, needs=NEEDS, interpretations=("D-115",))
def test_server_chooses_the_range_of_an_operation(connect_two: Callable[..., Peer]) -> None:
    """Of two ranges the one in which the operation begins has the directions for its results."""
    client = GroupClient.of(connect_two)
    peer = client.peer

    first, second = to_memory(peer, 3000), to_memory(peer, 3000)
    ranges = ((ResponseRange(0, 4), (first,)), (BEYOND, (second,)))
    call = client.send(grouped(peer, peer.workload.fetch(2000), ranges=ranges))

    reply = answers.served(client, call, breaks=RANGE)
    verify.equal(
        _kinds(reply), [ByExplicitRdma, NoItem], "what became of the directions", breaks=RANGE
    )


@requirement(RANGE, needs=NEEDS, interpretations=("D-115",))
def test_server_bears_an_empty_range(connect_two: Callable[..., Peer]) -> None:
    """A direction of an empty range is left over."""
    client = GroupClient.of(connect_two)
    peer = client.peer

    ranges = ((ResponseRange(0, 0), (to_sends(),)), (WHOLE, (to_memory(peer, 3000),)))
    call = client.send(grouped(peer, peer.workload.fetch(2000), ranges=ranges))

    reply = answers.served(client, call, breaks=RANGE)
    verify.equal(
        _kinds(reply), [NoItem, ByExplicitRdma], "what became of the directions", breaks=RANGE
    )


@requirement(EVERY, NOITEM, needs=NEEDS, interpretations=("D-105",))
@pytest.mark.parametrize("later", [1, 3])
def test_server_answers_a_held_request_by_its_own_directions(
    connect_two: Callable[..., Peer], later: int
) -> None:
    """A request with two directions is held until one with fewer or more has been answered."""
    client = GroupClient.of(connect_two)
    peer = client.peer
    verify.granted.require(peer, 2)

    directions = to_memory(peer, 64), to_sends()
    held = client.send(grouped(peer, peer.workload.hold(HELD), directions=directions))
    more = tuple(to_sends() for _ in range(later))
    release = client.send(grouped(peer, peer.workload.release(HELD), directions=more))

    answers.each_served(client, (held, release), breaks=EVERY)


@requirement(EVERY, needs=NEEDS, interpretations=("D-116",))
def test_server_answers_directions_of_a_request_that_fails(
    connect_two: Callable[..., Peer],
) -> None:
    """Directions of a request with garbage for arguments are answered as left over."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.garbage()
    directions = to_sends(), to_memory(client.peer, 3000)
    call = client.send(grouped(client.peer, request, directions=directions))

    answers.garbage(client, call, breaks=EVERY)


@requirement(EVERY, needs=NEEDS, interpretations=("D-106", "D-115"))
@pytest.mark.parametrize("wrong", ["overlap", "descend", "inverted"])
def test_server_refuses_ranges_that_do_not_ascend(
    connect_two: Callable[..., Peer], wrong: str
) -> None:
    """A request whose ranges overlap or descend is refused, and not executed."""
    client = GroupClient.of(connect_two)
    ranges = {
        "overlap": (ResponseRange(0, 40), ResponseRange(36, 80)),
        "descend": (ResponseRange(40, 80), ResponseRange(0, 40)),
        "inverted": (ResponseRange(0, 40), ResponseRange(80, 44)),
    }[wrong]

    request = client.peer.workload.fetch(500)
    told = tuple((one, (to_sends(),)) for one in ranges)
    call = client.send(grouped(client.peer, request, ranges=told))

    faults.refused(client, call.message, breaks=(DISJOINT, ASCEND))
