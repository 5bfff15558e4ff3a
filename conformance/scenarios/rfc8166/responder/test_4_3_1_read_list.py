"""RFC 8166 section 4.3.1, Read List: Positions that fit nothing, and the Read list of Replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.tester.client import build, mutate
from conformance.verify import accepted
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.rpc import RpcOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

BAD_HEADER = "rfc8166.4.5.bad-call-header-answered"
FOURTH_WORD = "rfc8166.4.2.fourth-word-selects-the-body"

FORMS: dict[str, Callable[[Peer], Call]] = {
    "short": build.small_call,
    "chunked-call": lambda peer: build.with_read_chunks(
        peer, peer.workload.store(pattern(999, 90))
    ),
    "chunked-reply": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(999)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(2000)),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(2000)),
}


@requirement("rfc8166.4.3.1.read-list-empty-in-replies", "rfc8166.3.1.read-write-model-only")
@pytest.mark.parametrize("form", FORMS)
def test_responder_leaves_the_read_list_of_a_reply_empty(peer: Peer, form: str) -> None:
    """Whatever the form of Call and Reply, the Reply has no Read list."""
    call = FORMS[form](peer)

    peer.send(call)

    answer = verify.expect(peer, call, Answered)
    verify.equal(answer.body.rdma_reads, (), "the Read list of the Reply")


@requirement(BAD_HEADER, interpretations=("D-23",))
@pytest.mark.parametrize("shift", [1, 2, -2])
def test_responder_refuses_an_unaligned_position(peer: Peer, shift: int) -> None:
    """A Position that is no multiple of four gets ERR_CHUNK or GARBAGE_ARGS."""
    call = build.with_read_chunks(peer, peer.workload.store(pattern(1000, 91)))
    position = call.body.rdma_reads[0].position + shift
    spoilt = mutate.read_segment(call, 0, position=position)

    peer.send(spoilt)

    verify.chunks.refused(peer, spoilt)


@requirement(BAD_HEADER, interpretations=("D-23",))
@pytest.mark.parametrize(
    "position", [4096, 2**32 - 4], ids=["a-little-beyond", "at-the-largest-number"]
)
def test_responder_refuses_a_position_beyond_the_stream(peer: Peer, position: int) -> None:
    """A Position beyond the end of the Payload stream gets ERR_CHUNK or GARBAGE_ARGS."""
    call = build.with_read_chunks(peer, peer.workload.store(pattern(1000, 92)))
    spoilt = mutate.read_segment(call, 0, position=position)

    peer.send(spoilt)

    verify.chunks.refused(peer, spoilt)


@requirement(BAD_HEADER, interpretations=("D-23", "D-40"))
@pytest.mark.parametrize("position", [8, 24], ids=["in-the-fixed-part", "in-the-credential"])
def test_responder_refuses_a_position_in_the_rpc_header(peer: Peer, position: int) -> None:
    """A Read chunk in the RPC header makes no RPC message; losing the connection is tolerated."""
    call = build.with_read_chunks(peer, peer.workload.store(pattern(1000, 93)))
    spoilt = mutate.read_segment(call, 0, position=position)

    peer.send(spoilt)

    verify.chunks.refused(peer, spoilt, tolerated=(Disconnected,))


@requirement(BAD_HEADER, interpretations=("D-23",))
def test_responder_refuses_a_position_inside_another_item(peer: Peer) -> None:
    """Two Read chunks of which one claims to lie inside the other get ERR_CHUNK or GARBAGE_ARGS."""
    request = peer.workload.store_two(pattern(1000, 94), pattern(1000, 95))
    call = build.with_read_chunks(peer, request)
    inside = call.body.rdma_reads[0].position + 400
    spoilt = mutate.read_segment(call, 1, position=inside)

    peer.send(spoilt)

    verify.chunks.refused(peer, spoilt)


@requirement(
    BAD_HEADER,
    FOURTH_WORD,
    interpretations=("D-23",),
)
def test_responder_refuses_position_zero_in_an_rdma_msg(peer: Peer) -> None:
    """An RDMA_MSG with a payload and a Position-Zero Read chunk is not executed."""
    call = build.with_read_chunks(peer, peer.workload.store(pattern(1000, 96)))
    spoilt = mutate.read_segment(call, 0, position=0)

    peer.send(spoilt)

    verify.chunks.refused(peer, spoilt)


@requirement(BAD_HEADER, FOURTH_WORD, interpretations=("D-23",))
def test_responder_refuses_a_call_inline_and_another_in_a_chunk(peer: Peer) -> None:
    """An RDMA_MSG with one Call inline and another one in a Position-Zero Read chunk is refused.

    To execute one of them is a warning: no document says what a receiver does about such a chunk.
    """
    call = build.small_call(peer)
    other = peer.workload.null().encode(call.xid)
    both = mutate.lists(call, rdma_reads=peer.expose(other).read_segments(0))

    peer.send(both)

    outcome = verify.expect(
        peer, both, ErrChunk, Answered, breaks=BAD_HEADER, statuses=accepted.RATHER_REFUSED
    )
    if isinstance(outcome, Answered):
        status = outcome.rpc.outcome if outcome.rpc else None
        verify.that(status, "the Reply is whole", actual=str(outcome), breaks=BAD_HEADER)
        sentence = "neither of the two Calls is executed"
        refused = status is RpcOutcome.GARBAGE_ARGS
        verify.recommended(peer, refused, sentence, actual=str(outcome), breaks=FOURTH_WORD)
    verify.chunks.untouched(both)


@requirement("rfc8166.4.3.1.1.position-tells-where-to-reinsert", interpretations=("D-23",))
@pytest.mark.parametrize("order", ["descending", "interleaved"])
def test_responder_goes_by_position_not_by_order(peer: Peer, order: str) -> None:
    """Read chunks out of order are put where their Positions say, or refused."""
    data = pattern(1000, 97), pattern(1000, 98)
    request = peer.workload.store_two(*data)
    call = build.with_read_chunks(peer, request, ((400,), (300,)))
    first, second, third, fourth = call.body.rdma_reads
    moved = {
        "descending": (third, fourth, first, second),
        "interleaved": (first, third, second, fourth),
    }
    spoilt = mutate.lists(call, rdma_reads=moved[order])

    peer.send(spoilt)

    verify.chunks.stored_or_refused(peer, spoilt, b"".join(data))


@requirement("rfc8166.3.4.5.2.length-with-roundup", BAD_HEADER)
@pytest.mark.parametrize("missing", [4, 500])
def test_responder_refuses_a_read_chunk_shorter_than_its_argument(peer: Peer, missing: int) -> None:
    """A Read chunk that lacks octets of its argument does not make a valid Call."""
    call = build.with_read_chunks(peer, peer.workload.store(pattern(1000, 99)))
    length = call.body.rdma_reads[0].target.length - missing
    spoilt = mutate.read_segment(call, 0, length=length)

    peer.send(spoilt)

    verify.chunks.refused(peer, spoilt)
