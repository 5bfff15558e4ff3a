"""What a Requester may do about octets that arrive, fault by fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.reaction import expected_reaction
from conformance.oracle.requester.state import OutstandingCall, RequesterState
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
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
    decode_header,
    encode_header,
    rpc,
)

XID = 0x5EED
SIZE = 2001
DATA = bytes(index % 251 for index in range(SIZE))

W, F, C, X = Reaction.WAITING, Reaction.FAILED, Reaction.COMPLETED, Reaction.CLOSED


def message(body: Body, payload: bytes = b"", *, xid: int = XID, grant: int = 8) -> bytes:
    return encode_header(TransportHeader(xid, 1, grant, body)) + payload


def segment(handle: int, length: int) -> RdmaSegment:
    return RdmaSegment(handle, length, 4096)


def chunk(*lengths: int) -> WriteChunk:
    return WriteChunk(tuple(segment(50 + index, size) for index, size in enumerate(lengths)))


def state_of(
    call: bytes, writes: tuple[WriteChunk, ...] = (), reply: WriteChunk | None = None
) -> RequesterState:
    header, _ = decode_header(message(RdmaMsg((), writes, reply)))
    outstanding = (OutstandingCall(XID, header, call),)
    return RequesterState(outstanding=outstanding, upper_layer=TestProgram())


NULL = calls.null(XID)
NULLS = state_of(NULL)
NULL_REPLY = calls.expected_reply(NULL)

FETCH = calls.fetch(XID, SIZE, 1)
FETCH_REPLY = calls.expected_reply(FETCH)
REDUCED = FETCH_REPLY[: -(SIZE + 3)] if SIZE % 4 == 1 else b""
FETCHED = FETCH_REPLY[len(REDUCED) : len(REDUCED) + SIZE]
FETCHES = state_of(FETCH, (chunk(1500, SIZE - 1500),))
LONGS = state_of(FETCH, (), chunk(4096))


def reactions(reply: bytes, state: RequesterState = NULLS) -> list[Reaction]:
    return [item.kind for item in expected_reaction(reply, state).allowed]


def test_good_reply_completes_its_call() -> None:
    expectation = expected_reaction(message(RdmaMsg((), (), None), NULL_REPLY), NULLS)

    assert [item.kind for item in expectation.allowed] == [C]
    assert expectation.payload == NULL_REPLY
    assert (expectation.grant, expectation.is_valid_reply) == (8, True)


def test_good_reply_with_a_write_chunk_completes_its_call() -> None:
    body = RdmaMsg((), (chunk(1500, SIZE - 1500),), None)
    expectation = expected_reaction(message(body, REDUCED), FETCHES, lambda _: FETCHED)

    assert [item.kind for item in expectation.allowed] == [C]
    assert expectation.payload == FETCH_REPLY
    assert expectation.judge(C, FETCH_REPLY).verdict is Verdict.PASS
    assert expectation.judge(C, FETCH_REPLY[:-4] + b"\1\0\0\0").verdict is Verdict.FAIL


def test_good_long_reply_completes_its_call() -> None:
    length = len(FETCH_REPLY)
    long = message(RdmaNomsg((), (), chunk(length)))
    lied = WriteChunk((segment(50, length),))
    expectation = expected_reaction(long, LONGS, lambda asked: _held(asked, lied))

    assert [item.kind for item in expectation.allowed] == [C]
    assert expectation.payload == FETCH_REPLY


def _held(asked: tuple[RdmaSegment, ...], known: WriteChunk) -> bytes | None:
    return FETCH_REPLY if asked == known.target else None


def test_error_reply_may_look_like_an_error() -> None:
    garbage = rpc.encode_message(rpc.accepted(XID, rpc.GarbageArgs()))

    assert reactions(message(RdmaMsg((), (), None), garbage)) == [C, F]


@pytest.mark.parametrize("length", range(16))
def test_message_without_its_fixed_words_is_dropped(length: int) -> None:
    assert reactions(message(RdmaMsg((), (), None), NULL_REPLY)[:length]) == [W]


@pytest.mark.parametrize("length", range(16, 28))
def test_reply_under_28_octets_is_dropped(length: int) -> None:
    assert reactions(message(RdmaMsg((), (), None), NULL_REPLY)[:length]) == [W]


def test_err_chunk_of_20_octets_ends_the_call() -> None:
    expectation = expected_reaction(message(RdmaError(ErrChunk())), NULLS)

    assert [item.kind for item in expectation.allowed] == [F]
    assert expectation.is_error
    assert expectation.judge(C).verdict is Verdict.FAIL
    assert expectation.judge(W).violated == (
        "rfc8166.4.5.error-completes-the-rpc",
        "rfc8166.4.5.error-is-permanent",
    )


@pytest.mark.parametrize("versions", [(1, 1), (2, 2), (5, 3)])
def test_err_vers_ends_the_call_or_the_connection(versions: tuple[int, int]) -> None:
    assert reactions(message(RdmaError(ErrVers(*versions)))) == [F, X]


def test_error_in_another_version_is_recognised() -> None:
    error = bytearray(message(RdmaError(ErrVers(2, 2))))
    error[7] = 2

    assert reactions(bytes(error)) == [F, X, W]
    assert expected_reaction(bytes(error), NULLS).judge(W).verdict is Verdict.WARN


@pytest.mark.parametrize(
    "error",
    [
        message(RdmaError(ErrChunk()))[:16] + (3).to_bytes(4),
        message(RdmaError(ErrChunk()))[:16],
        message(RdmaError(ErrVers(1, 1)))[:24],
    ],
    ids=["unknown-code", "no-code", "cut-range"],
)
def test_error_that_cannot_be_decoded_is_dropped_or_ends_the_call(error: bytes) -> None:
    assert reactions(error) == [W, F]


def test_error_with_octets_behind_it_may_be_dropped() -> None:
    assert reactions(message(RdmaError(ErrChunk())) + bytes(4)) == [F, W]


def test_error_for_no_call_is_dropped() -> None:
    assert reactions(message(RdmaError(ErrChunk()), xid=1)) == [W]


@pytest.mark.parametrize("body", [RdmaMsgp(0, 0, (), (), None), RdmaDone()])
def test_procedure_that_was_taken_away_is_dropped(body: Body) -> None:
    assert reactions(message(body, NULL_REPLY)) == [W]


BAD = [W, F, X]


@pytest.mark.parametrize(
    ("word", "value"), [(1, 2), (3, 9), (4, 3)], ids=["version", "procedure", "cut-read-list"]
)
def test_header_that_cannot_be_read(word: int, value: int) -> None:
    octets = message(RdmaMsg((), (), None), NULL_REPLY)
    spoilt = octets[: 4 * word] + value.to_bytes(4) + octets[4 * word + 4 :]

    assert reactions(spoilt) == BAD
    judgement = expected_reaction(spoilt, NULLS).judge(C)
    assert judgement.verdict is Verdict.FAIL
    assert "rfc8166.4.5.bad-reply-header-discarded" in judgement.violated


def test_reply_for_no_call_is_dropped() -> None:
    stray = message(RdmaMsg((), (), None), calls.expected_reply(calls.null(1)), xid=1)
    expectation = expected_reaction(stray, NULLS)

    assert (expectation.xid, expectation.must_end) == (None, False)
    assert not expectation.is_valid_reply


FULL = (chunk(1500, SIZE - 1500),)
READ = (ReadSegment(4, segment(1, 8)),)
OTHER = WriteChunk((segment(50, 1500), segment(99, SIZE - 1500)))
BEYOND = WriteChunk((segment(50, 1500), segment(51, SIZE - 1499)))


@pytest.mark.parametrize(
    "body",
    [
        RdmaMsg(READ, FULL, None),
        RdmaMsg((), (), None),
        RdmaMsg((), (chunk(SIZE),), None),
        RdmaMsg((), FULL, chunk(0)),
        RdmaNomsg((), FULL, None),
        RdmaNomsg((), FULL, chunk(100)),
    ],
    ids=[
        "read-list",
        "no-write-list",
        "fewer-segments",
        "reply-chunk",
        "nomsg",
        "nomsg-with-chunk",
    ],
)
def test_reply_whose_chunks_are_wrong_does_not_complete(body: RdmaMsg | RdmaNomsg) -> None:
    payload = REDUCED if isinstance(body, RdmaMsg) else b""
    expectation = expected_reaction(message(body, payload), FETCHES, lambda _: FETCHED)

    assert [item.kind for item in expectation.allowed] == BAD
    assert expectation.judge(C, FETCH_REPLY).verdict is Verdict.FAIL


FURTHER = WriteChunk((*FULL[0].target, segment(99, 8)))


@pytest.mark.parametrize(
    "told",
    [(BEYOND,), (FURTHER,), FULL * 2],
    ids=["beyond", "a-segment-more", "a-chunk-more"],
)
def test_reply_whose_write_list_tells_too_much_may_complete_with_a_warning(
    told: tuple[WriteChunk, ...],
) -> None:
    """D-28: nothing comes of it but that it misleads."""
    expectation = expected_reaction(
        message(RdmaMsg((), told, None), REDUCED), FETCHES, lambda _: FETCHED
    )

    assert [item.kind for item in expectation.allowed] == [*BAD, C]
    judgement = expectation.judge(C, FETCH_REPLY)
    assert judgement.verdict is Verdict.WARN
    assert judgement.violated[0] == "rfc8166.4.5.bad-reply-header-discarded"


@pytest.mark.parametrize(
    ("body", "verdict"),
    [(RdmaMsg(READ, FULL, None), Verdict.WARN), (RdmaMsg((), (), None), Verdict.PASS)],
    ids=["read-list", "no-write-list"],
)
def test_ending_the_call_warns_where_the_header_is_wrong_by_itself(
    body: RdmaMsg, verdict: Verdict
) -> None:
    expectation = expected_reaction(message(body, REDUCED), FETCHES, lambda _: FETCHED)

    assert expectation.judge(F).verdict is verdict


def test_other_handles_in_returned_segments_do_no_harm() -> None:
    body = RdmaMsg((), (OTHER,), None)

    assert C in reactions(message(body, REDUCED), FETCHES)


def test_result_that_came_inline_beside_its_chunk_ends_the_call() -> None:
    expectation = expected_reaction(
        message(RdmaMsg((), (chunk(0, 0),), None), FETCH_REPLY), FETCHES, lambda _: b""
    )

    assert [item.kind for item in expectation.allowed] == [F]
    assert expectation.ids == ("rfc8166.6.1.unreduced-result-ends-the-rpc",)


@pytest.mark.parametrize(
    ("payload", "lengths"),
    [(NULL_REPLY, (1500, 501)), (REDUCED, (1500, 500)), (REDUCED[:-4], (1500, 501))],
    ids=["no-such-result", "too-short", "count-missing"],
)
def test_result_that_does_not_fit_its_chunk_ends_the_call(
    payload: bytes, lengths: tuple[int, ...]
) -> None:
    body = RdmaMsg((), (chunk(*lengths),), None)
    expectation = expected_reaction(message(body, payload), FETCHES, lambda _: FETCHED)

    assert [item.kind for item in expectation.allowed] == [F]
    assert "rfc8166.6.1.reduced-ineligible-result-ends-the-rpc" in expectation.ids


def test_two_xids_that_differ_leave_everything_open() -> None:
    other = calls.expected_reply(calls.null(XID + 1))

    assert set(reactions(message(RdmaMsg((), (), None), other))) == {C, F, W}


def test_grant_of_zero_leaves_everything_open() -> None:
    octets = message(RdmaMsg((), (), None), NULL_REPLY, grant=0)

    assert set(reactions(octets)) == {C, F, W}


def test_octets_behind_an_rdma_nomsg_may_be_ignored() -> None:
    octets = message(RdmaNomsg((), (), chunk(len(FETCH_REPLY))), b"more")

    assert set(reactions(octets, LONGS)) == {C, F, W}


@pytest.mark.parametrize("payload", [b"", NULL_REPLY[:3], NULL_REPLY[:20], NULL])
def test_payload_that_is_no_reply(payload: bytes) -> None:
    assert reactions(message(RdmaMsg((), (), None), payload)) == BAD


def test_call_that_may_be_over_may_stay_so() -> None:
    outstanding = (OutstandingCall(XID, NULLS.outstanding[0].header, NULL, doubtful=True),)
    state = RequesterState(outstanding=outstanding, upper_layer=TestProgram())

    assert reactions(message(RdmaMsg((), (), None), NULL_REPLY), state) == [C, W]


def test_message_about_a_call_that_could_not_be_read() -> None:
    state = RequesterState(outstanding=(OutstandingCall(XID),), upper_layer=TestProgram())

    assert set(reactions(message(RdmaMsg((), (), None), NULL_REPLY), state)) == {C, F, W}


@given(st.binary(max_size=120), st.integers(0, 5))
def test_any_octets_have_a_reaction(tail: bytes, procedure: int) -> None:
    head = XID.to_bytes(4) + (1).to_bytes(4) + (8).to_bytes(4) + procedure.to_bytes(4)
    for octets in (tail, head + tail):
        for state in (NULLS, FETCHES, LONGS):
            assert expected_reaction(octets, state).allowed
