"""rtrext section 4.2, Message Continuation Changes: messages in several transmissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped, to_sends
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import BadPayloadLength

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

CUT: Final = "rtrext.4.2.message-may-be-cut-anywhere"
WHOLE_MESSAGE: Final = "rtrext.4.2.placement-applies-to-the-whole-message"
IN_ORDER: Final = "rtrext.4.2.group-is-received-in-order"
NOTHING_BETWEEN: Final = "rtrext.4.2.nothing-in-between"
TEXT: Final = 1000
"""Octets of an argument that is not eligible."""

_MOST: Final = 4096
"""No Send of these cases has more octets."""


@requirement(CUT, needs=NEEDS)
@pytest.mark.parametrize("first", [0, 4, 8, 36, 40, 44, 48, 1000, 1040])
def test_server_joins_a_request_wherever_it_is_cut(
    connect_two: Callable[..., Peer], first: int
) -> None:
    """A request in two transmissions, cut at any unit of its Payload stream, is executed."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_call(TEXT)
    call = client.send(grouped(client.peer, request, sizes=(first, None)))

    answers.served(client, call, breaks=CUT)


@requirement(CUT, needs=NEEDS)
@pytest.mark.parametrize("count", [3, 5, 16])
def test_server_joins_a_request_of_many_transmissions(
    connect_two: Callable[..., Peer], count: int
) -> None:
    """A request in many short transmissions is executed."""
    client = GroupClient.of(connect_two)
    parts = min(count, client.announced.request_limit)

    request = client.peer.workload.long_call(TEXT)
    call = client.send(grouped(client.peer, request, sizes=(*(16,) * (parts - 1), None)))

    answers.served(client, call, breaks=CUT)


@requirement(CUT, needs=NEEDS, interpretations=("D-121",))
@pytest.mark.parametrize("first", [2, 41, 51])
def test_server_takes_or_reports_an_unaligned_cut(
    connect_two: Callable[..., Peer], first: int
) -> None:
    """A request that is cut within an XDR unit is executed, or its part reported as unaligned."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_call(TEXT)
    call = client.send(grouped(client.peer, request, sizes=(first, None)))

    faults.served_or_reported(client, call, BadPayloadLength(first, 0, _MOST), breaks=CUT)


@requirement(WHOLE_MESSAGE, needs=NEEDS)
def test_server_finds_bulk_data_in_later_transmissions(connect_two: Callable[..., Peer]) -> None:
    """An item in target segments of the second and third transmission is found there."""
    client = GroupClient.of(connect_two)
    data = pattern(4000, 7)
    where = client.place(len(data), send=1)

    sizes = (None, *(0,) * client.last_send(where))
    call = client.send(
        grouped(client.peer, client.peer.workload.store(data), (where,), sizes=sizes)
    )

    answers.served(client, call, breaks=WHOLE_MESSAGE)


@requirement(WHOLE_MESSAGE, needs=NEEDS)
def test_server_fetches_an_item_that_belongs_to_a_later_part(
    connect_two: Callable[..., Peer],
) -> None:
    """An item by explicit RDMA whose place is in the part of a later transmission is put there."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_store(TEXT, pattern(3000, 7))
    call = client.send(grouped(client.peer, request, ((),), sizes=(100, 200, None)))

    answers.served(client, call, breaks=WHOLE_MESSAGE)


@requirement(IN_ORDER, needs=NEEDS)
@pytest.mark.parametrize("length", [6000, 14000, 40000])
def test_server_sends_a_long_response_in_order(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """The transmissions of a long response come in the order of their numbers."""
    client = GroupClient.of(connect_two)

    call = client.send(grouped(client.peer, client.peer.workload.long_reply(length)))

    answers.served(client, call, breaks=IN_ORDER)


@requirement(IN_ORDER, needs=NEEDS)
def test_server_sends_bulk_data_in_order(connect_two: Callable[..., Peer]) -> None:
    """The transmissions of a response whose bulk data need several come in order."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(9000)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=IN_ORDER)


@requirement(NOTHING_BETWEEN, needs=NEEDS)
def test_server_keeps_responses_apart(connect_two: Callable[..., Peer]) -> None:
    """Several long responses at once, and a short one, do not get into each other."""
    client = GroupClient.of(connect_two)
    peer = client.peer
    verify.granted.require(peer, 2)
    together = min(peer.granted, 4)
    calls = [grouped(peer, peer.workload.long_reply(9000)) for _ in range(together)]

    for call in calls:
        client.send(call)

    answers.each_served(client, calls, breaks=NOTHING_BETWEEN)
    verify.that(
        peer.connected,
        "the connection stands",
        actual="the connection ended",
        breaks=NOTHING_BETWEEN,
    )
