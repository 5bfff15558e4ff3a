"""RFC 8166 section 3.4.2, DDP-Eligibility: what a Responder must leave in the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

INELIGIBLE = (
    "rfc8166.6.1.responder-reduces-no-ineligible-result",
    "rfc8166.3.4.2.only-eligible-items-are-reduced",
    "rfc8166.6.1.ineligible-items-are-not-reduced",
)
"""What the documents say in three places."""


@requirement(*INELIGIBLE)
def test_responder_reduces_no_result_that_is_not_eligible(peer: Peer) -> None:
    """With a Write chunk for a result that is not eligible, the result stays in the stream."""
    request = peer.workload.long_reply(3000)
    call = build.long_reply(peer, request, writes=((4096,),))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=INELIGIBLE[0])
    used = [segment.length for chunk in answer.body.rdma_writes for segment in chunk.target]
    verify.chunks.right(peer, call, answer, breaks=INELIGIBLE if any(used) else INELIGIBLE[0])
    verify.equal(used, [0], "the lengths of the returned Write chunk", breaks=INELIGIBLE)


@requirement(
    "rfc8166.6.1.binding-limits-procedures", "rfc8166.6.1.responder-reduces-no-ineligible-result"
)
@pytest.mark.parametrize("request_", ["null", "small"])
def test_responder_uses_no_write_chunk_where_its_binding_has_none(
    peer: Peer, request_: str
) -> None:
    """A Write chunk for a procedure without eligible results comes back unused."""
    call = build.call(peer, getattr(peer.workload, request_)(), writes=((512,),))

    peer.send(call)

    answer = verify.chunks.served(peer, call).answer
    used = [segment.length for chunk in answer.body.rdma_writes for segment in chunk.target]
    verify.equal(used, [0], "the lengths of the returned Write chunk")
