"""rtrext section 5.2, Message Continuation Support: which responses have several transmissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

ONLY_XMTREQ: Final = "rtrext.5.2.groups-answer-xmtreq"
RESERVE: Final = "rtrext.5.2.response-stays-within-the-reserve"


def _own_messages(client: GroupClient, breaks: str) -> None:
    """Calls of Version Two's own, in every form, are answered in kind."""
    peer, workload = client.peer, client.peer.workload
    calls = (
        build.small_call(peer),
        build.long_call(peer, workload.long_call(9000)),
        build.long_reply(peer, workload.long_reply(9000)),
        build.with_read_chunks(peer, workload.store(pattern(5000, 7))),
        build.with_write_chunks(peer, workload.fetch(5000)),
        build.short(peer, workload.fetch(1000)),
    )
    for call in calls:
        peer.send(call)
        verify.served(peer, call, breaks=breaks)


@requirement(ONLY_XMTREQ, needs=NEEDS, interpretations=("D-116",))
def test_server_answers_calls_of_version_two_in_kind(connect_two: Callable[..., Peer]) -> None:
    """A client that has the extension gets none of it where its Call does not use it."""
    client = GroupClient.of(connect_two)

    _own_messages(client, ONLY_XMTREQ)


@requirement(RESERVE, needs=NEEDS, interpretations=("D-97",))
@pytest.mark.parametrize("reserve", [0, 1, 2, 3])
def test_server_keeps_to_the_reserve(connect_two: Callable[..., Peer], reserve: int) -> None:
    """A reply that needs more transmissions than are reserved is not sent in more of them."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_reply(20000)
    call = client.send(grouped(client.peer, request, reserve=reserve))

    faults.no_response(client, call, breaks=RESERVE)


@requirement(RESERVE, needs=NEEDS, interpretations=("D-97",))
@pytest.mark.parametrize("reserve", [2, 3, 6])
def test_server_uses_just_the_reserve(connect_two: Callable[..., Peer], reserve: int) -> None:
    """A reply that needs as many transmissions as are reserved is sent in these."""
    client = GroupClient.of(connect_two)
    longest = client.peer.told.layout.length

    request = client.peer.workload.long_reply(reserve * (longest - 128))
    call = client.send(grouped(client.peer, request, reserve=reserve))

    answers.served(client, call, breaks=RESERVE)
