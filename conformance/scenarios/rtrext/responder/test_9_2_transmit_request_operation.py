"""rtrext section 9.2, Transmit Request Operation: counts and payload of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.oracle.outcome import Silent
from conformance.verify import accepted
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

NO_DIRECTIONS: Final = "rtrext.9.2.no-directions-may-be-given"
WHOLE: Final = "rtrext.9.2.request-is-whole-with-its-count"
CROSSES: Final = "rtrext.9.2.payload-of-xmtreq-crosses-segments"


@requirement(NO_DIRECTIONS, needs=NEEDS, interpretations=("D-113", "D-116"))
@pytest.mark.parametrize("length", [100, 3000, 9000])
def test_server_answers_a_request_without_directions(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """The result of a request without directions stays in the Payload stream."""
    client = GroupClient.of(connect_two)

    call = client.send(grouped(client.peer, client.peer.workload.fetch(length)))

    answers.served(client, call, breaks=NO_DIRECTIONS)


@requirement(WHOLE, needs=NEEDS, interpretations=("D-98", "D-119"))
@pytest.mark.parametrize("there", [1, 2])
def test_server_waits_for_the_count_of_a_request(
    connect_two: Callable[..., Peer], there: int
) -> None:
    """A request is executed when its last transmission has come, though the others have it all."""
    client = GroupClient.of(connect_two)
    request = client.peer.workload.store(pattern(300, 7))
    call = grouped(client.peer, request, sizes=(None, 0, 0) if there == 1 else (8, None, 0))
    begun = call.spoiled(call.draft.in_order(*range(there)))
    rest = call.draft.in_order(*range(there, 3)).messages

    client.send(begun)
    accepted.note(client.peer, begun.message, (Silent,), breaks=(WHOLE,))
    verify.silent(client.peer, breaks=WHOLE)
    client.send_all(*rest)

    answers.served(client, call, breaks=WHOLE)


@requirement(CROSSES, needs=NEEDS, interpretations=("D-118",))
def test_server_takes_payload_that_crosses_segments(connect_two: Callable[..., Peer]) -> None:
    """Payload of an XMTREQ that goes on from one segment of the buffer into all others is taken."""
    client = GroupClient.of(connect_two)
    longest = client.announced.layout.length

    request = client.peer.workload.long_call(longest - 200)
    call = client.send(grouped(client.peer, request, sizes=(None,)))

    answers.served(client, call, breaks=CROSSES)
