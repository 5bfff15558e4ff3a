"""RFC 8166 section 2.2.2, Requesters and Responders: XIDs, and several Requesters at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer


@requirement("rfc8166.2.2.2.reply-xid-is-the-calls", "rfc8166.2.2.2.reply-msg-type")
@pytest.mark.parametrize("xid", [0, 0x80000000, 0xFFFFFFFF])
def test_responder_echoes_any_xid(peer: Peer, xid: int) -> None:
    """A Call of any XID is answered by a Reply of that XID, in both headers."""
    changed = mutate.under(build.null_call(peer), xid)

    peer.send(changed)

    reply = verify.reply_of(changed, verify.expect(peer, changed, Answered))
    verify.equal(reply.rpc.xid, xid, "the XID of the RPC message")


@requirement("rfc8166.2.2.2.reply-xid-is-the-calls", "rfc8166.3.3.1.credit-is-one-transaction")
def test_responder_serves_many_connections(connect: Callable[..., Peer]) -> None:
    """Calls in flight on eight connections are each served on their own."""
    peers = [connect() for _ in range(8)]
    calls = [
        build.with_write_chunks(peer, peer.workload.fetch(1000 + 100 * number))
        for number, peer in enumerate(peers)
    ]

    for peer, call in zip(peers, calls, strict=True):
        peer.send(call)

    for peer, call in zip(peers, calls, strict=True):
        verify.chunks.served(peer, call)


@requirement("rfc8166.2.2.2.reply-xid-is-the-calls")
def test_responder_keeps_equal_xids_of_two_connections_apart(
    peer: Peer, connect: Callable[..., Peer]
) -> None:
    """Two Requesters use one XID for different Calls at one time: each gets its own results."""
    other = connect()
    first = build.with_write_chunks(peer, peer.workload.fetch(1500))
    second = build.with_write_chunks(other, other.workload.fetch(1700))
    payload = first.payload[:4] + second.payload[4:]
    unreduced = first.payload[:4] + second.unreduced[4:]
    twin = mutate.payload(mutate.xid(second, first.xid), payload)

    peer.send(first)
    other.send(replace(twin, unreduced=unreduced))

    verify.chunks.served(peer, first)
    verify.chunks.served(other, replace(twin, unreduced=unreduced))
