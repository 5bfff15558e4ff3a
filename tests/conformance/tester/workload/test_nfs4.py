from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from conformance.tester.workload.nfs4 import Nfs4Workload
from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_tree import LINK, file_of_size
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_nfs4 as wire
from targets.base import Unsupported
from targets.shared import writing_apart
from tests.conformance.embedded import embedded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.tester.client.peer import Peer


LINK_TARGET = LINK.target.encode()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    """Connected to the embedded endpoint, which serves NFSv4.0 beside the test program."""
    harness = Harness(embedded(tmp_path, "nfs4"))
    yield harness.ready_peer()
    harness.close()


def test_a_read_comes_by_a_write_chunk(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(3000), ((1024, 1024, 2048),))

    peer.send(call)

    verify.served(peer, call)


def test_a_write_goes_by_a_read_chunk(peer: Peer) -> None:
    request = peer.workload.store(pattern(2049, 9))
    call = build.with_read_chunks(peer, request, ((1000, 25),), roundup=True)

    peer.send(call)

    verify.served(peer, call)


def test_a_link_comes_by_a_write_chunk(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.read_link(), ((1000, 3096),))

    peer.send(call)

    reply = verify.chunks.served(peer, call)
    assert call.write_chunks[0].contents(reply.answer.body.rdma_writes[0].target) == LINK_TARGET
    assert not call.request.fails(reply.payload)


def test_a_program_says_of_itself_that_it_failed(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(4))
    peer.send(call)
    reply = verify.served(peer, call)
    nothing = peer.workload.fetch_nothing()

    assert not call.request.fails(reply.payload)
    assert not call.request.fails(reply.payload[:-1])  # cut, which is no word of the program's
    failed = build.call(peer, nothing, writes=((512,),))
    peer.send(failed)
    assert call.request.fails(verify.served(peer, failed).payload)


def test_what_nobody_else_fetches_is_a_page_near_the_end_of_the_file(peer: Peer) -> None:
    content = file_of_size(1048576).content
    call = build.with_write_chunks(peer, peer.workload.fetch_aside(3000, 2))

    peer.send(call)

    verify.chunks.served(peer, call)
    assert call.write_chunks[0].contents(call.write_chunks[0].told) == content[-12288:-9288]


def test_a_part_of_what_was_written_is_read_back(peer: Peer) -> None:
    data = pattern(5000, 9)
    stored = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(stored)
    verify.served(peer, stored)
    part = peer.workload.stored(data, 4000)
    assert part is not None
    call = build.with_write_chunks(peer, part)

    peer.send(call)

    verify.chunks.served(peer, call)
    assert call.write_chunks[0].contents(call.write_chunks[0].told) == data[4000:]


def test_testers_at_one_time_write_apart(peer: Peer) -> None:
    """Each reads back what it has written, whoever wrote last."""
    data = {one: pattern(5000, one) for one in (1, 2)}
    workloads = {one: Nfs4Workload(writing_apart(peer.profile, one)) for one in data}
    for one, workload in workloads.items():
        call = build.with_read_chunks(peer, workload.store(data[one]))
        peer.send(call)
        verify.served(peer, call)

    for one, workload in workloads.items():
        stored = workload.stored(data[one])
        assert stored is not None
        back = build.with_write_chunks(peer, stored)
        peer.send(back)
        verify.served(peer, back)


def test_a_write_goes_by_a_long_call(peer: Peer) -> None:
    call = build.long_call(peer, peer.workload.long_call(8192), (1000, 3001))

    peer.send(call)

    verify.served(peer, call)


def test_a_listing_comes_by_a_long_reply(peer: Peer) -> None:
    call = build.long_reply(peer, peer.workload.long_reply(8192))

    peer.send(call)

    assert verify.served(peer, call).answer.is_long


def test_an_unreached_read_returns_its_write_chunk_unused(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch_nothing())

    peer.send(call)

    reply = verify.served(peer, call)
    assert [segment.length for segment in reply.answer.body.rdma_writes[0].target] == [0]


def test_cut_arguments_are_garbage(peer: Peer) -> None:
    call = build.short(peer, peer.workload.garbage())

    peer.send(call)

    verify.garbage_args(peer, call)


def test_wrong_octets_are_noticed(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(512))
    peer.send(call)
    reply = verify.served(peer, call)
    spoilt = bytearray(reply.payload)
    spoilt[-8] ^= 1

    problem = call.request.check(call.unreduced, bytes(spoilt))

    assert problem == (
        "the READ returned other data than the file's: 1 of 512 octets are wrong,"
        " from octet 504 on: 1434537291b0cfee instead of 1534537291b0cfee"
    )


def test_what_the_binding_lacks_is_unsupported(peer: Peer) -> None:
    with pytest.raises(Unsupported, match="binding `nfs4` cannot make a call that is held"):
        peer.workload.hold(1)


def test_a_server_in_its_grace_period_leaves_a_case_undecided(peer: Peer) -> None:
    request = peer.workload.store(b"data")
    empty = bytes(8)  # neither a tag nor results
    reply = rpc.accepted(7) + wire.Status.NFS4ERR_GRACE.to_bytes(4, "big") + empty

    with pytest.raises(Inconclusive, match="grace period"):
        request.check(request.encode(7), reply)
