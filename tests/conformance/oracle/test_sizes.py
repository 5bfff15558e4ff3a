"""The sizes, held against what the codec makes of the XDR."""

from __future__ import annotations

from conformance.oracle import sizes
from rpcrdma import wire
from rpcrdma.wire import v2
from rpcrdma.wire.rpc import MessageType

CHUNK = wire.WriteChunk((wire.RdmaSegment(1, 2, 3),))


def octets(body: wire.Body) -> int:
    return len(wire.encode_header(wire.TransportHeader(1, 1, 1, body)))


def octets_two(body: v2.Rdma2Body) -> int:
    return len(v2.encode_header(v2.Rdma2Header(1, 2, 1, body)))


def test_headers_without_chunks() -> None:
    assert sizes.HEADER_ONE == sizes.SHORTEST_MESSAGE == octets(wire.RdmaMsg((), (), None))
    assert octets_two(v2.Rdma2Msg(MessageType.CALL, (), (), None)) == sizes.HEADER_TWO


def test_what_a_chunk_adds() -> None:
    with_one, with_two = (wire.RdmaMsg((), (CHUNK,) * count, None) for count in (1, 2))

    assert octets(with_one) == sizes.HEADER_ONE + sizes.CHUNK + sizes.SEGMENT
    assert octets(with_two) == sizes.HEADER_ONE + 2 * (sizes.CHUNK + sizes.SEGMENT)


def test_errors() -> None:
    assert octets(wire.RdmaError(wire.ErrChunk())) == sizes.ERR_CHUNK_MESSAGE
    assert octets_two(v2.Rdma2Error(v2.ErrInvalidOption())) == sizes.ERR_CHUNK_MESSAGE
    assert octets(wire.RdmaError(wire.ErrVers(1, 1))) == sizes.ERR_VERS_MESSAGE


def test_thresholds_of_the_two_versions() -> None:
    assert (sizes.THRESHOLD_ONE, sizes.FIRST_MESSAGE_TWO, sizes.THRESHOLD_TWO) == (1024, 1024, 4096)
