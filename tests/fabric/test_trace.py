"""Traces: kept in order, or not at all."""

from __future__ import annotations

import time

from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent, WireFrame

EVENT = TraceEvent(0.5, 1, Side.LOCAL, EventKind.SEND, b"abcd", length=4)


def test_events_are_kept_in_order() -> None:
    trace = Trace()
    trace.add(EVENT)
    assert trace.events == [EVENT]
    assert [trace.open_connection() for _ in range(2)] == [1, 2]


def test_frames_are_kept_beside_the_events() -> None:
    trace = Trace()
    trace.add_frame(0.25, b"frame")
    trace.add_frame(0.5, b"other")
    assert trace.frames == [WireFrame(0.25, b"frame"), WireFrame(0.5, b"other")]
    assert trace.events == []


def test_a_trace_knows_when_it_began() -> None:
    """By the wall clock: as an event comes, or a frame, and not again."""
    for add in (lambda trace: trace.add(EVENT), lambda trace: trace.add_frame(0.5, b"frame")):
        trace = Trace()
        assert trace.epoch is None
        before = time.time()
        add(trace)
        epoch = trace.epoch
        assert epoch is not None
        assert before <= epoch + 0.5 <= time.time()
        trace.add_frame(9.0, b"later")
        assert trace.epoch == epoch


def test_a_trace_that_nobody_reads_keeps_nothing() -> None:
    """Neither what is added nor what a connection reports."""
    trace = Trace(keep=False)
    trace.add(EVENT)
    trace.add_frame(0.5, b"frame")
    assert trace.frames == []
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("tester")
    fabric.trace = trace
    listener = device.listen(Address("dut", 1))

    def step() -> None:
        if request := listener.accept(0):
            request.accept(ConnectionParameters(), 1.0)

    device.attach(step)
    connection = fabric.connect(listener.address, ConnectionParameters(), 1.0)
    connection.post_send(b"abcd")
    assert trace.events == []
    assert device.trace.events
