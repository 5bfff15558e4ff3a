"""The memory of calls that cost a connection (rfc8166 4.5.3, D-26)."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.responder.lost_replies import LostReplies, is_fault_of_the_call
from rpcrdma.fabric.completion import CompletionStatus


def test_a_call_is_known_by_its_xid_together_with_its_likeness() -> None:
    """Requesters may use equal XIDs for different calls."""
    lost = LostReplies()
    lost.remember(7, b"call")
    assert lost.knows(7, b"call")
    assert not lost.knows(7, b"other")
    assert not lost.knows(8, b"call")


def test_the_oldest_call_is_forgotten_first() -> None:
    """The memory is bounded, whatever a peer does."""
    lost = LostReplies(capacity=2)
    for xid in (1, 2, 3):
        lost.remember(xid, b"")
    assert [lost.knows(xid, b"") for xid in (1, 2, 3)] == [False, True, True]
    assert lost.count == 2


def test_remembering_twice_takes_one_place() -> None:
    """A call that costs a connection again is still one call."""
    lost = LostReplies()
    lost.remember(1, b"")
    lost.remember(1, b"")
    assert lost.count == 1


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (CompletionStatus.REMOTE_ACCESS_ERROR, True),
        (CompletionStatus.REMOTE_INVALID_REQUEST, True),
        (CompletionStatus.RETRY_EXCEEDED, False),
        (CompletionStatus.RNR_RETRY_EXCEEDED, False),
        (CompletionStatus.FLUSHED, False),
    ],
)
def test_only_what_the_call_offered_is_a_fault_of_the_call(
    status: CompletionStatus, fault: bool
) -> None:
    """A connection that ends for another reason does not end the call (rfc8166 4.5.5)."""
    assert is_fault_of_the_call(status.value) is fault
