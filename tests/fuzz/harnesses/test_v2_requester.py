from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.harnesses.v2_requester import check, reference
from fuzz.invariant import BrokenInvariant
from fuzz.planted import sums_grants_in_two
from fuzz.requester_executor import RequesterExecutor
from fuzz.sequence import join
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import v2
from rpcrdma.wire.rpc import MessageType


def reply(xid: int, way: MessageType = MessageType.REPLY) -> bytes:
    header = v2.Rdma2Header(xid, 2, 4, v2.Rdma2Msg(way, (), (), None))
    return v2.encode_header(header) + accepted(xid)


@given(st.lists(st.binary(max_size=80), max_size=4))
def test_reference_keeps_the_invariant_for_any_messages(messages: list[bytes]) -> None:
    check(join([*messages, reply(7)]), reference())


def test_messages_of_the_other_direction_are_not_for_the_requester() -> None:
    wrong = reply(7, MessageType.CALL)
    outcomes = RequesterExecutor(reference()).run([wrong]).outcomes

    assert any(outcome.problems for outcome in outcomes)
    check(join([wrong]), reference())


def test_credits_that_are_added_up_are_found() -> None:
    with pytest.raises(BrokenInvariant, match="calls-within-the-grant"):
        check(join([reply(7)]), sums_grants_in_two())


def test_an_error_of_version_two_in_another_version_ends_no_call() -> None:
    """Found by the mutator of sequences: the Call ended, though Version One has no such error."""
    header = v2.Rdma2Header(7, 1, 4, v2.Rdma2Error(v2.ErrInvalidOption()))

    check(join([v2.encode_header(header)]), reference())
