"""What a server does by RDMA after its Reply is seen in the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.client import build
from conformance.tester.client.operations import operations_after_replies
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.harness import Harness
    from rpcrdma.fabric.trace import TraceEvent

READ = "rfc8166.3.4.5.1.reply-ends-use-of-read-chunks"
WRITE = "rfc8166.3.5.2.writes-precede-the-reply"


@pytest.fixture
def events(harness: Harness) -> list[TraceEvent]:
    """The trace of a call with chunks of both kinds, and of one after it."""
    peer = harness.connect()
    for call in (
        build.with_write_chunks(peer, peer.workload.fetch(1000)),
        build.with_read_chunks(peer, peer.workload.store(pattern(1000, 7))),
    ):
        peer.send(call)
        peer.receive()
    return harness.trace.events


def of_kind(events: list[TraceEvent], kind: EventKind) -> TraceEvent:
    return next(event for event in events if event.kind is kind and event.side is Side.PEER)


def test_operations_before_the_reply_break_nothing(events: list[TraceEvent]) -> None:
    assert list(operations_after_replies(events)) == []


@pytest.mark.parametrize(
    ("kind", "rule"), [(EventKind.RDMA_WRITE, WRITE), (EventKind.RDMA_READ, READ)]
)
def test_operations_after_it_are_told(events: list[TraceEvent], kind: EventKind, rule: str) -> None:
    (found,) = operations_after_replies([*events, of_kind(events, kind)])

    assert found.ids == (rule,)


def test_a_call_that_is_sent_again_has_no_reply_yet(events: list[TraceEvent]) -> None:
    again = [event for event in events if event.kind is EventKind.SEND and event.side is Side.LOCAL]
    written = of_kind(events, EventKind.RDMA_WRITE)

    assert list(operations_after_replies([*events, *again, written])) == []


def test_memory_that_no_call_named_is_not_judged(events: list[TraceEvent]) -> None:
    written = of_kind(events, EventKind.RDMA_WRITE)

    assert list(operations_after_replies([written])) == []
