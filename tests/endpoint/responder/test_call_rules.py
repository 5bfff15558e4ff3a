"""How the reference Responder judges a call: which fault each defect is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules, IncomingCall
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    ErrChunk,
    FixedWords,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    fixed_words,
)
from rpcrdma.wire.rpc import xid_of

RULES = CallRules()
WORDS = FixedWords(1, 1, 1, 0)
LIMIT = 1000
NULL = calls.null(1)
ROOM = WriteChunk((RdmaSegment(1, 8, 0),))


def reads(*segments: tuple[int, int]) -> tuple[ReadSegment, ...]:
    """Read segments from (Position, length)."""
    return tuple(ReadSegment(position, RdmaSegment(1, length, 0)) for position, length in segments)


def short(*segments: tuple[int, int], inline: bytes = NULL) -> IncomingCall:
    return RULES.take_short(WORDS, RdmaMsg(reads(*segments), (), None), inline, LIMIT)


@pytest.mark.parametrize(
    ("segments", "fault"),
    [
        (((0, 4),), Fault.POSITION_ZERO_IN_MSG),
        (((41, 4),), Fault.POSITION_UNALIGNED),
        (((8, 4), (40, 4), (8, 4)), Fault.POSITION_REPEATED),
        (((44, 4),), Fault.POSITION_BEYOND_STREAM),
        (((40, LIMIT),), Fault.READ_TOO_LONG),
    ],
)
def test_a_bad_read_list_is_the_fault_that_the_table_knows(
    segments: tuple[tuple[int, int], ...], fault: Fault
) -> None:
    """rfc8166 3.4.5, 3.5.3 and 8.1.4; the NULL call has 40 octets."""
    with pytest.raises(FaultFound) as found:
        short(*segments)
    assert found.value.fault is fault


def test_positions_may_reach_into_what_earlier_chunks_bring() -> None:
    """rfc8166 3.4.5: Positions count in the unreduced stream, roundup included (D-23)."""
    call = short((48, 4), (40, 5))
    assert [chunk.position for chunk in call.chunks] == [40, 48]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (RdmaNomsg((), (), None), Fault.NOMSG_WITHOUT_LISTS),
        (RdmaNomsg((), (ROOM,), None), Fault.NOMSG_WITHOUT_CALL),
        (RdmaNomsg((), (), ROOM), Fault.NOMSG_WITHOUT_CALL),
        (RdmaNomsg(reads((4, 4)), (), None), Fault.NOMSG_WITHOUT_CALL),
        (RdmaNomsg(reads((0, 0)), (), None), Fault.EMPTY_LONG_CALL),
    ],
)
def test_a_long_call_needs_its_payload_at_position_zero(body: RdmaNomsg, fault: Fault) -> None:
    """rfc8166 4.5.2, 4.2.4 and 3.5.3."""
    with pytest.raises(FaultFound) as found:
        RULES.take_long(WORDS, body, LIMIT)
    assert found.value.fault is fault


def test_a_long_call_is_put_together_with_its_reduced_items() -> None:
    """The Position-Zero chunk is the reduced stream; the others go into it."""
    body = RdmaNomsg(reads((0, 8), (4, 3)), (), None)
    call = RULES.take_long(WORDS, body, LIMIT)
    assert RULES.assemble(call, (b"headtail", b"abc")) == b"headabc\0tail"


@pytest.mark.parametrize(
    ("payload", "fault"),
    [(NULL[:7], Fault.NOT_A_CALL), (calls.null(2), Fault.XID_MISMATCH)],
)
def test_a_payload_begins_with_the_xid_of_its_header(payload: bytes, fault: Fault) -> None:
    """rfc8166 4.5.2; where there is no whole RPC message, D-40."""
    with pytest.raises(FaultFound) as found:
        RULES.judge_xid(1, payload)
    assert found.value.fault is fault


@pytest.mark.parametrize("payload", [NULL[:7], rpc.accepted(1)])
def test_a_payload_is_a_call(payload: bytes) -> None:
    """rfc8166 2.2.2 and D-40."""
    with pytest.raises(FaultFound) as found:
        RULES.judge_message_type(payload)
    assert found.value.fault is Fault.NOT_A_CALL


@pytest.mark.parametrize(
    ("payload", "segment", "fault"),
    [
        (calls.echo(1, b"four"), (44, 4), Fault.INELIGIBLE_ARGUMENT),
        (calls.store(1, b"sixsix"), (44, 5), Fault.READ_CHUNK_LENGTH),
        (calls.store(1, b"sixsix")[:42], (40, 2), Fault.UNDECODABLE_ARGUMENTS),
    ],
)
def test_a_read_chunk_is_one_eligible_argument(
    payload: bytes, segment: tuple[int, int], fault: Fault
) -> None:
    """rfc8166 6.1 and 3.4.5.2, D-24."""
    call = short(segment, inline=payload)
    with pytest.raises(FaultFound) as found:
        RULES.judge_arguments(call, payload, TestProgram())
    assert found.value.fault is fault


@pytest.mark.parametrize("length", [6, 8])
def test_a_read_chunk_may_have_its_roundup_or_not(length: int) -> None:
    """rfc8166 3.4.5.2: six octets of data, or eight with padding."""
    payload = calls.store(1, b"sixsix")
    RULES.judge_arguments(short((44, length), inline=payload), payload, TestProgram())


def test_what_is_shorter_than_any_header_is_a_runt() -> None:
    """rfc8166 4.5: 28 octets are the least."""
    assert RULES.is_runt(bytes(27))
    assert not RULES.is_runt(bytes(28))
    assert [version for version in range(4) if RULES.supports_version(version)] == [1]


def test_fixed_words_are_read_without_decoding_the_rest() -> None:
    """rfc8166 4.2: they mean the same in every version."""
    header: Any = TransportHeader(7, 2, 3, RdmaError(ErrChunk()))
    words = fixed_words(encode_header(header))
    assert words == FixedWords(7, 2, 3, 4)
    assert words.is_error
    assert xid_of(NULL) == 1


def test_a_header_that_cannot_be_decoded_is_a_fault() -> None:
    """rfc8166 4.5.2: never a DecodeError."""
    with pytest.raises(FaultFound) as found:
        RULES.decode(bytes(12) + b"\0\0\0\x09" + bytes(12))
    assert found.value.fault is Fault.UNDECODABLE_HEADER


def test_the_handles_of_a_call_are_those_of_all_its_chunks() -> None:
    """Results first, as remote invalidation takes them (D-80)."""
    offered = tuple(WriteChunk((RdmaSegment(handle, 8, 0),)) for handle in (5, 6))
    call = replace(short((40, 8)), writes=offered[:1], reply=offered[1])
    assert call.handles == (5, 1, 6)
    assert short().handles == ()
