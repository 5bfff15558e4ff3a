"""RFC 8166 section 3.4.3, RDMA Segments: whose memory it is, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build, verify, verify_chunks
from conformance.requirement import requirement
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.build import Call
    from conformance.memory import ExposedChunk
    from conformance.peer import Peer

WITH_MEMORY: dict[str, Callable[[Peer], Call]] = {
    "read-chunk": lambda peer: build.with_read_chunks(peer, peer.workload.store(pattern(900, 3))),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(900)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(1500)),
    "reply-chunk": lambda peer: build.long_reply(peer, peer.workload.long_reply(1500)),
}


def chunks(call: Call) -> tuple[ExposedChunk, ...]:
    """All memory that a Call tells of."""
    reply = (call.reply_chunk,) if call.reply_chunk else ()
    return (*call.read_chunks, *call.write_chunks, *reply)


@requirement("rfc8166.3.4.3.memory-used-by-responder")
@pytest.mark.parametrize("form", WITH_MEMORY)
def test_responder_invalidates_no_handle_unasked(peer: Peer, form: str) -> None:
    """Where remote invalidation was not agreed on, every handle outlives the Reply."""
    call = WITH_MEMORY[form](peer)

    peer.send(call)

    verify_chunks.served(peer, call)
    regions = [segment.region for chunk in chunks(call) for segment in chunk.segments]
    verify.that(all(region.valid for region in regions), "the handles are still valid")


@requirement("rfc8166.3.4.3.memory-used-by-responder")
def test_responder_uses_the_memory_of_each_call_only(peer: Peer) -> None:
    """A later Call with a Write chunk of its own leaves that of the one before alone."""
    first = build.with_write_chunks(peer, peer.workload.fetch(1200), ((2000,),))
    peer.send(first)
    answer = verify_chunks.served(peer, first).answer
    second = build.with_write_chunks(peer, peer.workload.fetch(1999), ((2000,),))

    peer.send(second)

    verify_chunks.served(peer, second)
    verify_chunks.returned(first, answer)
