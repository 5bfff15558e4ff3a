"""RFC 8166 section 4.5.5, RDMA Transport Errors: connections that end in the middle of a Call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "short": build.small_call,
    "read-chunk": lambda peer: build.with_read_chunks(
        peer, peer.workload.store(pattern(60000, 35)), ((7000,) * 8,)
    ),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(262144)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(30000)),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(8192)),
}


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss")
@pytest.mark.parametrize("form", CALLS)
def test_responder_serves_others_when_a_connection_ends_in_a_call(
    peer: Peer, connect: Callable[..., Peer], form: str
) -> None:
    """A connection that is dropped right after a Call hurts neither another nor the next one."""
    dropped = connect()
    dropped.send(CALLS[form](dropped))

    dropped.disconnect()

    after = connect()
    for one in (peer, after):
        call = CALLS[form](one)
        one.send(call)
        verify.chunks.served(one, call)


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss")
def test_responder_survives_many_short_connections(connect: Callable[..., Peer]) -> None:
    """Ten connections, each dropped with a Call unanswered: the eleventh is served."""
    for _ in range(10):
        dropped = connect()
        dropped.send(build.with_write_chunks(dropped, dropped.workload.fetch(5000)))
        dropped.close()

    peer = connect()
    call = build.with_write_chunks(peer, peer.workload.fetch(5000))
    peer.send(call)
    verify.chunks.served(peer, call)


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss", "rfc8166.2.2.2.reply-xid-is-the-calls")
@pytest.mark.parametrize("form", CALLS)
def test_responder_serves_a_call_again_on_the_next_connection(
    connect: Callable[..., Peer], form: str
) -> None:
    """A Call whose connection ended before its Reply is repeated under its XID, and is served."""
    dropped = connect()
    lost = CALLS[form](dropped)
    dropped.send(lost)
    dropped.disconnect()

    peer = connect()
    again = mutate.under(CALLS[form](peer), lost.xid)
    peer.send(again)

    verify.chunks.served(peer, again)
