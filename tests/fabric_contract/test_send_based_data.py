"""Contract: bulk data of send-based DDP lie where the Receives promise them, over every fabric.

rtrext section 3.3  Send-based DDP
rtrext section 7.2  Buffer Structure Definition
rtrext section 7.3  Message DDP Structures
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from rpcrdma.endpoint.core.reductions import Reductions
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.trace import EventKind, Side, Trace
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    InTargetedSegments,
)
from rpcrdma.wire.operations import XmtReq, XmtResp
from rpcrdma.wire.optional import decode_option
from targets.base import Act, ActKind, ActState
from targets.reference.client_parts import CLIENT, make_client
from targets.reference.server_parts import REFERENCE, VERSIONS, server_factory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpcrdma.fabric.trace import TraceEvent
    from tests.fabric_contract.conftest import FabricPair

HEADER: Final = 1024


def receives(target: int, targets: int) -> Reductions:
    """Receives with that many target segments of that many octets, aligned to as many."""
    groups = (
        BufferSegmentGroup(1, BufferSegment(HEADER, 0, 0)),
        BufferSegmentGroup(targets, BufferSegment(target, target, XMRSFLAG_DDP)),
    )
    octets = HEADER + targets * target
    return Reductions(structure=BufferStructure(octets, groups), receive_octets=octets, always=True)


class Ends:
    """A server and a client of the reference that reduce round trips in the same way."""

    def __init__(self, pair: FabricPair, reductions: Reductions) -> None:
        self._pair = pair
        parts = replace(REFERENCE, reductions=reductions)
        self.server = Server(pair.passive, Address(pair.host, 0), server_factory(parts, VERSIONS))
        pair.active.attach(self.server.step)
        self.client, self.application = make_client(
            pair.active,
            self.server.address,
            replace(CLIENT, reductions=reductions),
            VERSIONS,
            pair.deadline,
        )
        # The first settles the version; properties are told meanwhile, and known after the second.
        for _ in range(2):
            self.do(Act(ActKind.NULL))

    def do(self, act: Act) -> None:
        """Have the client do it."""
        progress = self.application.begin(act)
        now = self._pair.active.clock.now
        deadline = now() + self._pair.deadline
        while (left := deadline - now()) > 0 and progress.poll() is None:
            self.client.wait(left)
            self.application.collect()
        result = progress.poll()
        assert result is not None, "not done in time"
        assert result.state is ActState.DONE, result.detail


def in_targets(
    group: Sequence[TraceEvent], target: int, targets: int
) -> Iterator[tuple[int | None, bytes]]:
    """The addresses of the target segments that a group fills, and what it has in each."""
    header, _ = v2.decode_header(group[0].data)
    assert isinstance(header.rdma_body, v2.Rdma2Optional)
    contents = decode_option(header.rdma_body)
    assert isinstance(contents, XmtReq | XmtResp)
    (item,) = contents.optxrq_ddp if isinstance(contents, XmtReq) else contents.optxrs_ddp
    assert isinstance(item.xmdmi_where, InTargetedSegments)
    assert item.xmdmi_where.xmdl_offset == 0
    left = item.xmdmi_length
    for number in item.xmdmi_where.xmdl_bsnum:
        send, within = divmod(number, targets)
        start, length = HEADER + within * target, min(target, left)
        placed = group[send].placed[1 + within]
        assert placed.length == length
        yield placed.address, group[send].data[start : start + length]
        left -= length
    assert not left


@pytest.mark.parametrize(
    ("length", "target", "targets", "sends"),
    [(64 * 1024, 4096, 16, 1), (16 * 1024 + 1, 1024, 3, 6)],
)
@pytest.mark.parametrize("kind", [ActKind.WRITE, ActKind.READ])
def test_bulk_data_are_in_the_targets_of_who_receives_them(
    fabric_pair: FabricPair, kind: ActKind, length: int, target: int, targets: int, sends: int
) -> None:
    receiver = fabric_pair.passive if kind is ActKind.WRITE else fabric_pair.active
    trace = receiver.trace = Trace()
    ends = Ends(fabric_pair, receives(target, targets))
    trace.events.clear()
    ends.do(Act(kind, length))

    assert EventKind.REGISTER not in {event.kind for event in trace.events}
    group = [event for event in trace.events if event.side is Side.PEER]
    assert len(group) == sends
    data = b""
    for address, octets in in_targets(group, target, targets):
        assert address is not None
        assert address % target == 0
        assert fabric_pair.memory(address, len(octets)) in {None, octets}
        data += octets
    assert data == pattern(length)
