"""Good calls in every form, as the device decodes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.client import build
from rpcrdma.wire import RdmaNomsg, decode_header

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

DATA = bytes(range(256)) * 4


def forms(peer: Peer) -> dict[str, Call]:
    work = peer.workload
    return {
        "null": build.null_call(peer),
        "small": build.small_call(peer),
        "read chunks": build.with_read_chunks(peer, work.store(DATA), ((1000,),)),
        "roundup": build.with_read_chunks(peer, work.store(DATA[:1001]), roundup=True),
        "write chunks": build.with_write_chunks(peer, work.fetch(3000), ((1000, 2000),)),
        "long call": build.long_call(peer, work.long_call(3000), (100,)),
        "long reply": build.long_reply(peer, work.long_reply(3000)),
    }


NAMES = ("null", "small", "read chunks", "roundup", "write chunks", "long call", "long reply")


@pytest.mark.parametrize("name", NAMES)
def test_every_form_is_served_by_the_reference(peer: Peer, name: str) -> None:
    call = forms(peer)[name]

    peer.send(call)

    assert verify.served(peer, call).answer.xid == call.xid


def test_forms_have_the_lists_that_they_are_named_for(peer: Peer) -> None:
    shapes = {}
    for name, call in forms(peer).items():
        header, end = decode_header(call.octets)
        assert header == call.header
        assert call.octets[end:] == call.payload
        reads, writes = call.body.rdma_reads, call.body.rdma_writes
        shapes[name] = (len(reads), len(writes), call.body.rdma_reply is not None)
    assert shapes == {
        "null": (0, 0, False),
        "small": (0, 0, False),
        "read chunks": (2, 0, False),
        "roundup": (1, 0, False),
        "write chunks": (0, 1, False),
        "long call": (2, 0, False),
        "long reply": (0, 0, True),
    }


def test_a_long_call_has_no_payload_and_reads_from_position_zero(peer: Peer) -> None:
    call = build.long_call(peer, peer.workload.long_call(3000))

    assert isinstance(call.body, RdmaNomsg)
    assert call.payload == b""
    assert [read.position for read in call.body.rdma_reads] == [0]


def test_roundup_goes_into_the_chunk(peer: Peer) -> None:
    call = build.with_read_chunks(peer, peer.workload.store(DATA[:1001]), roundup=True)

    assert call.read_chunks[0].length == 1004


def test_every_call_has_an_xid_of_its_own(peer: Peer) -> None:
    assert len({build.null_call(peer).xid for _ in range(5)}) == 5
