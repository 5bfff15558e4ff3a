"""rtrext section 5.3, Send-based DDP Support: sending and receiving apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, NO_TARGETS, GroupClient
from conformance.groups.request import SENDS, by_choice, grouped
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

SEPARATE: Final = "rtrext.5.3.sending-and-receiving-are-separate"


@requirement(SEPARATE, needs=NEEDS, interpretations=("D-107",))
@pytest.mark.parametrize("length", [300, 3000])
def test_server_takes_bulk_data_of_one_who_takes_none(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A Requester that takes no bulk data in Sends can send them, and gets its own otherwise."""
    client = GroupClient.of(connect_two, NO_TARGETS)
    peer = client.peer
    client.place(1)

    store = grouped(peer, peer.workload.store(pattern(length, 7)), (SENDS,))
    fetch = grouped(peer, peer.workload.fetch(length), directions=(by_choice(peer, 4000),))
    for call in (store, fetch):
        client.send(call)
        answers.served(client, call, breaks=SEPARATE)
