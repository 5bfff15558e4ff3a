"""What outlives connections: Calls, their XIDs, and who carries them."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.backchannel import WORD_MAXIMUM, Backchannel
from rpcrdma.ulp import testprog_calls as calls


class Woken:
    """A connection that counts how often it is woken."""

    def __init__(self) -> None:
        self.times = 0

    def wake(self) -> None:
        self.times += 1


def test_calls_wait_in_order_each_under_a_fresh_xid() -> None:
    """The XID is in the payload, too."""
    channel = Backchannel()
    tokens = [channel.call(calls.null) for _ in range(3)]
    pending = channel.pending
    assert [call.token for call in pending] == tokens
    assert len({call.xid for call in pending}) == 3
    assert [call.payload for call in pending] == [calls.null(call.xid) for call in pending]
    assert channel.next_waiting() is pending[0]


@pytest.mark.parametrize(("last", "wanted"), [(4, 6), (WORD_MAXIMUM, 0)])
def test_an_xid_in_use_is_passed_over(last: int, wanted: int) -> None:
    """And after the largest comes the smallest."""
    channel = Backchannel()
    channel._last_xid = last
    assert channel.choose_xid({5}) == wanted


def test_the_bound_connection_is_woken_for_each_call_and_no_other() -> None:
    """The one that was bound last."""
    channel, first, second = Backchannel(), Woken(), Woken()
    channel.bind(first)
    channel.call(calls.null)
    channel.bind(second)
    channel.call(calls.null)
    assert (first.times, second.times) == (1, 1)
    assert channel.is_bound_to(second)
    assert not channel.is_bound_to(first)


def test_a_lost_connections_calls_wait_again_and_those_of_another_do_not() -> None:
    """In the order in which they were made."""
    channel, first, second = Backchannel(), Woken(), Woken()
    channel.bind(first)
    for carrier in (first, second, first):
        channel.call(calls.null)
        channel.pending[-1].carrier = carrier
    first.times = 0
    channel.lost(first)
    assert [call.carrier for call in channel.pending] == [None, second, None]
    assert not channel.is_bound_to(first)
    assert first.times == 0


def test_a_client_that_reconnected_before_the_loss_was_noticed_gets_them_at_once() -> None:
    """The connection that is bound by then is woken."""
    channel, first, second = Backchannel(), Woken(), Woken()
    channel.bind(first)
    channel.call(calls.null)
    channel.bind(second)
    channel.lost(first)
    assert second.times == 1
    assert channel.is_bound_to(second)


def test_whoever_made_a_call_hears_of_its_end_once() -> None:
    """A Reply or a failure, by token; then the XID is free."""
    heard: list[object] = []
    channel = Backchannel(heard.append)
    tokens = [channel.call(calls.null) for _ in range(2)]
    first, second = channel.pending
    channel.replied(first, b"reply")
    channel.failed(second, Failure.CANNOT_SEND, "too large")
    assert heard == [
        ReplyReceived(tokens[0], b"reply"),
        CallFailed(tokens[1], Failure.CANNOT_SEND, "too large"),
    ]
    assert channel.pending == ()


def test_nobody_need_listen() -> None:
    """A channel without a listener forgets what ends."""
    channel = Backchannel()
    channel.call(calls.null)
    channel.replied(channel.pending[0], b"")
    assert channel.pending == ()
