"""Requests and responses in groups, for the tests of the oracle."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.groups.draft import GroupDraft, PlacedEntry, drafted
from conformance.groups.taken import TAKEN
from conformance.oracle.requester.request_group import RequestGroup, read_request
from conformance.oracle.requester.state import CreditView, OutstandingCall, RequesterState
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire.operations import RTREXT, XmtReq, XmtResp, among, operations_of
from rpcrdma.wire.send_placement import BulkItem
from rpcrdma.wire.transmission import Arrived, Assembler, Transmission

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.groups.draft import Entry
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.wire._generated_rtrext import MessageItem, ResponseSet
    from rpcrdma.wire.buffers import BufferLayout

__all__ = [
    "OPERATIONS",
    "ROOMY",
    "STORED",
    "XID",
    "arrived",
    "ids",
    "outstanding",
    "request",
    "response",
    "stored",
    "whole",
]

OPERATIONS = among({one.code for one in operations_of(RTREXT)})
LAYOUT = TAKEN.layout
XID = 0x5EED
STORED = 5001
"""Octets of the argument of a STORE; two transmissions take it."""

ROOMY = RequesterState(
    views=(CreditView(0, 8),),
    requested=8,
    upper_layer=TestProgram(),
    serves_two=True,
    versions=frozenset({2}),
    lengths=(4096,),
    announced=(TAKEN,),
    told=TAKEN,
)
"""A Requester that may make groups, and has no Call in flight."""


def ids(broken: Sequence[BrokenRule]) -> list[str]:
    """What is broken, the plainest statement of each rule."""
    return [rule.ids[0] for rule in broken]


def arrived(group: GroupDraft) -> list[Arrived]:
    """What a receiver makes of the Sends of a group."""
    assembler = Assembler(OPERATIONS, 2**32)
    return [one for message in group.messages for one in assembler.take(message.octets)]


def whole(group: GroupDraft) -> Transmission:
    """The message that a group is."""
    (found,) = arrived(group)
    assert isinstance(found, Transmission), found
    return found


def request(
    payload: bytes,
    entries: Sequence[Entry] = (),
    *,
    rsd: tuple[ResponseSet, ...] = (),
    rsbuf: int = 0,
    sizes: Sequence[int] | None = None,
    change: Callable[[GroupDraft], GroupDraft] = lambda group: group,
    layout: BufferLayout = LAYOUT,
) -> RequestGroup:
    """A request in a group, as it was received."""

    def begin(items: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
        return XmtReq(items, rsd, count, rsbuf, length)

    made = drafted(XID, payload, entries, begin, layout, sizes=sizes, credits=8)
    found = read_request(whole(change(made)))
    assert found is not None
    return found


def stored(change: Callable[[GroupDraft], GroupDraft] = lambda group: group) -> RequestGroup:
    """A STORE whose argument is in its Sends."""
    call = calls.store(XID, bytes(index % 251 for index in range(STORED)))
    (item,) = TestProgram().arguments(call)
    data = call[item.position : item.position + item.length]
    kept = call[: item.position] + call[item.end :]
    return request(kept, (BulkItem(item.position, data),), change=change)


def response(
    payload: bytes, entries: Sequence[Entry] = (), sizes: Sequence[int] | None = None
) -> GroupDraft:
    """A response in a group."""
    return drafted(XID, payload, entries, XmtResp, LAYOUT, sizes=sizes, credits=8)


def outstanding(call: bytes, group: RequestGroup | None) -> RequesterState:
    """A Requester that has made this Call."""
    header = None if group is None else group.header
    sent = OutstandingCall(XID, header, call, group=group)
    return replace(ROOMY, outstanding=(sent,), views=(CreditView(1, 8),))


PLACED = PlacedEntry
