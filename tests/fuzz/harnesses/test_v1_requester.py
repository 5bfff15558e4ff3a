from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.harnesses.v1_requester import HARNESS, check, reference
from fuzz.invariant import BrokenInvariant
from fuzz.planted import keeps_refused_memory, sums_grants
from fuzz.sequence import join, split
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import ErrChunk, RdmaError, RdmaMsg, TransportHeader, encode_header

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import MessageReceived


def refusal(xid: int) -> bytes:
    return encode_header(TransportHeader(xid, 1, 4, RdmaError(ErrChunk())))


def reply(xid: int, credits: int = 4) -> bytes:  # noqa: A002  # the word of the documents
    return encode_header(TransportHeader(xid, 1, credits, RdmaMsg((), (), None))) + accepted(xid)


@given(st.lists(st.binary(max_size=80), max_size=4))
def test_reference_keeps_the_invariant_for_any_messages(messages: list[bytes]) -> None:
    check(join([*messages, refusal(1), reply(7)]), reference())


def test_credits_that_are_added_up_are_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(join([reply(7)]), sums_grants())
    assert caught.value.invariant == "oracle"
    assert "no-call-beyond-the-grant" in caught.value.detail


def test_memory_that_stays_within_reach_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(join([refusal(3)]), keeps_refused_memory())
    assert "exposed" in caught.value.detail


class StopsListening(Requester):
    """Drops all messages after the first."""

    heard = False

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        if self.heard:
            return [self._receive_again]
        self.heard = True
        return super()._receive(event, now)


def test_a_requester_that_ends_no_call_is_found() -> None:
    with pytest.raises(BrokenInvariant):
        check(b"", StopsListening)


def test_seeds_answer_calls_that_are_under_way() -> None:
    other, known = reply(0x1234_5678), reply(3)
    (seed,) = HARNESS.seeds([other, known])

    assert split(seed) == [reply(1), known]
