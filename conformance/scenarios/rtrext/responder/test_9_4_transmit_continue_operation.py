"""rtrext section 9.4, Transmit Continue Operation: what continues requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped, to_sends
from rpcrdma.ulp.pattern import pattern
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

BEGINNING: Final = "rtrext.9.4.continuations-follow-a-beginning"
XID: Final = "rtrext.9.4.continuation-has-the-xid"
NEEDED: Final = "rtrext.9.4.continuation-needs-the-operation"
ITYPE: Final = "rtrext.9.4.itype-is-the-first-operation"
NUMBER: Final = "rtrext.9.4.number-of-a-continuation"
PSLEN: Final = "rtrext.9.4.pslen-of-a-continuation"
NO_PAYLOAD: Final = "rtrext.9.4.continuation-without-payload"
BEGINS: Final = "rtrext.9.4.payload-begins-after-xmtcont"
CROSSES: Final = "rtrext.9.4.payload-of-xmtcont-crosses-segments"
PARTS: Final = "rtrext.9.4.parts-are-the-payload-stream"


@requirement(
    BEGINNING, XID, ITYPE, NUMBER, PSLEN, BEGINS, PARTS, needs=NEEDS, interpretations=("D-100",)
)
@pytest.mark.parametrize("length", [6000, 14000])
def test_server_continues_a_response(connect_two: Callable[..., Peer], length: int) -> None:
    """XID, number, length and payload of the continuations of a response are those of its group."""
    client = GroupClient.of(connect_two)

    call = client.send(grouped(client.peer, client.peer.workload.long_reply(length)))

    answers.served(client, call, breaks=(PARTS, BEGINS))
    client.nothing_more(BEGINNING)


@requirement(PARTS, PSLEN, needs=NEEDS)
def test_server_continues_a_response_with_bulk_data(connect_two: Callable[..., Peer]) -> None:
    """Payload and bulk data in the same continuations do not get into each other."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_fetch(7000, 5000)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=PARTS)


@requirement(NEEDED, needs=("xmtreq",), interpretations=("D-107",))
def test_server_takes_the_continuations_that_it_asks_for(
    connect_two: Callable[..., Peer],
) -> None:
    """A server that tells a limit of several transmissions takes a request of two."""
    client = GroupClient.of(connect_two)
    if client.announced.request_limit < 2:
        raise Unsupported("the device takes requests of one transmission only")

    request = client.peer.workload.long_call(300)
    call = client.send(grouped(client.peer, request, sizes=(100, None)))

    answers.served(client, call, breaks=NEEDED)


@requirement(NO_PAYLOAD, needs=NEEDS)
@pytest.mark.parametrize("sizes", [(None, 0), (0, None), (40, 0, None), (40, 0, 0, None, 0)])
def test_server_takes_continuations_without_payload(
    connect_two: Callable[..., Peer], sizes: tuple[int | None, ...]
) -> None:
    """Transmissions that have nothing of the Payload stream are taken wherever they come."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.store(pattern(500, 7))
    call = client.send(grouped(client.peer, request, sizes=sizes))

    answers.served(client, call, breaks=NO_PAYLOAD)


@requirement(CROSSES, needs=NEEDS, interpretations=("D-118",))
def test_server_takes_a_continuation_that_crosses_segments(
    connect_two: Callable[..., Peer],
) -> None:
    """Payload of a continuation that goes on through all segments of the buffer is taken."""
    client = GroupClient.of(connect_two)
    longest = client.announced.layout.length

    request = client.peer.workload.long_call(longest - 128)
    call = client.send(grouped(client.peer, request, sizes=(60, None)))

    answers.served(client, call, breaks=CROSSES)
