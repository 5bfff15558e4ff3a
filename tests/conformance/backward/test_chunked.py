"""Backward Calls with chunks, as the tester takes them from the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.backward import chunked
from conformance.backward.client import BackwardClient
from conformance.tester.case import Deviation
from conformance.tester.client.message import option
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaSegment, WriteChunk
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import BackwardRequestSupport, BackwardSupport, property_values

if TYPE_CHECKING:
    from conformance.tester.client.harness import Harness

LENGTH = 6000
GENERAL = BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL)
IDS = ("v2.1.long-calls-as-before",)


@pytest.fixture
def client(harness: Harness) -> BackwardClient:
    """To whom a Long Call and a short one are on their way."""
    peer_two = harness.connect(version=2)
    made = BackwardClient.of(peer_two)
    peer_two.takes_chunks = True
    peer_two.send(option(peer_two, ConnProp(property_values(GENERAL), ())))
    made.serve(peer_two.workload.small())
    made.announce()
    made.provoke(1, LENGTH)
    made.provoke(1)
    return made


def test_a_long_call_is_fetched_whole_and_answered(client: BackwardClient) -> None:
    called = client.next_call()
    payload = chunked.fetched(client, called, breaks=IDS)
    assert payload == testprog_calls.long_call(called.xid, pattern(LENGTH, LENGTH))
    chunked.answer(client, called, payload)
    assert called.xid not in client.in_flight
    short = client.next_call()
    assert chunked.fetched(client, short, breaks=IDS) == short.payload
    chunked.answer(client, short, short.payload)
    assert client.tally().answered == 2


def test_memory_that_cannot_be_read_is_the_devices_fault(client: BackwardClient) -> None:
    called = client.next_call()
    (read,) = called.body.rdma_reads
    target = msgspec.structs.replace(read.target, handle=read.target.handle ^ 1)
    odd = msgspec.structs.replace(
        called.body, rdma_reads=(msgspec.structs.replace(read, target=target),)
    )
    with pytest.raises(Deviation, match="cannot be read") as found:
        chunked.fetched(client, replace(called, body=odd), breaks=IDS)
    assert found.value.breaks == IDS
    assert client.peer.fetch([target]) is None  # nor once the connection is gone


def test_an_unused_chunk_keeps_its_handles_and_holds_nothing() -> None:
    chunk = WriteChunk((RdmaSegment(7, 100, 4096), RdmaSegment(8, 50, 0)))
    assert chunked.unused(chunk) == WriteChunk((RdmaSegment(7, 0, 4096), RdmaSegment(8, 0, 0)))
