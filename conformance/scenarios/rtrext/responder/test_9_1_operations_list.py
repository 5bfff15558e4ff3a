"""rtrext section 9.1, Operations List: codes, contents, and payload of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped, to_sends
from rpcrdma.wire.operations import XmtReq, operation_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

XMTRESP: Final = "rtrext.9.1.code-of-xmtresp"
XMTCONT: Final = "rtrext.9.1.code-of-xmtcont"
CONTENTS: Final = "rtrext.9.1.structure-overlays-the-information"
HAS_PAYLOAD: Final = "rtrext.9.1.first-transmission-has-payload"
PSLEN: Final = "rtrext.9.1.pslen-of-a-first-transmission"


@requirement(XMTRESP, PSLEN, HAS_PAYLOAD, needs=NEEDS, interpretations=("D-90", "D-99"))
@pytest.mark.parametrize("length", [100, 3000])
def test_server_answers_directions_by_an_xmtresp(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A response to directions is an operation 6, with its payload in the first transmission."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=XMTRESP)


@requirement(XMTCONT, needs=NEEDS, interpretations=("D-90",))
def test_server_continues_a_response_by_xmtconts(connect_two: Callable[..., Peer]) -> None:
    """A long response is continued by operations 7."""
    client = GroupClient.of(connect_two)

    call = client.send(grouped(client.peer, client.peer.workload.long_reply(9000)))

    answers.served(client, call, breaks=XMTCONT)


@requirement(CONTENTS, needs=NEEDS, interpretations=("D-60", "D-94", "D-96"))
@pytest.mark.parametrize("octets", [4, 20])
def test_server_takes_contents_that_go_on_for_none(
    connect_two: Callable[..., Peer], octets: int
) -> None:
    """An XMTREQ whose contents are longer than their type is a header that cannot be decoded."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.small())
    contents = call.draft.sends[0].contents
    assert isinstance(contents, XmtReq)
    longer = operation_of(contents).encode(contents) + bytes(octets)

    odd = client.send(call.spoiled(call.draft.with_send(0, contents=longer)))

    faults.bad_header(client, odd.message, breaks=CONTENTS)


@requirement(CONTENTS, needs=NEEDS, interpretations=("D-60",))
def test_server_sends_contents_of_their_type(connect_two: Callable[..., Peer]) -> None:
    """The contents of a response and of its continuations are their structures, nothing else."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.long_fetch(6000, 3000)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=CONTENTS)
