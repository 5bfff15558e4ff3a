"""RDMA_MSGP, a procedure that nobody sends any more.

rfc8166 section 4.6.1  RDMA_MSGP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import ErrChunk, Silent
from conformance.tester.client import build, mutate
from rpcrdma import wire

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

GETS_ERR_CHUNK: Final = "rfc8166.4.6.1.msgp-gets-err-chunk"


@requirement(GETS_ERR_CHUNK, interpretations=("D-13",))
def test_responder_answers_a_well_formed_msgp_with_err_chunk(peer: Peer) -> None:
    """A Call in a complete RDMA_MSGP, with alignment and threshold, gets ERR_CHUNK."""
    call = mutate.body(build.small_call(peer), wire.RdmaMsgp(4, 1024, (), (), None))

    peer.send(call)

    verify.expect(peer, call, ErrChunk, tolerated=(Silent,), breaks=GETS_ERR_CHUNK)


@requirement(GETS_ERR_CHUNK, interpretations=("D-13",))
def test_responder_does_not_take_msgp_for_msg(peer: Peer) -> None:
    """The body of an RDMA_MSG under the number of RDMA_MSGP is not executed but gets ERR_CHUNK."""
    call = mutate.procedure(build.small_call(peer), 2)

    peer.send(call)

    verify.expect(peer, call, ErrChunk, tolerated=(Silent,), breaks=GETS_ERR_CHUNK)


@requirement(
    "rfc8166.4.6.1.msgp-is-not-sent",
    "rfc8166.4.2.4.msgp-is-reserved",
)
def test_responder_sends_no_msgp_for_a_result_in_a_write_chunk(peer: Peer) -> None:
    """A Reply whose result went into a Write chunk is an RDMA_MSG, not an RDMA_MSGP."""
    call = build.with_write_chunks(peer, peer.workload.fetch(4096))

    peer.send(call)

    verify.served(peer, call)
