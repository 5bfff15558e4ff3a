"""Target segments of a client's Receives that the tester places results in (rtrext 5.3, 7.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.case import Inconclusive
from rpcrdma.wire._generated_rtrext import InTargetedSegments
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire.buffers import BufferLayout

__all__ = ["require_targets", "targets_for"]

_FRONT: Final = 256
"""Octets that header and payload of a Send may have beside bulk data, in responses to reads."""


def require_targets(layout: BufferLayout) -> None:
    """See that the client has target segments at all.

    Raises:
        Unsupported: it has not, and need not (rtrext 5.3).
    """
    if not layout.targets:
        raise Unsupported("the client's buffers have no target segments")


def targets_for(
    layout: BufferLayout, length: int, sends: int, order: Sequence[int] | None
) -> InTargetedSegments:
    """Target segments that take so many octets, clear of header and payload.

    Args:
        layout: of the client's buffers.
        length: of the item, in octets.
        sends: of the group.
        order: numbers of the targets that may be used, as they may be; None: all in order.

    Raises:
        Inconclusive: there are too few.
        Unsupported: there is none at all.
    """
    require_targets(layout)
    count = sends * len(layout.targets)
    numbers: list[int] = []
    left = length
    for number in range(count) if order is None else order:
        if number >= count:
            continue
        _, target = layout.target(number)
        if left > 0 and target.start >= _FRONT and target.end <= layout.length:
            numbers.append(number)
            left -= target.length
    if left > 0:
        raise Inconclusive(f"the client has no targets for {length} octets in {sends} Sends")
    return InTargetedSegments(0, tuple(numbers))
