"""Two endpoints exchange every form of message, and every octet is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.requester import RequesterOptions
from rpcrdma.fabric.trace import EventKind
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE = 5.0

sizes = st.integers(0, 9000)
notes = st.binary(max_size=512)


def payloads(xid: int) -> st.SearchStrategy[bytes]:
    """Any call of the test program that is answered at once."""
    data = st.builds(pattern, sizes, st.integers(0, 9))
    x = st.just(xid)
    return st.one_of(
        st.builds(calls.null, x),
        st.builds(calls.echo, x, notes),
        st.builds(calls.store, x, data),
        st.builds(calls.store_two, x, data, notes, data),
        st.builds(calls.fetch, x, sizes),
        st.builds(calls.fetch_two, x, sizes, sizes, notes),
        st.builds(calls.fetch_union, x, st.none() | sizes, st.none() | sizes),
        st.builds(calls.long_call, x, data),
        st.builds(calls.long_reply, x, sizes),
        st.builds(calls.long_store, x, data, data),
        st.builds(calls.long_fetch, x, sizes, sizes),
    )


options = st.builds(
    RequesterOptions,
    credits=st.integers(1, 40),
    segment=st.integers(900, 5000),
    inline_results=st.sampled_from((0, 100)),
    form=st.sampled_from((None, *MessageForm)),
    always_reduce_results=st.booleans(),
)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(options, st.lists(st.integers(1, 2**32 - 1), min_size=1, max_size=6, unique=True), st.data())
def test_every_reply_is_the_one_right_reply(
    pair: Callable[..., Any], chosen: RequesterOptions, xids: list[int], data: st.DataObject
) -> None:
    """Whatever the sizes, forms, segments and credits, each call gets the reply that it must."""
    upper_layer = TestProgram()
    with pair() as exchange:
        client = exchange.client(chosen)
        wanted = {}
        for xid in xids:
            payload = data.draw(payloads(xid))
            wanted[client.call(upper_layer, payload)] = calls.expected_reply(payload)
        for _ in xids:
            event = client.next_event(DEADLINE)
            assert isinstance(event, ReplyReceived), event
            assert event.payload == wanted.pop(event.token)
        client.close()


def test_the_forms_are_really_used(pair: Callable[..., Any]) -> None:
    """A call with everything in it moves its octets by RDMA Read and Write."""
    store = calls.long_store(1, pattern(3000, 1), pattern(2000, 2))
    with pair() as exchange:
        client = exchange.client(RequesterOptions(segment=1500))
        for payload in (store, calls.long_fetch(2, 5000, 6000)):
            event = client.complete(client.call(TestProgram(), payload), DEADLINE)
            assert event == ReplyReceived(event.token, calls.expected_reply(payload))
        kinds = [event.kind for event in exchange.server._listener.fabric.trace.events]
    assert kinds.count(EventKind.RDMA_READ) == 3 + 2
    assert kinds.count(EventKind.RDMA_WRITE) == 4 + 4
