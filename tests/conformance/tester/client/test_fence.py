"""What comes after a message is sorted by its XID."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.outcome import Answered, Disconnected, Outcome, Silent, read_outcome
from conformance.tester.client.fence import AnswerPlace, Fence
from rpcrdma.wire import ErrChunk, RdmaError, TransportHeader, encode_header

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


def error(xid: int) -> Outcome:
    return read_outcome(encode_header(TransportHeader(xid, 1, 8, RdmaError(ErrChunk()))))


@pytest.mark.parametrize(
    ("outcome", "place"),
    [
        (error(7), AnswerPlace.MESSAGE),
        (error(9), AnswerPlace.FENCE),
        (error(8), AnswerPlace.ANOTHER),
        (Silent(1.0), AnswerPlace.NOTHING),
        (Disconnected("by the device"), AnswerPlace.NOTHING),
        (read_outcome(b"no header"), AnswerPlace.NOTHING),
    ],
)
def test_an_answer_is_sorted_by_its_xid(outcome: Outcome, place: AnswerPlace) -> None:
    assert Fence(7, 9).place(outcome) is place


def test_without_a_fence_nothing_answers_it() -> None:
    assert Fence(7, 7).place(error(7)) is AnswerPlace.MESSAGE
    assert Fence(7, 7).place(error(9)) is AnswerPlace.ANOTHER


def test_the_fence_is_a_good_call_under_an_xid_of_its_own(peer: Peer) -> None:
    first = Fence.behind(peer, 7)
    second = Fence.behind(peer, first.xid + 1)

    outcomes = [peer.receive(), peer.receive()]
    assert [type(outcome) for outcome in outcomes] == [Answered, Answered]
    assert [second.place(outcome) for outcome in outcomes] == [
        AnswerPlace.ANOTHER,
        AnswerPlace.FENCE,
    ]
    assert second.xid != first.xid + 1
