"""rtrext section 9.3, Transmit Response Operation: counts and payload of responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped, to_memory, to_sends

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

COUNT: Final = "rtrext.9.3.count-of-a-response"
BEGINS: Final = "rtrext.9.3.payload-begins-after-xmtresp"


@requirement(COUNT, BEGINS, needs=NEEDS, interpretations=("D-60", "D-98"))
@pytest.mark.parametrize("length", [100, 5000, 20000])
def test_server_tells_how_many_transmissions_a_response_has(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A response has as many transmissions as it tells, and nothing follows the last one."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_fetch(length, 500)
    direction = to_memory(client.peer, 500)
    call = client.send(grouped(client.peer, request, directions=(direction,)))

    answers.served(client, call, breaks=BEGINS)
    client.nothing_more(COUNT)


@requirement(COUNT, needs=NEEDS, interpretations=("D-98",))
@pytest.mark.parametrize("length", [100, 9000])
def test_server_tells_how_many_transmissions_bulk_data_take(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """The count of a response includes transmissions that have nothing but bulk data."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=COUNT)
    client.nothing_more(COUNT)
