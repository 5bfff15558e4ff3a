"""What the oracle makes of the chunks of a Call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.limits import Limits
from conformance.oracle.responder.chunks import CallStream
from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.responder.expected import expected
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.wire import RdmaMsg
from tests.conformance.oracle.oracle_fakes import (
    CALL_HEADER,
    STORE,
    TinyMemory,
    TinyProgram,
    chunk,
    msg,
    nomsg,
    reading,
    rpc_call,
)

if TYPE_CHECKING:
    from rpcrdma.wire import ReadSegment

DATA = b"seven o"
POSITION = CALL_HEADER + 4
REDUCED = rpc_call(STORE, len(DATA).to_bytes(4))
MEMORY = TinyMemory({1: DATA, 2: DATA + b"\0", 3: REDUCED, 4: bytes(64)}, frozenset({9}))
STATE = ResponderState(upper_layer=TinyProgram(), memory=MEMORY)
OTHER_STATUS = "an RPC error reply (warning)"
REFUSAL = ["ERR_CHUNK", "a Reply of GARBAGE_ARGS", OTHER_STATUS]


def answers(message: bytes, state: ResponderState = STATE) -> list[str]:
    return [str(item) for item in expected(message, state).allowed]


@pytest.mark.parametrize(
    "reads",
    [
        (reading(POSITION, 1, 7),),
        (reading(POSITION, 2, 8),),
        (reading(POSITION, 1, 3), reading(POSITION, 1, 4, offset=3)),
    ],
    ids=["bare", "padded", "two unaligned segments"],
)
def test_reduced_argument_is_served(reads: tuple[ReadSegment, ...]) -> None:
    assert answers(msg(REDUCED, reads=reads)) == ["a Reply"]


def test_long_call_with_a_further_read_chunk_is_served() -> None:
    reads = (reading(0, 3, len(REDUCED)), reading(POSITION, 1, 7))

    assert answers(nomsg(reads=reads)) == ["a Reply"]


@pytest.mark.parametrize(
    ("position", "handle", "length"),
    [
        (POSITION + 1, 1, 7),
        (0, 1, 7),
        (POSITION + 400, 1, 7),
        (POSITION - 4, 1, 7),
        (POSITION, 1, 6),
        (POSITION, 4, 64),
    ],
    ids=["unaligned", "zero in RDMA_MSG", "beyond the stream", "ineligible", "short", "long"],
)
def test_read_chunk_that_fits_no_argument_is_not_executed(
    position: int, handle: int, length: int
) -> None:
    message = msg(REDUCED, reads=(reading(position, handle, length),))

    assert answers(message) == REFUSAL


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ("err-chunk", ["ERR_CHUNK"]),
        ("garbage-args", ["a Reply of GARBAGE_ARGS", OTHER_STATUS]),
    ],
)
def test_profile_chooses_how_violations_are_reported(chosen: str, wanted: list[str]) -> None:
    state = ResponderState(upper_layer=TinyProgram(), memory=MEMORY, chosen={"D-20": chosen})

    assert answers(msg(REDUCED, reads=(reading(POSITION - 4, 1, 7),)), state) == wanted


def test_read_chunk_within_the_rpc_header_may_cost_the_connection() -> None:
    """D-40: what stands before it is a cut RPC header, about which closing only warns."""
    message = msg(REDUCED, reads=(reading(POSITION - 8, 1, 7),))

    assert answers(message) == [*REFUSAL, "loss of the connection (warning)"]


def test_unreadable_memory_may_cost_the_connection() -> None:
    message = msg(REDUCED, reads=(reading(POSITION, 77, 7),))

    assert answers(message)[:2] == ["loss of the connection", "ERR_CHUNK"]
    assert "a Reply" not in answers(message)


def test_a_length_that_fits_no_argument_may_be_found_before_reading() -> None:
    """rfc8166 3.4.4, D-20: GARBAGE_ARGS is no answer to memory that only cannot be read."""
    fitting = answers(msg(REDUCED, reads=(reading(POSITION, 77, 7),)))
    short = answers(msg(REDUCED, reads=(reading(POSITION, 77, 6),)))
    absurd = answers(msg(REDUCED, reads=(reading(POSITION, 77, 1 << 31),)))

    assert "a Reply of GARBAGE_ARGS" not in fitting
    assert "a Reply of GARBAGE_ARGS" in short
    assert "a Reply of GARBAGE_ARGS" in absurd


def test_region_shorter_than_its_segment_is_unreadable() -> None:
    assert "loss of the connection" in answers(msg(REDUCED, reads=(reading(POSITION, 1, 8),)))


def test_unwritable_memory_may_cost_the_connection() -> None:
    message = msg(writes=(chunk(8, handle=5),))

    assert answers(message) == ["a Reply", "loss of the connection", "ERR_CHUNK"]


def test_nomsg_without_any_list_gets_err_chunk_only() -> None:
    assert answers(nomsg()) == ["ERR_CHUNK"]


@pytest.mark.parametrize(
    "message",
    [
        nomsg(writes=(chunk(8),)),
        nomsg(reply=chunk(64)),
        nomsg(reads=(reading(POSITION, 1, 7),)),
    ],
    ids=["Write list", "Reply chunk", "other Read chunk"],
)
def test_nomsg_with_the_wrong_list_is_refused_or_dropped(message: bytes) -> None:
    result = expected(message, STATE)

    closing = "loss of the connection (warning)"
    assert [str(item) for item in result.allowed] == ["ERR_CHUNK", "silence", closing]
    assert {"D-22"} == {name for item in result.allowed for name in item.readings}


def test_octets_behind_a_nomsg_header_may_be_refused() -> None:
    call = rpc_call()
    state = ResponderState(upper_layer=TinyProgram(), memory=TinyMemory({3: call}))
    message = nomsg(reads=(reading(0, 3, len(call)),), behind=call)

    assert answers(message, state) == ["a Reply", "ERR_CHUNK"]


def test_empty_segments_may_be_refused() -> None:
    reads = (reading(POSITION, 1, 0), reading(POSITION, 1, 7))

    assert answers(msg(REDUCED, reads=reads)) == ["a Reply", "ERR_CHUNK"]


def test_empty_segments_for_results_may_be_refused_and_closing_warns() -> None:
    assert answers(msg(writes=(chunk(8, 0, 8),))) == [
        "a Reply",
        "ERR_CHUNK",
        "loss of the connection (warning)",
    ]


def test_reply_chunk_without_segments_may_be_refused() -> None:
    refusals = ["ERR_CHUNK", "loss of the connection"]

    assert answers(msg(reply=chunk())) == ["a Reply", *refusals, "ERR_CHUNK"]


def test_a_reply_chunk_that_is_too_small_is_too_little_room_whatever_a_send_takes() -> None:
    """rfc8166 4.3.3: a Short message instead is allowed, not demanded."""
    body = RdmaMsg((), (), chunk(99))

    assert not CallStream(body).has_room_for(ReplyExpectation(100, ()), 1024)


def test_positions_that_descend_may_be_refused() -> None:
    reads = (reading(POSITION, 1, 7), reading(0, 3, len(REDUCED)))

    assert answers(nomsg(reads=reads)) == ["a Reply", *REFUSAL]


def test_more_segments_than_the_device_has_to_bear_may_be_refused() -> None:
    state = ResponderState(upper_layer=TinyProgram(), memory=MEMORY, limits=Limits(segments=2))

    assert answers(msg(writes=(chunk(1, 1),)), state) == ["a Reply"]
    assert answers(msg(writes=(chunk(1, 1, 1),)), state) == [
        "a Reply",
        "ERR_CHUNK",
        "an RPC error reply",
    ]


def test_chunks_of_a_program_that_nobody_knows_may_be_refused() -> None:
    state = ResponderState(memory=MEMORY)

    assert answers(msg(REDUCED, reads=(reading(POSITION, 1, 7),)), state) == [
        "a Reply",
        "ERR_CHUNK",
    ]


def test_read_chunk_with_the_rpc_header_in_it_may_be_dropped() -> None:
    """Joined blindly, it is no RPC message at all (D-40)."""
    assert answers(msg(rpc_call()[:4], reads=(reading(4, 1, 7),))) == [
        *REFUSAL,
        "loss of the connection (warning)",
        "silence",
    ]


def test_second_chunk_alone_is_not_enough_room_for_the_second_result() -> None:
    """rfc8166 4.3.2.2: it lands in the first chunk if the first result has no data."""
    room = ReplyExpectation(200, (0, 100))
    body = RdmaMsg((), (chunk(8), chunk(100)), None)

    assert not CallStream(body).has_room_for(room, 1024)
    assert CallStream(RdmaMsg((), (chunk(100), chunk(100)), None)).has_room_for(room, 1024)
