"""What rpcgen's decoder says of headers, by the library itself where it can be made."""

from __future__ import annotations

import pytest

from fuzz.differential.c_decoder import MOST_OCTETS, RoundTrip
from fuzz.differential.compiled import V1, V2, Item
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    v2,
)
from tests.fuzz.differential.real import real_decoder

SEGMENT = RdmaSegment(1, 4, 8)
CHUNK = WriteChunk((SEGMENT, SEGMENT))
LISTS = ((ReadSegment(0, SEGMENT),), (CHUNK, WriteChunk(())), CHUNK)
ONE = encode_header(TransportHeader(7, 1, 32, RdmaMsg(*LISTS)))
TWO = v2.encode_header(v2.Rdma2Header(7, 2, 32, v2.Rdma2Nomsg(v2.MessageType.REPLY, *LISTS)))


@pytest.mark.parametrize(("item", "header"), [(V1, ONE), (V2, TWO)], ids=["v1", "v2"])
def test_a_header_is_taken_and_encoded_again(item: Item, header: bytes) -> None:
    if (decoder := real_decoder(item)) is None:
        return
    assert decoder.decode(header + b"behind it") == RoundTrip(len(header), header)
    for length in range(len(header)):
        assert decoder.decode(header[:length]) is None


def test_as_many_elements_as_there_cannot_be_are_refused_at_once() -> None:
    if (decoder := real_decoder(V1)) is None:
        return
    for count in (3, 2**28 - 1, 2**32 - 1):
        reply = encode_header(TransportHeader(7, 1, 32, RdmaMsg((), (), WriteChunk(()))))
        claims = reply[:-4] + count.to_bytes(4) + bytes(32)
        assert decoder.decode(claims) is None


def test_the_longest_list_is_taken_and_a_longer_input_is_not_given_to_it() -> None:
    if (decoder := real_decoder(V1)) is None:
        return
    empty = encode_header(TransportHeader(7, 1, 32, RdmaMsg((), (), None)))
    chunks = (WriteChunk(()),) * ((MOST_OCTETS - len(empty)) // 8)
    longest = encode_header(TransportHeader(7, 1, 32, RdmaMsg((), chunks, None)))
    assert len(longest) > MOST_OCTETS - 8
    assert decoder.decode(longest) == RoundTrip(len(longest), longest)
    with pytest.raises(ValueError, match="65537 octets"):
        decoder.decode(bytes(MOST_OCTETS + 1))


def test_its_blocks_are_counted_in_memory_that_stays() -> None:
    if (decoder := real_decoder(V1)) is None:
        return
    counters = decoder.counters()
    reached = []
    for octets in (b"", ONE[:30], ONE):
        counters[:] = bytes(len(counters))
        decoder.decode(octets)
        reached.append(sum(map(bool, counters)))
    assert 0 < reached[0] < reached[1] < reached[2]
    assert decoder.counters() is counters
