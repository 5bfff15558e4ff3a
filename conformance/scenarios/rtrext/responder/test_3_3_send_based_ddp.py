"""rtrext section 3.3, Send-based DDP: what may leave the Payload stream."""

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
    NoItem,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

NOITEM: Final = "rtrext.6.2.noitem-is-a-direction-left-over"
ELIGIBLE: Final = "rtrext.3.3.only-eligible-items-leave-the-stream"


def _kinds(reply: answers.GroupReply) -> list[type[object]]:
    return [type(entry.xmdmi_where) for entry in reply.entries]


@requirement(NOITEM, ELIGIBLE, needs=NEEDS, interpretations=("D-105",))
@pytest.mark.parametrize("length", [400, 6000])
def test_server_leaves_what_is_not_eligible_in_the_stream(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A long result that is not eligible stays in the Payload stream, whatever is directed."""
    client = GroupClient.of(connect_two)
    directions = to_memory(client.peer, 8000), to_sends()

    request = client.peer.workload.long_reply(length)
    call = client.send(grouped(client.peer, request, directions=directions))

    reply = answers.served(client, call, breaks=ELIGIBLE)
    verify.equal(_kinds(reply), [NoItem, NoItem], "what became of the directions", breaks=NOITEM)
