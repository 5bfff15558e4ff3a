"""What the Replies of a Responder look like in Version Two.

v2 section 3.2    Message Direction (where the word stands)
v2 section 4.2    RPC-Over-RDMA Version Two XDR
v2 section 4.2.1  Presence Of Payload
v2 section 4.2.2  Message Direction
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "no-chunk": build.small_call,
    "used-write-chunk": lambda peer: build.with_write_chunks(
        peer, peer.workload.fetch(3100), ((1000, 2100),)
    ),
    "unused-write-chunk": lambda peer: build.call(
        peer, peer.workload.fetch_nothing(), writes=((64,), (64,))
    ),
    "empty-write-chunk": lambda peer: build.call(peer, peer.workload.fetch(100), writes=((),)),
    "unused-reply-chunk": lambda peer: build.call(peer, peer.workload.small(), reply=(4096,)),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(6000)),
}


@requirement(
    "v2.4.2.header-layout",
    "v2.3.2.chunk-lists-begin-with-the-direction",
    "v2.4.2.chunk-lists-as-before",
    "v2.4.2.procedure-numbers",
    "v2.4.2.1.msg-is-followed-by-its-payload",
    "v2.4.2.1.nomsg-conveys-its-payload-by-chunks",
    "v2.4.2.2.direction-is-the-msg-type",
    "v2.1.payload-xid-equals-rdma-xid",
)
@pytest.mark.parametrize("form", CALLS)
def test_responder_puts_its_replies_as_the_xdr_says(
    connect_two: Callable[..., Peer], form: str
) -> None:
    """Replies with and without chunks have the header of Version Two, and their payload after."""
    peer = connect_two()
    first = build.null_call(peer)
    peer.send(first)
    verify.served(peer, first)
    call = CALLS[form](peer)

    peer.send(call)

    reply = verify.chunks.served(peer, call)
    verify.equal(reply.answer.direction, MessageType.REPLY, "the direction of the Reply")
    verify.equal(reply.rpc.xid, call.xid, "the XID of the RPC message")
    is_empty = not reply.answer.payload
    verify.equal(is_empty, reply.answer.is_long, "that only an RDMA2_NOMSG has nothing after it")
