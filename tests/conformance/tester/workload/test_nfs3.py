from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from conformance.tester.client.harness import Harness
from conformance.tester.workload.base import Prepared, UnderGss
from conformance.tester.workload.nfs3 import Nfs3Workload
from rpcrdma.ulp import nfs3, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import LINK, file_of_size
from rpcrdma.ulp.gss_mechanism import MockInitiator
from rpcrdma.ulp.gss_program import GssProgram
from rpcrdma.ulp.mount3 import MountProgram
from rpcrdma.ulp.nfs3_server import Nfs3Program
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_nfs3 as wire
from targets.base import Unsupported
from targets.nfs.mount_service import MountService
from targets.profile import SHIPPED, load_profile
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.tester.client.peer import Peer

ROOT = FileStore(()).root.handle


def profile_at(path: Path, extra: str) -> Path:
    """The embedded endpoint, spoken to in NFSv3."""
    text = (SHIPPED / "reference.toml").read_text().replace('"testprog"', '"nfs3"')
    path.write_text(text.replace("[extra]", f"[extra]\n{extra}"))
    return path


def harness_at(path: Path, extra: str) -> Harness:
    return Harness(find_target(str(profile_at(path, extra))))


LINK_TARGET = LINK.target.encode()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    harness = harness_at(tmp_path / "embedded.toml", f'root_handle = "{ROOT.hex()}"')
    harness.preflight()
    yield harness.ready_peer()
    harness.close()


def test_a_read_comes_by_a_write_chunk(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch(3000), ((1024, 1024, 2048),))

    peer.send(call)

    verify.served(peer, call)


def test_a_write_goes_by_a_read_chunk_and_is_read_back(peer: Peer) -> None:
    data = pattern(2049, 9)
    call = build.with_read_chunks(peer, peer.workload.store(data), ((1000, 25),), roundup=True)

    peer.send(call)

    verify.served(peer, call)
    stored = peer.workload.stored(data)
    assert stored is not None
    back = build.with_write_chunks(peer, stored)
    peer.send(back)
    verify.served(peer, back)


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


def test_it_writes_and_reads_back_where_the_profile_says(tmp_path: Path) -> None:
    extra = f'root_handle = "{ROOT.hex()}"\nwrite_offset = 70000'
    harness = harness_at(tmp_path / "embedded.toml", extra)
    harness.preflight()

    written, read = harness.workload.store(b"data"), harness.workload.stored(b"data", 2)

    assert read is not None
    assert (70000).to_bytes(8, "big") in written.encode(1)
    assert (70002).to_bytes(8, "big") in read.encode(1)
    harness.close()


def test_a_write_goes_by_a_long_call(peer: Peer) -> None:
    call = build.long_call(peer, peer.workload.long_call(8192), (1000, 3001))

    peer.send(call)

    verify.served(peer, call)


def test_a_listing_comes_by_a_long_reply(peer: Peer) -> None:
    call = build.long_reply(peer, peer.workload.long_reply(8192))

    peer.send(call)

    served = verify.served(peer, call)
    assert served.answer.is_long
    assert len(call.reply_payload(served.answer)) > 8192


def test_a_listing_has_room_for_what_linux_sends_on_top(peer: Peer) -> None:
    request = peer.workload.long_reply(8192)

    # 24 of the RPC header, 4 of the status; 4 + 84 of attributes and 8 of the verifier on top
    assert request.layer.expectation(request.encode(1)).maximum == 24 + 4 + 16384 + 88 + 8


def test_a_read_that_fails_returns_its_write_chunk_unused(peer: Peer) -> None:
    call = build.with_write_chunks(peer, peer.workload.fetch_nothing())

    peer.send(call)

    reply = verify.served(peer, call)
    assert [segment.length for segment in reply.answer.body.rdma_writes[0].target] == [0]


def test_small_and_null_calls_are_short(peer: Peer) -> None:
    for request in (peer.workload.small(), peer.workload.null()):
        call = build.short(peer, request)
        peer.send(call)
        verify.served(peer, call)


def test_cut_arguments_are_garbage(peer: Peer) -> None:
    call = build.short(peer, peer.workload.garbage())

    peer.send(call)

    verify.garbage_args(peer, call)


def test_other_content_is_noticed(peer: Peer) -> None:
    reply = rpc.accepted(1, wire.encode_read_result(wire.ReadDone(None, 3, eof=True, data=b"abc")))
    failed = wire.ReadFailed(wire.Status.NFS3ERR_IO, None)
    request = peer.workload.fetch(3)

    assert "616263 instead of 062544" in request.check(b"", reply)
    assert "NFS3ERR_IO" in request.check(b"", rpc.accepted(1, wire.encode_read_result(failed)))
    assert "cannot be decoded" in request.check(b"", rpc.accepted(1))


def test_more_than_one_item_is_not_there(peer: Peer) -> None:
    with pytest.raises(Unsupported, match="`nfs3` cannot make"):
        peer.workload.fetch_two(1, 2)


def test_calls_are_under_rpcsec_gss_where_something_makes_contexts(peer: Peer) -> None:
    profile = find_profile("linux-server-krb5")
    workload = Nfs3Workload(profile, lambda: MockInitiator(b"token"))
    assert isinstance(workload, UnderGss)
    assert workload.initiator() == MockInitiator(b"token")
    assert Nfs3Workload(profile).initiator() is None

    request = workload.ask_for_context(b"token")

    call = request.encode(5)
    program = GssProgram(Nfs3Program(FileStore(())))
    (reply,) = program.execute(call)
    assert request.check(call, reply) == ""
    assert "it gives no context" in request.check(call, rpc.garbage_args(5))
    assert len(reply) <= request.layer.expectation(call).maximum
    assert peer.workload.exchange(100).title == "WRITE of 100 octets"


def test_calls_need_handles(tmp_path: Path) -> None:
    workload = Nfs3Workload(load_profile(profile_at(tmp_path / "x.toml", "")))

    assert isinstance(workload, Prepared)
    with pytest.raises(Inconclusive, match="no file handles"):
        workload.fetch(1)


def test_handles_are_asked_for_again_when_the_server_was_started_again(peer: Peer) -> None:
    """It may be another one, on another machine."""

    class Silent:
        def reply_to(self, _request: object) -> bytes:
            return b""

        def wait(self, seconds: float) -> None: ...

    assert isinstance(peer.workload, Prepared)
    with pytest.raises(Inconclusive, match="the reply to LOOKUP cannot be decoded"):
        peer.workload.prepare(Silent())


def test_handle_of_the_root_comes_from_the_mount_service(tmp_path: Path) -> None:
    with MountService(MountProgram(FileStore(())), "127.0.0.1") as mounts:
        harness = harness_at(tmp_path / "x.toml", f"mount_port = {mounts.port}")
        harness.preflight()
        call = build.short(harness.ready_peer(), harness.workload.small())
        harness.close()

    assert call.unreduced == nfs3.call(call.xid, nfs3.get_attributes(ROOT))


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ('root_handle = "00"', "has no `size-1048576` in its export: LOOKUP ended with status"),
        ("mount_port = 1", "the MOUNT service at TCP 127.0.0.1:1 does not mount `/`: "),
    ],
)
def test_server_that_gives_no_handles_makes_the_run_inconclusive(
    tmp_path: Path, extra: str, problem: str
) -> None:
    harness = harness_at(tmp_path / "x.toml", extra)

    with pytest.raises(Inconclusive, match=problem):
        harness.preflight()
    harness.close()
