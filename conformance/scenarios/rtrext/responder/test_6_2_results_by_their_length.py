"""rtrext section 6.2, Data Placement Preliminaries: results that are directed by their length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import (
    by_size,
    grouped,
)
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    InTargetedSegments,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import Directed
    from conformance.tester.client.peer import Peer

EVERY: Final = "rtrext.7.4.every-direction-is-answered"
BYSIZE: Final = "rtrext.6.2.bysize-goes-by-the-length"


def _fetched(
    client: GroupClient, length: int, *directions: Directed, breaks: str = EVERY
) -> answers.GroupReply:
    """A result of that length, by these directions."""
    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=directions))
    return answers.served(client, call, breaks=breaks)


def _kinds(reply: answers.GroupReply) -> list[type[object]]:
    return [type(entry.xmdmi_where) for entry in reply.entries]


@requirement(BYSIZE, needs=NEEDS, interpretations=("D-104",))
@pytest.mark.parametrize("length", [4, 999, 1001, 3000])
def test_server_goes_by_the_length_of_a_result(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A result beyond the limit of its direction goes by explicit RDMA, a shorter one by Sends."""
    client = GroupClient.of(connect_two)

    reply = _fetched(client, length, by_size(client.peer, 1000, 3000))

    wanted = ByExplicitRdma if length > 1000 else InTargetedSegments
    verify.equal(_kinds(reply), [wanted], f"how {length} octets came", breaks=BYSIZE)


@requirement(EVERY, BYSIZE, needs=NEEDS, interpretations=("D-104",))
def test_server_chooses_for_a_result_of_just_the_limit(connect_two: Callable[..., Peer]) -> None:
    """A result that is as long as the limit of its direction may go either way."""
    client = GroupClient.of(connect_two)

    _fetched(client, 1000, by_size(client.peer, 1000, 3000))
