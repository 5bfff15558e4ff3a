"""Headers by the layout of the version that they name, in the objects of Version One."""

from __future__ import annotations

import pytest
from hypothesis import given

from conformance.oracle.header import (
    VERSION_ONE,
    VERSION_TWO,
    as_one,
    decode_header,
    encode_as,
    encode_header,
    is_two,
)
from conformance.strategies import _generated_v2 as strategies
from rpcrdma import wire
from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    v2,
)
from rpcrdma.wire.rpc import MessageType

CHUNK = WriteChunk((RdmaSegment(1, 2, 3),))
BODIES = (
    RdmaMsg((), (CHUNK,), None),
    RdmaNomsg((), (), CHUNK),
    RdmaError(ErrVers(1, 2)),
    RdmaError(ErrChunk()),
)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
@pytest.mark.parametrize("direction", list(MessageType))
def test_what_both_versions_have_comes_back_from_version_two(
    body: RdmaMsg | RdmaNomsg | RdmaError, direction: MessageType
) -> None:
    header = TransportHeader(5, VERSION_TWO, 7, body)

    raw, end = v2.decode_header(octets := encode_as(VERSION_TWO, header, direction))

    assert as_one(raw) == header
    assert end == len(octets)
    if isinstance(body, RdmaMsg | RdmaNomsg):
        assert v2.direction_of(raw.rdma_body) is direction


@given(strategies.rdma2_headers())
def test_only_what_version_one_lacks_has_no_object_of_it(header: v2.Rdma2Header) -> None:
    body = header.rdma_body
    refusal = isinstance(body, v2.Rdma2Error) and isinstance(body.error, v2.ErrInvalidOption)

    assert (as_one(header) is None) == (refusal or isinstance(body, v2.Rdma2Optional))


def test_a_layout_is_independent_of_the_version_that_the_header_tells() -> None:
    header = TransportHeader(5, VERSION_TWO, 7, BODIES[0])

    octets = encode_as(VERSION_ONE, header, MessageType.CALL)

    assert wire.decode_header(octets)[0] == header == as_one(header)
    assert is_two(octets)


def test_version_two_has_no_rdma_done() -> None:
    header = TransportHeader(5, VERSION_TWO, 7, RdmaDone())

    with pytest.raises(ValueError, match="Version Two has no RdmaDone"):
        encode_as(VERSION_TWO, header, MessageType.CALL)


@pytest.mark.parametrize("octets", [b"", b"\0\0\0\1\0\0\0\1", b"\0\0\0\2\0\0"])
def test_what_is_short_or_of_another_version_is_not_of_version_two(octets: bytes) -> None:
    assert not is_two(octets)


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
