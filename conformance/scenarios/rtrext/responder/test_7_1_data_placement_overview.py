"""rtrext section 7.1, Data Placement Overview: directions and the whole response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import (
    grouped,
    to_memory,
    to_sends,
)
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    InTargetedSegments,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

ONE_BY_ONE: Final = "rtrext.7.4.one-direction-for-one-item"
WHOLE_RESPONSE: Final = "rtrext.7.1.directions-apply-to-the-whole-response"


def _kinds(reply: answers.GroupReply) -> list[type[object]]:
    return [type(entry.xmdmi_where) for entry in reply.entries]


@requirement(WHOLE_RESPONSE, needs=NEEDS, means={ONE_BY_ONE: WHOLE_RESPONSE})
@pytest.mark.parametrize("kind", ["memory", "sends"])
def test_server_directs_results_of_later_transmissions(
    connect_two: Callable[..., Peer], kind: str
) -> None:
    """A result whose place is in a later transmission of the response goes by its direction."""
    client = GroupClient.of(connect_two)
    direction = to_memory(client.peer, 3000) if kind == "memory" else to_sends()

    request = client.peer.workload.long_fetch(9000, 2000)
    call = client.send(grouped(client.peer, request, directions=(direction,)))

    reply = answers.served(client, call, breaks=WHOLE_RESPONSE)
    placed = ByExplicitRdma if kind == "memory" else InTargetedSegments
    verify.equal(_kinds(reply), [placed], "how the result came", breaks=WHOLE_RESPONSE)
