"""The Receives for later transmissions of responses: the arithmetic, and Calls that share them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.requester.reserve import Reserve
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import v2
from rpcrdma.wire.operations import XmtReq
from tests.endpoint.groups import BARE
from tests.endpoint.lone_ends import LoneRequester, option_of, plain_reply, response


def test_receives_that_are_posted_serve_the_next_call() -> None:
    """rtrext 4.3: what is left unused stays posted."""
    reserve = Reserve(8)

    assert (reserve.take(3), reserve.left) == (3, 5)
    assert (reserve.take(4), reserve.left) == (4, 1)
    reserve.give_back(3)
    assert (reserve.take(2), reserve.left) == (0, 2)
    assert reserve.take(2) == 1


def long_reply(xid: int) -> bytes:
    """A call whose reply takes three Sends."""
    return calls.long_reply(xid, 8192)


def grouped(message: bytes) -> bool:
    return isinstance(v2.decode_header(message)[0].rdma_body, v2.Rdma2Optional)


def test_receives_are_posted_before_the_request_that_needs_them() -> None:
    """rtrext 4.3: one more than is told, since the number may be read as that of the others."""
    end = LoneRequester(BARE, BARE)
    (message,) = end.asks(long_reply(7))
    contents = option_of(message)

    assert isinstance(contents, XmtReq)
    # One of them is that of the Call's credit, which was owed.
    assert (contents.optxrq_rsbuf, end.posted) == (3, 3 + 1)


def test_calls_beyond_the_reserve_go_by_the_base_protocol() -> None:
    """Of many at once; those after an end of one are groups again."""
    end = LoneRequester(replace(BARE, reserve=8), BARE)
    sent = [grouped(end.asks(long_reply(xid))[0]) for xid in range(7, 12)]

    assert sent == [True, True, False, False, False]
    end.hears(response(8, calls.expected_reply(long_reply(8))[:1000]))
    assert grouped(end.asks(long_reply(20))[0])
    assert not grouped(end.asks(long_reply(21))[0])


@pytest.mark.parametrize("slow", [False, True])
def test_call_that_was_given_up_returns_its_receives_once(*, slow: bool) -> None:
    """When it is answered and its memory is safe, in whichever order."""
    end = LoneRequester(replace(BARE, reserve=5), BARE)
    end.asks(calls.long_fetch(7, 8192, 9000))
    end.slow = slow
    end.does(events.CallCancelled(7))
    end.hears(plain_reply(7, calls.expected_reply(calls.null(7))))
    end.catch_up()
    end.slow = False

    sent = [grouped(end.asks(long_reply(xid))[0]) for xid in (9, 10)]
    assert sent == [True, False]
