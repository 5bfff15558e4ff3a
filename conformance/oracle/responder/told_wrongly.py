"""What a response tells wrongly of its items, where it cannot be read as it tells.

    rtrext section 7.3  Message DDP Structures

A displacement or a length that is a little off spoils the whole reply: nothing of it can be read,
whatever a case looks at.  So its words are tried a little changed.  If that makes a reply with
results just there, they were told wrongly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.responder.directions import results_of
from conformance.oracle.responder.opened import opened
from conformance.oracle.verdict import broken_rule
from rpcrdma.wire._generated_rtrext import ByExplicitRdma, InTargetedSegments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.responder.expectation import ResponderState
    from conformance.oracle.responder.group_request import GroupRequest
    from conformance.oracle.responder.opened import OpenedResponse
    from conformance.oracle.transmissions import GroupAnswered
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.wire._generated_rtrext import MessageItem

__all__ = ["told_wrongly"]

_DISPLACED: Final = "rtrext.7.3.displacement-of-an-item"
_LENGTH: Final = "rtrext.7.3.length-of-an-item"

_SHIFTS: Final = (4, -4, 8, -8)
"""Octets by which displacements may be wrong: by a word before the item, or after it."""

_TOO_LONG: Final = (1, 2, 3)
"""Octets by which lengths may be wrong: by the padding."""


def told_wrongly(
    response: GroupAnswered, asked: GroupRequest, state: ResponderState, found: OpenedResponse
) -> BrokenRule | None:
    """The rule that is broken by what a response tells of all of its items.

    Args:
        response: as it came.
        asked: the request that it answers.
        state: of device and connection, as they are when the response has come.
        found: the RPC message that it gives as it tells.

    Returns:
        None if it can be read as it tells, or in none of these ways.
    """
    items = response.contents.optxrs_ddp
    if not any(map(_is_placed, items)) or _results(found, asked, state) is not None:
        return None
    for rule, detail, changed in _changed(items):
        results = _results(opened(response, state, changed), asked, state)
        placed = {_shape(item) for item in changed if _is_placed(item)}
        if results is not None and placed <= results:
            return broken_rule(rule, detail, VERSION_TWO, ("D-103",))
    return None


def _changed(
    items: tuple[MessageItem, ...],
) -> Iterator[tuple[str, str, tuple[MessageItem, ...]]]:
    """Rule, detail, and the items as they should have been told."""
    for octets in _SHIFTS:
        yield (
            _DISPLACED,
            f"items are {octets:+} octets from where they are told to be",
            tuple(_with(item, octets, 0) for item in items),
        )
    for octets in _TOO_LONG:
        yield (
            _LENGTH,
            f"items are {octets} octets shorter than told",
            tuple(_with(item, 0, -octets) for item in items),
        )


def _with(item: MessageItem, disp: int, length: int) -> MessageItem:
    if not _is_placed(item):
        return item
    return msgspec.structs.replace(
        item,
        xmdmi_disp=max(0, item.xmdmi_disp + disp),
        xmdmi_length=max(0, item.xmdmi_length + length),
    )


def _is_placed(item: MessageItem) -> bool:
    return isinstance(item.xmdmi_where, ByExplicitRdma | InTargetedSegments)


def _shape(item: MessageItem) -> tuple[int, int]:
    return item.xmdmi_disp, item.xmdmi_length


def _results(
    found: OpenedResponse, asked: GroupRequest, state: ResponderState
) -> set[tuple[int, int]] | None:
    """Where the eligible results are, and how long; None if nothing can be read."""
    if found.fault is not None:
        return None
    results = results_of(found.octets, asked, state)
    return None if results is None else {(item.position, item.length) for _, item in results}
