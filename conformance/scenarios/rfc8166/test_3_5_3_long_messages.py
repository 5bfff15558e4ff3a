"""RFC 8166 section 3.5.3, Long Messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import build, verify
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer


@requirement("rfc8166.3.5.3.long-reply-in-the-reply-chunk")
def test_responder_places_a_long_reply_in_the_reply_chunk(peer: Peer) -> None:
    """A reply larger than the inline threshold comes by RDMA_NOMSG in the Reply chunk."""
    call = build.long_reply(peer, peer.workload.long_reply(8192))

    peer.send(call)

    reply = verify.served(peer, call)
    verify.that(reply.answer.is_long, "the reply is an RDMA_NOMSG", actual=str(reply.answer))


@requirement("rfc8166.3.5.3.long-call-in-a-read-chunk")
def test_responder_pulls_a_long_call(peer: Peer) -> None:
    """A Call of 8192 octets in a Position-Zero Read chunk of three segments is executed."""
    call = build.long_call(peer, peer.workload.long_call(8192), (1000, 3001))

    peer.send(call)

    verify.served(peer, call)
