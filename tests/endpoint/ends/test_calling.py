"""Calls as an application makes them: tokens, waiting, deadlines, cancelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rpcrdma.endpoint.core.actions import CallFailed, Failure, ReplyReceived
from rpcrdma.errors import DeadlineExceeded
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    Pair = Callable[..., Any]

DEADLINE = 5.0
LAYER = TestProgram()


def test_a_call_completes_by_its_token_whatever_came_earlier(pair: Pair) -> None:
    """Replies of other calls are kept, for `complete` as well as for `next_event`."""
    with pair() as exchange:
        client = exchange.client()
        first, second, third = (client.call(LAYER, calls.null(xid)) for xid in (1, 2, 3))
        assert client.complete(third, DEADLINE).token == third
        assert client.complete(second, DEADLINE).token == second
        assert client.next_event(DEADLINE).token == first


def test_a_call_that_is_not_answered_misses_its_deadline_and_can_be_cancelled(pair: Pair) -> None:
    """A HOLD that nobody releases."""
    with pair() as exchange:
        client = exchange.client()
        token = client.call(LAYER, calls.hold(1, 5))
        with pytest.raises(DeadlineExceeded):
            client.complete(token, 0.1)
        client.cancel(token)
        assert client.complete(token, DEADLINE) == CallFailed(token, Failure.CANCELLED)


def test_closing_fails_what_is_in_progress(pair: Pair) -> None:
    """And nothing more comes afterwards."""
    with pair() as exchange:
        client = exchange.client()
        token = client.call(LAYER, calls.hold(1, 5))
        client.close()
        client.close()
        event = client.next_event(DEADLINE)
        assert (event.token, event.failure) == (token, Failure.CONNECTION_LOST)
        with pytest.raises(DeadlineExceeded):
            client.next_event(DEADLINE)


def test_held_calls_are_answered_out_of_order(pair: Pair) -> None:
    """Replies match calls by XID and not by order (rfc8166 4.2.1): released ones come last."""
    with pair() as exchange:
        client = exchange.client()
        client.complete(client.call(LAYER, calls.null(9)), DEADLINE)  # for credits
        wanted = {}
        for payload in (
            calls.hold(1, 5),
            calls.hold(2, 6),
            calls.hold(3, 5),
            calls.null(4),
            calls.release(5, 6),
            calls.release(6, 5),
        ):
            wanted[client.call(LAYER, payload)] = payload
        order = []
        for _ in range(6):
            event = client.next_event(DEADLINE)
            assert isinstance(event, ReplyReceived)
            order.append(int.from_bytes(event.payload[:4], "big"))
            if order[-1] < 5:  # a RELEASE is answered by a number that depends on what was held
                assert event.payload == calls.expected_reply(wanted[event.token])
        assert order == [4, 5, 2, 6, 1, 3]
