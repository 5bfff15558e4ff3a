"""What the Responder answers to faulty messages, row by row of the faults table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer
from rpcrdma.fabric.base import Access
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import (
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
)

XID = 0x1234
Pair = Callable[..., Any]
Hear = Callable[..., Any]


def message(body: Any, payload: bytes = b"", version: int = 1) -> bytes:  # noqa: ANN401
    return encode_header(TransportHeader(XID, version, 4, body)) + payload


def read(*positions: int, length: int = 4) -> tuple[ReadSegment, ...]:
    return tuple(ReadSegment(position, RdmaSegment(1, length, 0)) for position in positions)


NULL = calls.null(XID)
SHORT = RdmaMsg((), (), None)
ROOM = WriteChunk((RdmaSegment(1, 8, 0),))

FAULTY = {
    Fault.RUNT: message(SHORT)[:27],
    Fault.UNKNOWN_VERSION: message(SHORT, NULL, version=2),
    Fault.UNKNOWN_VERSION_ERROR: message(RdmaError(ErrVers(1, 1)), version=9),
    Fault.UNDECODABLE_HEADER: message(SHORT)[:24] + b"\0\0\0\2" + NULL,
    Fault.MSGP_CALL: message(RdmaMsgp(0, 0, (), (), None), NULL),
    Fault.DONE_MESSAGE: message(RdmaDone(), NULL),
    Fault.ERROR_MESSAGE: message(RdmaError(ErrVers(1, 1))),
    Fault.NOMSG_WITHOUT_LISTS: message(RdmaNomsg((), (), None)),
    Fault.NOMSG_WITHOUT_CALL: message(RdmaNomsg((), (ROOM,), None)),
    Fault.POSITION_ZERO_IN_MSG: message(RdmaMsg(read(0), (), None), NULL),
    Fault.POSITION_UNALIGNED: message(RdmaMsg(read(42), (), None), NULL),
    Fault.POSITION_BEYOND_STREAM: message(RdmaMsg(read(44), (), None), NULL),
    Fault.POSITION_REPEATED: message(RdmaMsg(read(8, 40, 8), (), None), NULL),
    Fault.EMPTY_LONG_CALL: message(RdmaNomsg(read(0, length=0), (), None)),
    Fault.READ_TOO_LONG: message(RdmaMsg(read(40, length=2**32 - 1), (), None), NULL),
    Fault.XID_MISMATCH: message(SHORT, calls.null(XID + 1)),
    Fault.NOT_A_CALL: message(SHORT, rpc.accepted(XID)),
    Fault.WRITE_CHUNK_TOO_SHORT: message(RdmaMsg((), (ROOM,), None), calls.fetch(XID, 9)),
    Fault.REPLY_CHUNK_TOO_SHORT: message(RdmaMsg((), (), ROOM), calls.long_reply(XID, 2000)),
    Fault.REPLY_CHUNK_MISSING: message(SHORT, calls.long_reply(XID, 2000)),
}
"""One message for each fault that shows without memory of ours."""

BODIES = {FaultAnswer.ERR_VERS: ErrVers(1, 1), FaultAnswer.ERR_CHUNK: ErrChunk()}


@pytest.mark.parametrize("fault", FAULTY, ids=lambda fault: fault.name)
def test_responder_answers_a_fault_as_the_table_says(pair: Pair, hear: Hear, fault: Fault) -> None:
    """The right error or silence; then a good call is served on the same connection."""
    with pair() as exchange:
        connection = exchange.connect()
        connection.post_send(FAULTY[fault])
        connection.post_send(message(SHORT, NULL))
        *answers, (header, payload) = hear(connection)

    answer = RULES[fault].answer
    if answer is FaultAnswer.DISCARD:
        assert answers == []
    else:
        version = 2 if answer is FaultAnswer.ERR_VERS else 1
        error = TransportHeader(XID, version, 4, RdmaError(BODIES[answer]))
        assert [found for found, _ in answers] == [error]
    assert header == TransportHeader(XID, 1, 4, SHORT)
    assert payload == calls.expected_reply(NULL)


@pytest.mark.parametrize("cut", range(28, 28 + 24 + 28, 4))
def test_responder_answers_a_header_cut_at_any_word_by_err_chunk(
    pair: Pair, hear: Hear, cut: int
) -> None:
    """Whatever is missing of the lists, the answer is ERR_CHUNK."""
    whole = message(RdmaMsg(read(8), (ROOM,), ROOM))
    with pair() as exchange:
        connection = exchange.connect()
        connection.post_send(whole[: min(cut, len(whole) - 4)])
        answers = [header.rdma_body for header, _ in hear(connection)]
    assert answers == [RdmaError(ErrChunk())]


def test_responder_refuses_an_ineligible_argument(pair: Pair, hear: Hear) -> None:
    """A reduced ECHO note is ERR_CHUNK, and nothing is executed."""
    call = calls.echo(XID, b"four")
    with pair() as exchange:
        connection = exchange.connect()
        region = connection.register(4, Access.REMOTE_READ)
        region.write(b"four")
        where = ReadSegment(44, RdmaSegment(region.handle, 4, region.offset))
        connection.post_send(message(RdmaMsg((where,), (), None), call[:44]))
        assert [header.rdma_body for header, _ in hear(connection)] == [RdmaError(ErrChunk())]


def test_responder_answers_a_wrong_chunk_length_by_garbage_args(pair: Pair, hear: Hear) -> None:
    """A Read chunk of 5 octets for an item of 6: GARBAGE_ARGS in RDMA_MSG, the chunks returned."""
    call = calls.store(XID, b"sixsix")
    with pair() as exchange:
        connection = exchange.connect()
        region = connection.register(5, Access.REMOTE_READ)
        where = ReadSegment(44, RdmaSegment(region.handle, 5, region.offset))
        connection.post_send(message(RdmaMsg((where,), (ROOM,), None), call[:44]))
        ((header, payload),) = hear(connection)
    unused = WriteChunk((RdmaSegment(1, 0, 0),))
    assert header.rdma_body == RdmaMsg((), (unused,), None)
    assert payload == rpc.garbage_args(XID)


def test_responder_answers_a_damaged_rpc_header_by_garbage_args(pair: Pair, hear: Hear) -> None:
    """A reduced Call whose credential is longer than any may be: no results, the chunk returned."""
    call = calls.store(XID, b"sixsix")[:44]
    damaged = call[:28] + b"\xff\xff\xff\xff" + call[32:]
    with pair() as exchange:
        connection = exchange.connect()
        region = connection.register(6, Access.REMOTE_READ)
        where = ReadSegment(44, RdmaSegment(region.handle, 6, region.offset))
        connection.post_send(message(RdmaMsg((where,), (ROOM,), None), damaged))
        ((header, payload),) = hear(connection)
    assert header.rdma_body == RdmaMsg((), (WriteChunk((RdmaSegment(1, 0, 0),)),), None)
    assert payload == rpc.garbage_args(XID)


def test_responder_loses_one_connection_for_a_bad_handle_and_then_says_so(
    pair: Pair, hear: Hear
) -> None:
    """A stale handle costs its own connection only; the repetition gets ERR_CHUNK (4.5.3)."""
    call = message(RdmaMsg(read(44), (), None), calls.store(XID, b"four")[:44])
    with pair() as exchange:
        other, first = exchange.connect(), exchange.connect()
        first.post_send(call)
        assert hear(first) == []
        assert not first.connected
        second = exchange.connect()
        second.post_send(call)
        assert [header.rdma_body for header, _ in hear(second)] == [RdmaError(ErrChunk())]
        other.post_send(message(SHORT, NULL))
        assert len(hear(other)) == 1


def test_responder_never_grants_more_than_it_has_posted_nor_zero(pair: Pair, hear: Hear) -> None:
    """Requests of 0, 1 and the largest number."""
    grants = []
    with pair() as exchange:
        connection = exchange.connect()
        for wanted in (0, 1, 2**32 - 1):
            header = TransportHeader(XID, 1, wanted, SHORT)
            connection.post_send(encode_header(header) + NULL)
            grants += [found.rdma_credit for found, _ in hear(connection)]
    assert grants == [1, 1, 32]


def test_every_fault_has_a_rule() -> None:
    """The table is total, and cites a section each."""
    assert set(RULES) == set(Fault)
    assert all(rule.sections and rule.requirement for rule in RULES.values())
