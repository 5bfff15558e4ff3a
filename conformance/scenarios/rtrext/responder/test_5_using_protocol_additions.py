"""rtrext section 5, Using Protocol Additions: Requesters that have less of the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups.client import NEEDS, GroupClient
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

WITHOUT: Final = "rtrext.5.peers-without-the-extension-are-served"


def _own_messages(client: GroupClient, breaks: str) -> None:
    """Calls of Version Two's own, in every form, are answered in kind."""
    peer, workload = client.peer, client.peer.workload
    calls = (
        build.small_call(peer),
        build.long_call(peer, workload.long_call(9000)),
        build.long_reply(peer, workload.long_reply(9000)),
        build.with_read_chunks(peer, workload.store(pattern(5000, 7))),
        build.with_write_chunks(peer, workload.fetch(5000)),
        build.short(peer, workload.fetch(1000)),
    )
    for call in calls:
        peer.send(call)
        verify.served(peer, call, breaks=breaks)


@requirement(WITHOUT, needs=NEEDS)
def test_server_serves_a_client_without_the_extension(connect_two: Callable[..., Peer]) -> None:
    """A client of Version Two that tells of no properties gets nothing of the extension."""
    client = GroupClient.of(connect_two, told=None)

    _own_messages(client, WITHOUT)
