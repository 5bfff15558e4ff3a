"""A dialect turns Version One's objects into octets of its version and back."""

from __future__ import annotations

from rpcrdma.endpoint.core.dialect import NO_CHUNKS, ONE
from rpcrdma.wire import TransportHeader
from rpcrdma.wire.rpc import MessageType


def test_version_one_is_told_apart_by_the_identity_of_its_plain_body() -> None:
    """The short path for replies compares bodies by identity: decoding makes no new one."""
    octets = ONE.encode(TransportHeader(7, 1, 32, NO_CHUNKS), MessageType.CALL)
    header, end = ONE.decode(octets + b"rest")
    assert end == len(octets) == ONE.header
    assert header.rdma_body is ONE.plain
