"""Messages that are no Calls, as they go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client import build, mutate
from rpcrdma import wire
from rpcrdma.wire import v2
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


def test_an_optional_message_has_what_it_is_told(peer: Peer) -> None:
    message = build.option(
        peer, UnknownOption(77, b"four"), direction=MessageType.REPLY, xid=9, behind=b"!"
    )

    header, end = v2.decode_header(message.octets)

    assert header == v2.Rdma2Header(9, 2, 8, v2.Rdma2Optional(MessageType.REPLY, 77, b"four"))
    assert message.octets[end:] == b"!"
    assert (message.xid, message.version) == (9, 2)
    assert str(message).startswith("operation 77 as REPLY, xid 0x00000009, ")


def test_an_optional_body_goes_out_as_it_is(peer: Peer) -> None:
    body = v2.Rdma2Optional(MessageType.REPLY, 1, b"\xff")

    message = build.option(peer, body)

    assert v2.decode_header(message.octets)[0].rdma_body == body


@pytest.mark.parametrize(
    ("error", "version", "body"),
    [
        (wire.ErrVers(1, 2), 2, v2.Rdma2Error(wire.ErrVers(1, 2))),
        (wire.ErrChunk(), 2, v2.Rdma2Error(v2.ErrBadHeader())),
        (v2.ErrBadHeader(), 1, v2.Rdma2Error(v2.ErrBadHeader())),
        (v2.ErrInvalidOption(), 1, v2.Rdma2Error(v2.ErrInvalidOption())),
    ],
)
def test_an_error_has_the_words_of_version_two_where_it_needs_them(
    peer: Peer, error: wire.ErrorBody | v2.Rdma2ErrorBody, version: int, body: v2.Rdma2Error
) -> None:
    message = build.error(peer, error, version=version, xid=9)

    assert v2.decode_header(message.octets)[0] == v2.Rdma2Header(9, 2, 8, body)


def test_an_error_is_in_the_peers_version_unless_told(peer: Peer) -> None:
    error = build.error(peer, wire.ErrChunk())

    assert error.version == peer.version == 1
    assert wire.decode_header(error.octets)[0].rdma_body == wire.RdmaError(wire.ErrChunk())


def test_a_message_is_mutated_as_a_call_is(peer: Peer) -> None:
    message = mutate.xid(build.option(peer, UnknownOption(77, b""), xid=9), 10)

    assert (message.xid, message.octets[:4]) == (10, (10).to_bytes(4))
    assert "rdma_xid (octet 0) 0x0000000a instead of 0x00000009" in str(message)
