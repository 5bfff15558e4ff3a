"""xcharext section 3.3, Backward Request Support: whom a server calls back, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.tester.client.message import option
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import BackwardRequestSupport, BackwardSupport, property_values

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

SILENT = "xcharext.3.3.none-keeps-the-server-silent"
NO_CHUNKS = "xcharext.3.3.inline-keeps-chunks-away"

NONE = (BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE),)
INLINE = (BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),)


def _client(peer: Peer, values: tuple[BackwardRequestSupport, ...]) -> BackwardClient:
    """A client that takes backward Calls, and has told these properties."""
    client = BackwardClient.of(peer)
    peer.send(option(peer, ConnProp(property_values(*values), ())))
    client.serve(peer.workload.small())
    client.announce()
    return client


@requirement(SILENT, needs=("operations", "backward"), interpretations=("D-75",))
@pytest.mark.parametrize("length", [0, 100])
def test_server_does_not_call_a_client_without_support(peer_two: Peer, length: int) -> None:
    """A client that says NONE gets no backward Call, though its program asks for one."""
    client = _client(peer_two, NONE)

    client.provoke(1, length)

    client.no_call("the client takes no backward Calls", breaks=(SILENT,))
    client.serve(peer_two.workload.small())


@requirement(
    NO_CHUNKS,
    needs=("operations", "backward"),
    interpretations=("D-75", "D-131"),
    means={"v2.4.2.2.backward-messages-without-chunks": NO_CHUNKS},
)
@pytest.mark.parametrize("values", [INLINE, ()], ids=["inline", "nothing"])
@pytest.mark.parametrize("length", [100, 3000, 6000])
def test_server_uses_no_chunks_towards_an_inline_client(
    peer_two: Peer, values: tuple[BackwardRequestSupport, ...], length: int
) -> None:
    """Towards a client of INLINE a backward Call has no chunks, or is not made at all."""
    client = _client(peer_two, values)

    client.provoke(1, length)
    client.provoke(1)

    called = client.next_call(breaks=(NO_CHUNKS,))
    lists = (called.body.rdma_reads, called.body.rdma_writes, called.body.rdma_reply)
    verify.equal(lists, ((), (), None), "the chunk lists of the Call", breaks=(NO_CHUNKS,))
