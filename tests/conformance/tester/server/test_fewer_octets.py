"""Replies with less data than was asked for."""

from __future__ import annotations

import pytest

from conformance.tester.case import Inconclusive
from conformance.tester.server.fewer_octets import reply_with_fewer
from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import _generated_testprog as wire

XID = 0x11


def test_gives_the_reply_to_a_call_that_asks_for_less() -> None:
    call = testprog_calls.fetch(XID, 4096)

    reply = reply_with_fewer(TestProgram(), call, 64)

    answered, start = rpc.decode_reply(reply)
    result, end = wire.decode_fetch_result(reply, start)
    assert (answered.xid, answered.succeeded, end) == (XID, True, len(reply))
    assert result == wire.Fetched(pattern(64))


@pytest.mark.parametrize(
    "call",
    [testprog_calls.null(XID), testprog_calls.echo(XID, b"note"), testprog_calls.fetch(XID, 4096)],
    ids=["no-results", "no-eligible-result", "too-much"],
)
def test_says_that_a_call_does_not_tell_how_much_it_wants(call: bytes) -> None:
    with pytest.raises(Inconclusive, match="does not say in one word how many octets"):
        reply_with_fewer(TestProgram(), call, 2**31)


def test_says_that_a_call_cannot_be_read() -> None:
    call = testprog_calls.fetch(XID, 4096)

    with pytest.raises(Inconclusive, match="cannot be asked for less"):
        reply_with_fewer(TestProgram(), call[:-4], 64)
