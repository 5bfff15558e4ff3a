"""RFC 8166 section 3.3.3, Initial Connection State."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import HEADER_ONE, THRESHOLD_ONE
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

EXCHANGE: Final = "rfc8166.3.3.3.one-exchange-of-1024-octets"
RECEIVES: Final = "rfc8166.3.3.3.receives-1024-octets"
WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"
RESPECTS: Final = "rfc8166.3.3.sender-respects-receive-resources"
UNLESS_KNOWN: Final = "rfc8166.3.3.3.1024-octets-unless-known"


@requirement(EXCHANGE, RECEIVES)
def test_responder_takes_a_first_call_of_1024_octets(connect: Callable[..., Peer]) -> None:
    """The first Call on a connection is exactly 1024 octets long, and is served."""
    peer = connect(receives=1, receive_length=THRESHOLD_ONE)
    empty = build.short(peer, peer.workload.store(b""))
    data = pattern(THRESHOLD_ONE - len(empty.octets), 31)
    call = build.short(peer, peer.workload.store(data))

    peer.send(call)

    verify.equal(len(call.octets), THRESHOLD_ONE, "the length of the Call")
    verify.chunks.stored(peer, call, data, breaks=(EXCHANGE, RECEIVES))


@requirement(EXCHANGE, WITHIN, RESPECTS, UNLESS_KNOWN)
def test_responder_sends_a_first_reply_of_1024_octets(connect: Callable[..., Peer]) -> None:
    """The first Reply on a connection fills the one Receive of 1024 octets that is posted."""
    peer = connect(receives=1, receive_length=THRESHOLD_ONE)
    overhead = peer.workload.fetch(4)
    payload = overhead.layer.expectation(overhead.encode(0)).maximum - 4
    call = build.short(peer, peer.workload.fetch(THRESHOLD_ONE - HEADER_ONE - payload))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=(EXCHANGE, UNLESS_KNOWN))
    verify.chunks.right(peer, call, answer, breaks=EXCHANGE)
    verify.equal(answer.length, THRESHOLD_ONE, "the length of the Reply", breaks=(WITHIN, RESPECTS))


@requirement(EXCHANGE, RESPECTS, means={"rfc8166.2.2.2.reply-xid-is-the-calls": RESPECTS})
def test_responder_serves_one_call_at_a_time(connect: Callable[..., Peer]) -> None:
    """With a single Receive posted, ten Calls one after the other are served."""
    peer = connect(receives=1, receive_length=THRESHOLD_ONE)

    for _ in range(10):
        call = build.small_call(peer, credits=1)
        peer.send(call)
        verify.served(peer, call)
