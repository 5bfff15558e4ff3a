"""What a message of a client tells of itself."""

from __future__ import annotations

from conformance.tester.server import ReceivedCall
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, ReadSegment, TransportHeader, WriteChunk

SEGMENT = RdmaSegment(1, 2, 3)
CHUNK = WriteChunk((SEGMENT,))
READ = ReadSegment(0, SEGMENT)


def made(body: RdmaMsg | RdmaNomsg | None, unreduced: bytes | None = None) -> ReceivedCall:
    header = None if body is None else TransportHeader(7, 1, 5, body)
    return ReceivedCall(
        2, 0, (7).to_bytes(4, "big") + bytes(24), header, b"", unreduced, problem="why"
    )


def test_tells_what_the_header_says() -> None:
    call = made(RdmaNomsg((READ,), (CHUNK,), CHUNK))

    assert (call.xid, call.credits, call.is_long) == (7, 5, True)
    assert (call.reads, call.writes, call.reply_chunk) == ((READ,), (CHUNK,), CHUNK)
    assert "RDMA_NOMSG xid 0x00000007 credits 5, 1 read segments, 1 Write chunks, a Reply" in str(
        call
    )


def test_without_a_header_there_is_nothing_to_tell() -> None:
    call = made(None)

    assert (call.body, call.credits, call.reads, call.writes) == (None, 0, (), ())
    assert (call.reply_chunk, call.rpc, call.is_long) == (None, None, False)
    assert str(call) == "message 1, on connection 2: 28 octets that are no call (why)"


def test_tells_the_rpc_header_if_there_is_one() -> None:
    call = made(RdmaMsg((), (), None), testprog_calls.null(7))

    assert call.rpc is not None
    assert call.rpc.procedure == 0
    assert "procedure 0 of program" in str(call)
    assert made(RdmaMsg((), (), None), b"none").rpc is None


def test_a_message_may_be_too_short_for_an_xid() -> None:
    assert ReceivedCall(1, 0, b"ab", None, b"", None).xid == 0
