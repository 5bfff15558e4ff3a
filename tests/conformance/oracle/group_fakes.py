"""Requests and responses in groups between two ends that have told the same of themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.groups.draft import GroupDraft, drafted
from conformance.oracle.announced import Announced
from conformance.oracle.memory import ExposedRegions
from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.responder.group_request import GroupRequest
from conformance.oracle.transmissions import GroupAnswered, read_arrived
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.bindings import DataItem, reduce
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    MessageItem,
    ResponseItem,
    ResponseRange,
    ResponseSet,
)
from rpcrdma.wire.operations import BY_NAME, RTREXT, XmtReq, XmtResp, among, operations_of
from rpcrdma.wire.transmission import Assembler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.groups.draft import Entry
    from rpcrdma.wire._generated_rtrext import ResponseDirection
    from rpcrdma.wire.buffers import BufferLayout

XID = 0x51D
STRUCTURE = BufferStructure(
    4096,
    (
        BufferSegmentGroup(1, BufferSegment(1024, 0, 0)),
        BufferSegmentGroup(3, BufferSegment(1024, 0, XMRSFLAG_DDP)),
    ),
)
TOLD = Announced(7, STRUCTURE, 4096, 4, 4)
LAYER = TestProgram()
WHOLE = ResponseRange(0, 2**32 - 1)


def state(memory: ExposedRegions | None = None, **changes: object) -> ResponderState:
    told = ResponderState(
        versions=frozenset({1, 2}),
        upper_layer=LAYER,
        memory=memory or ExposedRegions(),
        operations=frozenset(BY_NAME),
        own=TOLD,
        requester=TOLD,
    )
    return replace(told, **changes)


def directed(*where: ResponseDirection, least: int = 0) -> tuple[ResponseSet, ...]:
    return (ResponseSet(WHOLE, tuple(ResponseItem(least, one) for one in where)),)


def request(
    call: bytes,
    entries: Sequence[Entry] = (),
    directions: tuple[ResponseSet, ...] = (),
    *,
    reserve: int = 4,
    sizes: Sequence[int] | None = None,
    payload: bytes | None = None,
) -> GroupDraft:
    """A request of which these entries have been taken out."""

    def begin(items: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
        return XmtReq(items, directions, count, reserve, length)

    reduced = without(call, entries) if payload is None else payload
    return drafted(XID, reduced, entries, begin, TOLD.layout, sizes=sizes)


def without(message: bytes, entries: Sequence[Entry]) -> bytes:
    """A message without the octets that entries stand for."""
    places = sorted(
        (one.xmdmi_disp, one.xmdmi_length)
        if isinstance(one, MessageItem)
        else (one.position, len(one.data))
        for one in entries
    )
    return reduce(message, [DataItem(*place) for place in places])[0]


def sends(group: GroupDraft) -> tuple[bytes, ...]:
    return tuple(message.octets for message in group.messages)


def asked(call: bytes, directions: tuple[ResponseSet, ...] = (), reserve: int = 4) -> GroupRequest:
    return GroupRequest(XID, directions, reserve, call)


def response(group: GroupDraft) -> GroupAnswered:
    """What comes of a drafted response."""
    assembler = Assembler(among({one.code for one in operations_of(RTREXT)}), longest=99)
    found = [one for octets in sends(group) for one in assembler.take(octets)]
    (outcome,) = map(read_arrived, found)
    assert isinstance(outcome, GroupAnswered), outcome
    return outcome


def answer(
    reply: bytes,
    entries: Sequence[Entry] = (),
    *,
    sizes: Sequence[int] | None = None,
    payload: bytes | None = None,
    layout: BufferLayout = TOLD.layout,
) -> GroupDraft:
    """A response from which these entries have been taken out."""

    def begin(items: tuple[MessageItem, ...], count: int, length: int) -> XmtResp:
        return XmtResp(items, count, length)

    reduced = without(reply, entries) if payload is None else payload
    return drafted(XID, reduced, entries, begin, layout, sizes=sizes)


def reply_to(call: bytes) -> bytes:
    return testprog_calls.expected_reply(call)
