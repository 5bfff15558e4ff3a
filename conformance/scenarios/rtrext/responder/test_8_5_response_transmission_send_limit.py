"""rtrext section 8.5, Response Transmission Send Limit Property."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.options import verify as verify_options
from conformance.options.client import OptionClient
from rpcrdma.wire.operations import ReqProp
from rpcrdma.wire.properties import ResponseTransmissionSendLimit, property_values
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

DONE: Final = "xcharext.4.3.done-is-done"
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


@requirement(DONE, needs=(*NEEDS, "reqprop"), interpretations=("D-98",))
def test_server_keeps_to_a_limit_that_it_says_it_has_lowered(
    connect_two: Callable[..., Peer],
) -> None:
    """Asked for responses of one transmission alone, the server says no, or makes no longer one."""
    client = GroupClient.of(connect_two)
    longest = client.peer.told.layout.length
    if client.announced.response_limit == 1:
        raise Unsupported("the server makes no longer responses anyhow")
    wanted = property_values(ResponseTransmissionSendLimit(1), known=client.peer.device.properties)
    asking = OptionClient(client.peer, connect_two)

    found = verify_options.answered(asking, asking.send(ReqProp(wanted)))
    request = client.peer.workload.long_reply(2 * longest)
    call = client.send(grouped(client.peer, request))

    if found.done:
        faults.no_response(client, call, breaks=DONE)
    else:
        answers.served(client, call, breaks=LIMIT)
