"""Sequences made smaller, with a function in the device's place."""

from __future__ import annotations

from fuzz.live.reducing import reduced, smaller_message
from fuzz.responder_executor import good_call
from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

SEGMENTS = tuple(RdmaSegment(number, 8, 64) for number in (1, 2, 3))
READS = tuple(ReadSegment(0, segment) for segment in SEGMENTS)
CHUNKS = (WriteChunk(SEGMENTS), WriteChunk(SEGMENTS[:1]))
PLENTY = 1000


def message(body: RdmaMsg | RdmaNomsg) -> bytes:
    return encode_header(TransportHeader(7, 1, 1, body))


FULL = message(RdmaMsg(READS, CHUNKS, WriteChunk(SEGMENTS))) + good_call(7)[28:]


def test_messages_that_do_nothing_are_left_out() -> None:
    messages = [good_call(xid) for xid in range(1, 10)]
    culprits = [messages[3], messages[6]]

    def does_it(candidate: list[bytes]) -> bool:
        return all(any(culprit[:4] == one[:4] for one in candidate) for culprit in culprits)

    smallest = reduced(messages, does_it, PLENTY, smaller_message)
    assert [one[:4] for one in smallest] == [culprit[:4] for culprit in culprits]


def test_the_last_message_is_tried_first() -> None:
    tried: list[list[bytes]] = []
    messages = [b"one", b"two", b"last"]
    reduced(messages, lambda candidate: bool(tried.append(candidate)), 1, smaller_message)
    assert tried == [[b"last"]]


def test_lists_lose_what_does_nothing_and_counts_follow() -> None:
    def does_it(candidate: list[bytes]) -> bool:
        """Whether a Read segment, a Write chunk and a Reply chunk have the second segment."""
        try:
            body = decode_header(candidate[0])[0].rdma_body
        except (DecodeError, IndexError):
            return False
        if not isinstance(body, RdmaMsg) or body.rdma_reply is None:
            return False
        wanted = SEGMENTS[1]
        return (
            wanted in [read.target for read in body.rdma_reads]
            and any(wanted in chunk.target for chunk in body.rdma_writes)
            and wanted in body.rdma_reply.target
        )

    (smallest,) = reduced([FULL], does_it, PLENTY, smaller_message)
    one = WriteChunk(SEGMENTS[1:2])
    wanted = encode_header(TransportHeader(0, 0, 0, RdmaMsg(READS[1:2], (one,), one)))
    assert decode_header(smallest)[0].rdma_body == decode_header(wanted)[0].rdma_body
    assert len(smallest) == len(wanted)


def test_words_that_do_nothing_become_zeros() -> None:
    garbage = bytes(range(1, 41))
    (smallest,) = reduced(
        [garbage], lambda candidate: candidate[0][4:8] == garbage[4:8], PLENTY, smaller_message
    )
    assert smallest == bytes(4) + garbage[4:8]


def test_nothing_is_tried_more_often_than_allowed() -> None:
    tried: list[int] = []
    assert reduced([FULL], lambda _: bool(tried.append(1)), 5, smaller_message) == [FULL]
    assert len(tried) == 5
