"""What both versions have can be said in Version One's objects; what one alone has cannot."""

from __future__ import annotations

import pytest

from rpcrdma.wire import (
    Body,
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    TransportHeader,
    v2,
)
from rpcrdma.wire.in_one import body_as_one, encode_as_two
from rpcrdma.wire.rpc import MessageType


@pytest.mark.parametrize(
    "body",
    [
        RdmaMsg((), (), None),
        RdmaNomsg((), (), None),
        RdmaError(ErrVers(1, 2)),
        RdmaError(ErrChunk()),
    ],
)
def test_what_both_have_comes_back(body: Body) -> None:
    octets = encode_as_two(TransportHeader(7, 9, 3, body), MessageType.REPLY)

    assert octets is not None
    header, end = v2.decode_header(octets)
    assert (header.rdma_xid, header.rdma_vers, header.rdma_credit, end) == (7, 9, 3, len(octets))
    assert v2.direction_of(header.rdma_body) is MessageType.REPLY
    assert body_as_one(header.rdma_body) == body


@pytest.mark.parametrize("body", [RdmaDone(), RdmaMsgp(4, 0, (), (), None)])
def test_version_two_has_not_what_it_has_dropped(body: Body) -> None:
    assert encode_as_two(TransportHeader(7, 2, 3, body), MessageType.CALL) is None


@pytest.mark.parametrize(
    "body",
    [v2.Rdma2Optional(MessageType.CALL, 1, b""), v2.Rdma2Error(v2.ErrInvalidOption())],
)
def test_version_one_has_no_options(body: v2.Rdma2Body) -> None:
    assert body_as_one(body) is None
