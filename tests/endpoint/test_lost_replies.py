"""The memory of calls that cost a connection (rfc8166 4.5.3, D-26)."""

from __future__ import annotations

from rpcrdma.endpoint.lost_replies import LostReplies


def test_a_call_is_known_by_its_xid_together_with_its_inline_octets() -> None:
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
