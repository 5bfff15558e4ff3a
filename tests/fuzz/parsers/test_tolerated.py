"""What a parser may refuse, and that it may not refuse the rest."""

from __future__ import annotations

import pytest

from fuzz.parsers.tolerated import why_refused
from rpcrdma.wire import (
    Body,
    ErrChunk,
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    v2,
)
from rpcrdma.wire.rpc import MessageType

SEGMENT = RdmaSegment(1, 2, 3)
READ, LATER, ODD = (ReadSegment(position, SEGMENT) for position in (0, 4, 5))
CHUNK = WriteChunk((SEGMENT,))
MESSAGE = b"\0\0\0\7" + bytes(36)


def why(body: Body, after: bytes = b"", version: int = 1, credit: int = 1) -> str:
    header = TransportHeader(7, version, credit, body)
    octets = encode_header(header)
    return why_refused(octets + after, header, len(octets), 1)


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        (why(RdmaMsg((), (), None), MESSAGE, version=2), "another version"),
        (why(RdmaMsg((), (), None), MESSAGE, credit=0), "no credits"),
        (why(RdmaMsg((), (), None), MESSAGE + bytes(960)), "inline threshold"),
        (why(RdmaMsgp(4, 4, (), (), None), MESSAGE), "nobody sends"),
        (why(RdmaDone()), "nobody sends"),
        (why(RdmaError(ErrVers(2, 1))), "a range without"),
        (why(RdmaMsg((), (), None)), "no RPC message"),
        (why(RdmaMsg((), (), None), bytes(40)), "of this XID"),
        (why(RdmaError(ErrChunk()), b"\0"), "octets after"),
        (why(RdmaNomsg((READ,), (), None), MESSAGE), "octets after"),
        (why(RdmaNomsg((LATER,), (CHUNK,), None)), "no chunk"),
        (why(RdmaMsg((ODD,), (), None), MESSAGE), "multiple of four"),
        (why(RdmaNomsg((READ, ODD), (), None)), "multiple of four"),
    ],
)
def test_these_have_a_reason(reason: str, word: str) -> None:
    assert word in reason


@pytest.mark.parametrize(
    "reason",
    [
        why(RdmaMsg((LATER,), (CHUNK, WriteChunk(())), CHUNK), MESSAGE),
        why(RdmaMsg((), (), None), MESSAGE + bytes(1024 - 28 - 40)),
        why(RdmaNomsg((READ,), (), None)),
        why(RdmaNomsg((), (), CHUNK)),
        why(RdmaError(ErrVers(1, 1))),
        why(RdmaError(ErrChunk())),
    ],
)
def test_these_have_none(reason: str) -> None:
    assert reason == ""


def test_version_two_has_a_longer_threshold() -> None:
    header = v2.Rdma2Header(7, 2, 8, v2.Rdma2Msg(MessageType.CALL, (), (), None))
    octets = v2.encode_header(header)
    end = len(octets)

    assert why_refused(octets + MESSAGE + bytes(4056 - end), header, end, 2) == ""
    assert "threshold" in why_refused(octets + MESSAGE + bytes(4057 - end), header, end, 2)
