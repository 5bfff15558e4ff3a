from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.outcome import ErrVers, InvalidOption
from fuzz.harnesses.v2_responder import check, reference
from fuzz.responder_executor import ResponderExecutor, good_call
from fuzz.sequence import join
from rpcrdma.ulp import backprog
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header, v2
from rpcrdma.wire.rpc import MessageType

CALL, REPLY = MessageType.CALL, MessageType.REPLY


def two(xid: int, payload: bytes, way: MessageType = CALL) -> bytes:
    header = v2.Rdma2Header(xid, 2, 8, v2.Rdma2Msg(way, (), (), None))
    return v2.encode_header(header) + payload


def one(xid: int, payload: bytes, version: int = 1) -> bytes:
    return encode_header(TransportHeader(xid, version, 8, RdmaMsg((), (), None))) + payload


NULL = two(5, calls.null(5))
UNKNOWN = one(6, calls.null(6), 99)
OPTION = v2.encode_header(v2.Rdma2Header(7, 2, 8, v2.Rdma2Optional(CALL, 77, b"")))
BACK = [two(8, backprog.ready(8, 1)), two(9, backprog.call(9, 1, 2))]
"""The client takes Calls, and asks for two: one may be in flight."""


@given(st.lists(st.binary(max_size=80), max_size=4))
def test_reference_keeps_the_invariant_for_any_messages(messages: list[bytes]) -> None:
    check(join([*messages, NULL]), reference())


def test_reference_keeps_the_invariant_over_versions_options_and_directions() -> None:
    replies = [two(xid, accepted(xid), REPLY) for xid in (1, 2, 3)]
    check(join([NULL, good_call(3), UNKNOWN, OPTION, *BACK, *replies, NULL]), reference())


def test_each_message_is_answered_in_its_version_and_an_option_refused() -> None:
    run = ResponderExecutor(reference()).run([NULL, UNKNOWN, OPTION])
    first, unknown, option = (outcome.outcome for outcome in run.outcomes)

    assert "RDMA2_MSG REPLY" in str(first)
    assert isinstance(unknown, ErrVers)
    assert unknown.versions == (1, 2)
    assert isinstance(option, InvalidOption)


def test_what_a_server_calls_back_is_no_answer() -> None:
    *_, asked, end = ResponderExecutor(reference()).run([*BACK, NULL]).outcomes

    (called,) = asked.calls
    assert len(asked.answers) == 1
    assert asked.outcome.xid != called.xid
    assert not end.calls
