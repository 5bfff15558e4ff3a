"""rtrext section 8.5, Response Transmission Send Limit Property."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

LIMIT: Final = "rtrext.8.5.no-response-beyond-the-limit"


@requirement(LIMIT, needs=NEEDS, interpretations=("D-98",))
def test_server_sends_no_response_beyond_its_limit(connect_two: Callable[..., Peer]) -> None:
    """A reply that needs more transmissions than the server has told is not sent in more."""
    client = GroupClient.of(connect_two)
    longest = client.peer.told.layout.length
    count = client.announced.response_limit

    request = client.peer.workload.long_reply((count + 2) * longest)
    call = client.send(grouped(client.peer, request, reserve=2 * count + 8, beyond_limits=True))

    faults.no_response(client, call, breaks=LIMIT)


@requirement(LIMIT, needs=NEEDS, interpretations=("D-98",))
def test_server_sends_a_response_up_to_its_limit(connect_two: Callable[..., Peer]) -> None:
    """A reply that needs as many transmissions as the server has told is sent in these."""
    client = GroupClient.of(connect_two)
    longest = client.peer.told.layout.length
    count = client.announced.response_limit

    request = client.peer.workload.long_reply(count * (longest - 128))
    call = client.send(grouped(client.peer, request, reserve=2 * count + 8, beyond_limits=True))

    answers.served(client, call, breaks=LIMIT)
