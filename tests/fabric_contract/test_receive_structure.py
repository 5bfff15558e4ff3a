"""Contract: the Receives of an endpoint that has a buffer structure, over every fabric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.driver import Driver, parameters_for
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS
from rpcrdma.fabric.trace import EventKind, Trace
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from tests.fabric_contract.conftest import FabricPair

HEADER, TARGET, LENGTH = 1024, 4096, 1024 + 2 * 4096
MESSAGE = bytes(number % 251 for number in range(LENGTH))


class Role:
    """A role with three Receives, that posts one for each message and notes it."""

    initial_receives = (LENGTH,) * 3
    later_receives = 0
    reductions = replace(
        NO_REDUCTIONS,
        structure=BufferStructure(
            LENGTH,
            (
                BufferSegmentGroup(1, BufferSegment(HEADER, 0, 0)),
                BufferSegmentGroup(2, BufferSegment(TARGET, TARGET, XMRSFLAG_DDP)),
            ),
        ),
    )

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.handlers = {
            events.Connected: lambda _event, _now: [],
            events.MessageReceived: self.take,
            events.Disconnected: lambda _event, _now: [],
        }

    def take(self, event: events.MessageReceived, _now: float) -> list[Action]:
        self.messages.append(event.data)
        return [PostReceive.of(LENGTH)]


@pytest.mark.parametrize("length", [LENGTH, HEADER + 5000])
def test_octets_after_the_first_segment_are_where_the_structure_promises(
    fabric_pair: FabricPair, length: int
) -> None:
    """In the Receives that were there from the first, and in those posted later."""
    trace = fabric_pair.passive.trace = Trace()
    role = Role()
    ends = fabric_pair.connect(passive=parameters_for(role))
    driver = Driver(ends.passive, Endpoint(role))
    message = MESSAGE[:length]
    for count in range(1, 8):
        ends.active.post_send(message)
        deadline = ends.passive.clock.now() + fabric_pair.deadline
        while len(role.messages) < count and ends.passive.clock.now() < deadline:
            driver.wait(deadline - ends.passive.clock.now())

        assert role.messages == [message] * count
        (placed,) = [event.placed for event in trace.events if event.kind is EventKind.SEND]
        trace.events.clear()
        header, *targets = placed
        assert (header.address, header.length) == (None, HEADER)
        assert [one.length for one in targets] == [TARGET, length - HEADER - TARGET]
        start = HEADER
        for one in targets:
            assert one.address is not None
            assert one.address % TARGET == 0
            there = fabric_pair.memory(one.address, one.length)
            assert there in {None, message[start : start + one.length]}
            start += one.length
