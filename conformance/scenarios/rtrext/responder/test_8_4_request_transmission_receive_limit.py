"""rtrext section 8.4, Request Transmission Receive Limit Property."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

TAKEN: Final = "rtrext.8.4.requests-up-to-the-limit-are-taken"


@requirement(TAKEN, needs=NEEDS, interpretations=("D-98",))
def test_server_takes_as_many_transmissions_as_it_tells(
    connect_two: Callable[..., Peer],
) -> None:
    """A request of just as many transmissions as the server has told is executed."""
    client = GroupClient.of(connect_two)
    count = client.announced.request_limit

    request = client.peer.workload.long_call(4 * count)
    sizes = (*(4,) * (count - 1), None)
    call = client.send(grouped(client.peer, request, sizes=sizes))

    answers.served(client, call, breaks=TAKEN)


@requirement(TAKEN, needs=NEEDS, interpretations=("D-98", "D-106"))
def test_server_refuses_more_transmissions_than_it_takes(connect_two: Callable[..., Peer]) -> None:
    """A request of one transmission more than the server has told is not executed."""
    client = GroupClient.of(connect_two)
    count = client.announced.request_limit

    request = client.peer.workload.long_call(4 * count)
    sizes = (*(4,) * count, None)
    call = client.send(grouped(client.peer, request, sizes=sizes, beyond_limits=True))

    faults.refused(client, call.message, breaks=TAKEN)
    faults.continuations_reported(client, breaks=TAKEN)


@requirement(TAKEN, needs=NEEDS, interpretations=("D-98", "D-106"))
def test_server_refuses_a_request_of_no_transmission(connect_two: Callable[..., Peer]) -> None:
    """A request that tells that it has no transmission is not executed."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.small())

    odd = client.send(call.spoiled(call.draft.with_contents(0, optxrq_count=0)))

    faults.refused(client, odd.message, breaks=TAKEN)
