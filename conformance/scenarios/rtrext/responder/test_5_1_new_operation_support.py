"""rtrext section 5.1, New Operation Support: operations that a server tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped, to_memory
from conformance.oracle.announced import Announced
from conformance.oracle.outcome import ErrChunk
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import (
    RTRS_XREQ,
    RTRS_XRESP,
    BadContinuation,
    TransmissionId,
)
from rpcrdma.wire.operations import (
    ROPT_XMTREQ,
    ROPT_XMTRESP,
    RTREXT,
    XmtCont,
    XmtResp,
    operations_of,
)
from rpcrdma.wire.rpc import MessageType
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

NO_FEATURES: Final = "rtrext.5.1.headers-without-the-features"
UNDERSTOOD: Final = "rtrext.5.1.told-operations-are-understood"
BADCONT: Final = "rtrext.9.5.badcont"
TOLD_OF: Final = [one.code for one in operations_of(RTREXT) if one.support_bit]
"""The operations that RTR Support has a bit for."""

HEADERS_ALONE: Final = Announced(RTRS_XREQ | RTRS_XRESP, None, 4096)
"""A Requester that takes responses of one transmission, and no bulk data in it."""


@requirement(NO_FEATURES, needs=NEEDS, interpretations=("D-63",))
@pytest.mark.parametrize("length", [400, 3000])
def test_server_takes_requests_without_continuation(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """A request of one transmission is served for a Requester that has nothing but its header."""
    client = GroupClient.of(connect_two, HEADERS_ALONE)
    peer = client.peer

    fetch = grouped(
        peer, peer.workload.fetch(length), directions=(to_memory(peer, 4000),), reserve=1
    )
    store = grouped(peer, peer.workload.store(pattern(length, 7)), ((),), reserve=0)
    for call in (fetch, store):
        client.send(call)
        answers.served(client, call, breaks=NO_FEATURES)


@requirement(UNDERSTOOD, needs=("xmtreq",), interpretations=("D-107",))
@pytest.mark.parametrize("operation", TOLD_OF)
def test_server_understands_the_operations_that_it_tells_of(
    connect_two: Callable[..., Peer], operation: int
) -> None:
    """An operation whose bit of RTR Support is set is not refused as one that nobody knows."""
    client = GroupClient.of(connect_two)
    peer = client.peer
    if not client.announced.takes(operation):
        raise Unsupported(f"the device does not tell of operation {operation}")

    if operation == ROPT_XMTREQ:
        call = client.send(grouped(peer, peer.workload.small()))
        answers.served(client, call, breaks=UNDERSTOOD)
    elif operation == ROPT_XMTRESP:
        odd = build.option(peer, XmtResp((), 1, 0), direction=MessageType.REPLY)
        client.send_all(odd)
        verify.discarded(peer, odd, tolerated=(ErrChunk,), breaks=UNDERSTOOD)
    else:
        odd = build.option(peer, XmtCont(1, ROPT_XMTREQ, 0))
        client.send_all(odd)
        bad = (TransmissionId(odd.xid, MessageType.CALL, 1),)
        faults.reported(
            client, odd, BadContinuation(), bad=bad, breaks=BADCONT, unreported=UNDERSTOOD
        )
