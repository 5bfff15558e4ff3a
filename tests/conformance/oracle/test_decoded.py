"""Headers by the layout of the version that they name."""

from __future__ import annotations

import pytest

from conformance.oracle.decoded import decode_header, encode_header
from rpcrdma import wire
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.rpc import MessageType

LISTS = wire.RdmaMsg((), (wire.WriteChunk((wire.RdmaSegment(1, 2, 3),)),), None)


@pytest.mark.parametrize("direction", MessageType)
@pytest.mark.parametrize(
    "body", [LISTS, wire.RdmaError(wire.ErrVers(1, 2)), wire.RdmaError(wire.ErrChunk())]
)
def test_a_header_of_version_two_comes_back_with_its_direction(
    body: wire.RdmaMsg | wire.RdmaError, direction: MessageType
) -> None:
    header = wire.TransportHeader(5, 2, 3, body)
    octets = encode_header(header, direction)

    found = decode_header(octets + b"more")

    assert found.header == header
    assert found.two == v2.decode_header(octets)[0]
    assert found.end == len(octets)
    # D-51: an error goes to the Requester, whatever anybody says.
    is_error = isinstance(body, wire.RdmaError)
    assert found.direction is (MessageType.REPLY if is_error else direction)


@pytest.mark.parametrize("version", [1, 3])
def test_any_other_version_has_the_layout_of_version_one(version: int) -> None:
    header = wire.TransportHeader(5, version, 3, LISTS)
    octets = encode_header(header, MessageType.REPLY)

    found = decode_header(octets)

    assert octets == wire.encode_header(header)
    assert (found.header, found.two, found.direction) == (header, None, MessageType.CALL)


@pytest.mark.parametrize(
    "body",
    [v2.Rdma2Optional(MessageType.CALL, 7, b""), v2.Rdma2Error(v2.ErrInvalidOption())],
)
def test_what_only_version_two_has_is_no_such_header(body: v2.Rdma2Body) -> None:
    octets = v2.encode_header(v2.Rdma2Header(5, 2, 3, body))

    with pytest.raises(DecodeError) as caught:
        decode_header(octets)

    assert (caught.value.offset, caught.value.path) == (12, "rdma_body.rdma_proc")
