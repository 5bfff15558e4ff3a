"""Backward messages, good ones and each with one fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build_backward
from conformance.outcome import Called, as_called, read_outcome
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, decode_header

if TYPE_CHECKING:
    from conformance.peer import Peer

NO_CHUNKS = RdmaMsg((), (), None)


def test_a_reply_goes_under_the_xid_of_its_call() -> None:
    called = as_called(read_outcome(build_backward.call(7, calls.null(7), credits=3).octets))
    assert isinstance(called, Called)

    header, end = decode_header(build_backward.reply(called, rpc.accepted(7), credits=2).octets)

    assert (header, end) == (TransportHeader(7, 1, 2, NO_CHUNKS), 28)
    assert called.header.rdma_credit == 3
    assert "credits 3" in str(called)
    assert called.rpc is not None


def test_a_foreign_message_has_another_xid_in_both_headers() -> None:
    message = build_backward.foreign(build_backward.call(7, calls.null(7)))

    assert message.xid != 7
    assert message.payload == calls.null(message.xid)


def test_a_cut_message_keeps_its_transport_header() -> None:
    octets = build_backward.cut(build_backward.call(7, calls.null(7)), 5, credits=50)

    header, end = decode_header(octets)
    assert (header.rdma_credit, octets[end:]) == (50, calls.null(7)[:5])


@pytest.mark.parametrize("payload", [calls.null(7), rpc.accepted(7)], ids=["call", "reply"])
def test_each_spoiled_message_has_one_fault_of_its_own(peer: Peer, payload: bytes) -> None:
    good = build_backward.call(7, payload)
    found = build_backward.spoiled(good, peer.expose(payload), peer.room((64,)))

    assert len({item.octets for item in found} | {good.octets}) == len(found) + 1
    assert len({item.fault for item in found}) == len(found) == 7
    for item in found:
        header, end = decode_header(item.octets)
        rest = item.octets[end:]
        changed = (
            header.rdma_vers != 1,
            header.rdma_body != NO_CHUNKS,
            rest != payload and not isinstance(header.rdma_body, RdmaNomsg),
        )
        assert sum(changed) == 1, item.fault


def test_a_long_message_is_told_by_its_lists(peer: Peer) -> None:
    """A Call has a Position-Zero Read chunk, a Reply has none."""
    for payload, is_call in ((calls.null(7), True), (rpc.accepted(7), False)):
        good = build_backward.call(7, payload)
        spoiled = build_backward.spoiled(good, peer.expose(payload), peer.room((64,)))
        (octets,) = (item.octets for item in spoiled if item.fault == "it is an RDMA_NOMSG")
        assert isinstance(as_called(read_outcome(octets)), Called) is is_call
