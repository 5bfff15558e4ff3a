"""rtrext section 2, Extension Overview: a server that has the extension, and Version One."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.client import NEEDS
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

ONE: Final = "rtrext.2.version-one-peers-are-served"


@requirement(ONE, needs=NEEDS)
def test_server_serves_a_client_of_version_one(peer: Peer) -> None:
    """On a connection of Version One long messages and chunks are served as ever."""
    workload = peer.workload
    calls = (
        build.small_call(peer),
        build.long_call(peer, workload.long_call(6000)),
        build.long_reply(peer, workload.long_reply(6000)),
        build.with_read_chunks(peer, workload.store(pattern(3000, 7))),
        build.with_write_chunks(peer, workload.fetch(3000)),
        build.with_read_chunks(peer, workload.store(pattern(3000, 7)), reply=(1000,)),
    )

    for call in calls:
        peer.send(call)
        verify.served(peer, call, breaks=ONE)

    verify.equal(peer.options, [], "what came of Version Two", breaks=ONE)
