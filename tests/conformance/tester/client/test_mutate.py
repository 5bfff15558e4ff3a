"""One fault at a time: each changes what it says and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client import build, mutate
from rpcrdma.wire import decode_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call


@pytest.mark.parametrize(
    ("change", "offset", "clause"),
    [
        (mutate.xid, 0, "rdma_xid (octet 0) 0x00000009 instead of"),
        (mutate.version, 4, "rdma_vers (octet 4) 0x00000009 instead of 0x00000001"),
        (mutate.credits, 8, "rdma_credit (octet 8) 0x00000009 instead of"),
        (mutate.procedure, 12, "rdma_proc (octet 12) 0x00000009 instead of 0x00000000"),
    ],
)
def test_a_fixed_word_is_changed_and_said_so(
    peer: Peer, change: Callable[[Call, int], Call], offset: int, clause: str
) -> None:
    good = build.null_call(peer)
    bad = change(good, 9)

    assert bad.octets[offset : offset + 4] == b"\0\0\0\x09"
    assert bad.octets[:offset] == good.octets[:offset]
    assert bad.octets[offset + 4 :] == good.octets[offset + 4 :]
    assert clause in str(bad)
    assert good.mutations == ()


def test_another_xid_is_what_answers_carry(peer: Peer) -> None:
    assert mutate.xid(build.null_call(peer), 9).xid == 9


def test_length_is_cut_or_added_to(peer: Peer) -> None:
    call = build.null_call(peer)

    assert mutate.truncate(call, 24).octets == call.octets[:24]
    assert mutate.append(call, b"tail").octets == call.octets + b"tail"
    assert "length 24 instead of 68" in str(mutate.truncate(call, 24))


def test_mutations_add_up(peer: Peer) -> None:
    call = mutate.truncate(mutate.version(build.null_call(peer), 2), 20)

    assert [mutation.what for mutation in call.mutations] == ["rdma_vers (octet 4)", "length"]


def test_words_of_segments_are_changed_one_at_a_time(peer: Peer) -> None:
    work = peer.workload
    read = mutate.read_segment(build.with_read_chunks(peer, work.store(bytes(100))), 0, position=6)
    write = mutate.write_segment(build.with_write_chunks(peer, work.fetch(100)), 0, 0, handle=7)
    reply = mutate.reply_segment(build.long_reply(peer, work.long_reply(2000)), 0, length=8)

    assert decode_header(read.octets)[0].rdma_body.rdma_reads[0].position == 6
    assert decode_header(write.octets)[0].rdma_body.rdma_writes[0].target[0].handle == 7
    assert decode_header(reply.octets)[0].rdma_body.rdma_reply.target[0].length == 8
    assert read.payload in read.octets


def test_a_reply_chunk_that_is_not_there_cannot_be_changed(peer: Peer) -> None:
    with pytest.raises(ValueError, match="no Reply chunk"):
        mutate.reply_segment(build.null_call(peer), 0, length=8)


def test_discriminators_are_the_words_that_say_whether_more_follows(peer: Peer) -> None:
    call = build.null_call(peer)

    assert [word.offset for word in mutate.discriminators(call)] == [16, 20, 24]


def test_a_reply_chunk_is_marked_absent(peer: Peer) -> None:
    call = build.long_reply(peer, peer.workload.long_reply(2000))

    header, _ = decode_header(mutate.without_reply_chunk(call).octets)
    assert header.rdma_body.rdma_reply is None


def test_another_xid_everywhere_leaves_a_good_call(peer: Peer) -> None:
    short = mutate.under(build.null_call(peer), 77)
    long = mutate.under(build.long_call(peer, peer.workload.long_call(2000)), 78)

    assert (short.xid, short.octets[:4], short.octets[28:32]) == (
        77,
        short.unreduced[:4],
        b"\0\0\0M",
    )
    assert long.octets[:4] == long.unreduced[:4] == (78).to_bytes(4)
    assert long.read_chunks[0].segments[0].region.read() == long.unreduced
