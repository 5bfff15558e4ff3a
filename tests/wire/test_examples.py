"""The chunk list illustrations of rfc8166 section 4.7, in their undamaged form (D-03)."""

# Arguments come from strategies and parameters that say what they are:
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import struct

from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

H, L, OO, P = 0xA1, 0xB2, 0xC3 << 32, 0x20
HLOO = struct.pack(">IIQ", H, L, OO)
PHLOO = struct.pack(">I", P) + HLOO
SEGMENT = RdmaSegment(H, L, OO)
READ = ReadSegment(P, SEGMENT)


def _word(value):
    return struct.pack(">I", value)


def _agrees(lists, body):
    octets = struct.pack(">IIII", 7, 1, 32, 0) + lists
    header = TransportHeader(7, 1, 32, body)
    assert decode_header(octets) == (header, len(octets))
    assert encode_header(header) == octets


def test_read_chunk_of_three_segments():
    _agrees(
        _word(1) + PHLOO + _word(1) + PHLOO + _word(1) + PHLOO + _word(0) * 3,
        RdmaMsg((READ,) * 3, (), None),
    )


def test_write_list_of_chunks_of_three_and_two_segments():
    _agrees(
        _word(0) + _word(1) + _word(3) + HLOO * 3 + _word(1) + _word(2) + HLOO * 2 + _word(0) * 2,
        RdmaMsg((), (WriteChunk((SEGMENT,) * 3), WriteChunk((SEGMENT,) * 2)), None),
    )


def test_reply_chunk_of_two_segments():
    _agrees(
        _word(0) * 2 + _word(1) + _word(2) + HLOO * 2,
        RdmaMsg((), (), WriteChunk((SEGMENT,) * 2)),
    )


def test_no_chunks():
    _agrees(_word(0) * 3, RdmaMsg((), (), None))
