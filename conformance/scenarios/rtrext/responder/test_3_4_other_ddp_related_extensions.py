"""rtrext section 3.4, Other DDP-Related Extensions: directions without send-based placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, NO_TARGETS, GroupClient
from conformance.groups.request import (
    by_choice,
    grouped,
)
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    TooShort,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import Directed
    from conformance.tester.client.peer import Peer

EVERY: Final = "rtrext.7.4.every-direction-is-answered"
FACILITIES: Final = "rtrext.3.4.facilities-without-send-based-placement"


def _fetched(
    client: GroupClient, length: int, *directions: Directed, breaks: str = EVERY
) -> answers.GroupReply:
    """A result of that length, by these directions."""
    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=directions))
    return answers.served(client, call, breaks=breaks)


def _kinds(reply: answers.GroupReply) -> list[type[object]]:
    return [type(entry.xmdmi_where) for entry in reply.entries]


@requirement(FACILITIES, EVERY, needs=NEEDS)
@pytest.mark.parametrize("length", [40, 2000])
def test_server_bears_directions_of_one_without_targets(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A smallest length and a choice are heeded although bulk data cannot go by Sends."""
    client = GroupClient.of(connect_two, NO_TARGETS)

    reply = _fetched(client, length, by_choice(client.peer, 3000, least=100), breaks=FACILITIES)

    wanted = ByExplicitRdma if length >= 100 else TooShort
    verify.equal(_kinds(reply), [wanted], f"how {length} octets came", breaks=FACILITIES)
