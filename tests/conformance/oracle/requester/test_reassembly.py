"""Replies put together out of stream and Write chunks."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.reassembly import reassemble
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import reduce
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment, WriteChunk

LAYER = TestProgram()


def chunk(length: int, handle: int = 1) -> WriteChunk:
    return WriteChunk((RdmaSegment(handle, length, 0),))


CASES = {
    "one": calls.fetch(1, 101, 1),
    "two": calls.fetch_two(1, 101, 50, b"note"),
    "second-only": calls.fetch_union(1, None, 30),
    "long": calls.long_fetch(1, 40, 70),
}


@pytest.mark.parametrize("call", CASES.values(), ids=CASES)
def test_results_go_back_to_their_places(call: bytes) -> None:
    whole = calls.expected_reply(call)
    items = [item for item in LAYER.results(call, whole) if item is not None]
    reply, data = reduce(whole, items)
    writes = tuple(chunk(item.length, index) for index, item in enumerate(items))
    found = reassemble(call, reply, writes, lambda target: data[target[0].handle], LAYER)

    assert (found.payload, found.fault) == (whole, "")


def test_chunk_that_is_left_over_is_empty() -> None:
    call = CASES["second-only"]
    whole = calls.expected_reply(call)
    (item,) = (item for item in LAYER.results(call, whole) if item is not None)
    reply, data = reduce(whole, [item])

    good = reassemble(call, reply, (chunk(30), chunk(0)), lambda _: data[0], LAYER)
    bad = reassemble(call, reply, (chunk(0), chunk(30)), lambda _: data[0], LAYER)

    assert good.payload == whole
    assert bad.requirements[0] == "rfc8166.6.1.reduced-ineligible-result-ends-the-rpc"


def test_result_inline_beside_its_chunk_is_named_so() -> None:
    call = CASES["one"]
    found = reassemble(call, calls.expected_reply(call), (chunk(0),), None, LAYER)

    assert found.requirements == ("rfc8166.6.1.unreduced-result-ends-the-rpc",)


def test_empty_chunk_asks_for_the_result_inline() -> None:
    call = CASES["one"]
    whole = calls.expected_reply(call)

    assert reassemble(call, whole, (WriteChunk(()),), None, LAYER).payload == whole


def test_contents_that_nobody_knows_leave_the_payload_open() -> None:
    call = CASES["one"]
    whole = calls.expected_reply(call)
    items = [item for item in LAYER.results(call, whole) if item is not None]
    reply, _ = reduce(whole, items)
    found = reassemble(call, reply, (chunk(101),), None, LAYER)

    assert (found.payload, found.fault) == (None, "")
