"""What the oracle judges in a case: what it allows passes, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance import verify
from conformance.oracle.outcome import Answered, Outcome, read_outcome
from conformance.tester.case import Deviation
from conformance.tester.client import build, mutate
from conformance.tester.client.harness import Harness
from conformance.verify.judged import FILLED, PUSHED, WITHIN
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import ErrChunk, RdmaError, TransportHeader, WriteChunk, encode_header
from targets.base import Unsupported
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

ABOUT = "rfc8166.6.1.reassembly-gives-a-valid-stream"


@pytest.fixture
def harness() -> Iterator[Harness]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))
    yield harness
    harness.close()


@pytest.fixture
def peer(harness: Harness) -> Peer:
    return harness.connect()


def refusal(call: Call) -> Outcome:
    """ERR_CHUNK for a call."""
    return read_outcome(encode_header(TransportHeader(call.xid, 1, 8, RdmaError(ErrChunk()))))


def test_passes_what_is_served_and_what_is_refused_rightly(peer: Peer) -> None:
    good = build.with_write_chunks(peer, peer.workload.fetch(1001), ((500, 600),))
    bad = mutate.read_segment(
        build.with_read_chunks(peer, peer.workload.store(pattern(100))), 0, length=96
    )

    peer.send(good)
    assert isinstance(verify.judged(peer, good), Answered)
    peer.send(bad)
    verify.judged(peer, bad)

    assert peer.case.warnings == []


def test_refuses_an_error_for_a_good_call(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(100))
    peer.send(call)
    peer.receive()
    peer.put_aside(refusal(call))

    with pytest.raises(Deviation) as caught:
        verify.judged(peer, call, breaks=ABOUT)

    assert caught.value.breaks == (ABOUT,)


def answered(peer: Peer, *sizes: int) -> tuple[Call, Answered]:
    call = build.with_write_chunks(peer, peer.workload.fetch(100), (sizes,))
    peer.send(call)
    return call, verify.awaited(peer, call, Answered)


def test_refuses_a_cut_result_that_is_said_to_be_whole(peer: Peer) -> None:
    call, answer = answered(peer, 100)
    (chunk,) = answer.body.rdma_writes
    cut = WriteChunk((msgspec.structs.replace(chunk.target[0], length=96),))
    call.write_chunks[0].segments[0].region.write(b"\xa5" * 4, 96)
    header = msgspec.structs.replace(
        answer.header, rdma_body=msgspec.structs.replace(answer.body, rdma_writes=(cut,))
    )
    peer.put_aside(replace(answer, header=header))

    with pytest.raises(Deviation) as caught:
        verify.judged(peer, call, breaks=ABOUT)

    assert caught.value.breaks == (ABOUT,)


def test_refuses_what_is_written_behind_the_memory_offered(peer: Peer) -> None:
    call, answer = answered(peer, 100)
    call.write_chunks[0].segments[0].region.write(b"x", 100)
    peer.put_aside(answer)

    with pytest.raises(Deviation) as caught:
        verify.judged(peer, call)

    assert caught.value.breaks == (verify.chunks.ROOM,)


def test_refuses_a_reply_beyond_the_threshold(peer: Peer) -> None:
    call = build.short(peer, peer.workload.small())
    peer.send(call)
    answer = verify.awaited(peer, call, Answered)
    peer.put_aside(replace(answer, length=1028))

    with pytest.raises(Deviation) as caught:
        verify.judged(peer, call)

    assert caught.value.breaks == (WITHIN,)


def test_refuses_a_result_that_is_not_in_the_chunk_that_is_due_to_it(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(100))
    inline = build.short(peer, peer.workload.fetch(100))
    peer.send(inline)
    answer = verify.awaited(peer, inline, Answered)
    back = tuple(
        WriteChunk(tuple(msgspec.structs.replace(one, length=0) for one in chunk.target))
        for chunk in call.body.rdma_writes
    )
    body = msgspec.structs.replace(answer.body, rdma_writes=back)
    header = msgspec.structs.replace(answer.header, rdma_xid=call.xid, rdma_body=body)
    payload = call.xid.to_bytes(4) + answer.payload[4:]
    peer.put_aside(replace(answer, header=header, payload=payload))

    with pytest.raises(Deviation) as caught:
        verify.judged(peer, call)

    assert caught.value.breaks == (PUSHED, FILLED)


def test_a_refusal_beyond_the_claims_is_no_deviation(harness: Harness) -> None:
    profile = harness.profile
    claims = msgspec.structs.replace(profile.claims, max_segments=2)
    peer = harness.connect()
    peer.profile = msgspec.structs.replace(profile, claims=claims)
    call = build.with_write_chunks(peer, peer.workload.fetch(100), ((50, 50, 50),))
    peer.send(call)
    peer.receive()
    peer.put_aside(refusal(call))

    with pytest.raises(Unsupported, match="3 segments"):
        verify.judged(peer, call)
