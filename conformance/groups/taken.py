"""What the tester takes of a client, and announces; and what has a client make groups.

rtrext section 7.2  Buffer Structure Definition
rtrext section 8    Transport Properties
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.announced import Announced
from rpcrdma.wire._generated_rtrext import (
    RTRS_XCONT,
    RTRS_XREQ,
    RTRS_XRESP,
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GROUPED", "TAKEN", "structure"]

OCTETS: Final = 4096
"""Of each of the tester's buffers, unless a case tells of others."""


def structure(*groups: tuple[int, int, bool]) -> BufferStructure:
    """Buffers of so many segments of so many octets each, which are targets or not."""
    made = tuple(
        BufferSegmentGroup(count, BufferSegment(octets, 0, XMRSFLAG_DDP if is_target else 0))
        for count, octets, is_target in groups
    )
    return BufferStructure(sum(count * octets for count, octets, _ in groups), made)


TAKEN: Final = Announced(
    RTRS_XREQ | RTRS_XRESP | RTRS_XCONT,
    structure((1, 1024, False), (3, 1024, True)),
    OCTETS,
    request_limit=8,
    response_limit=8,
)
"""What the tester announces unless a case says otherwise."""

GROUPED: Final[Mapping[str, tuple[ActKind, int]]] = {
    "long call": (ActKind.LONG_CALL, 9000),
    "long reply": (ActKind.LONG_REPLY, 9000),
    "read": (ActKind.READ, 6000),
    "write": (ActKind.WRITE, 9000),
}
"""What has a client make groups if it ever does."""
