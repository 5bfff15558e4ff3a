"""What `roundtrips.py` measures: a row for each operation and mechanism, with its prediction.

The setting is Version Two at its default inline threshold of 4096 octets, so that neither a Call
nor a Reply of 8 KiB goes inline.  Send-based DDP is set apart: its Receives take bulk data, and are
longer by that.  A transit is one crossing of the link, in either direction.  It is counted along
the longest chain from the Call to the moment at which the Requester holds the Reply: what is sent
one right after the other crosses together.

    Send           one transit
    RDMA Write     one, together with the Send after it
    RDMA Read      two: the request there, the octets back

    rfc8166 section 3.5    Message Size (Short, Chunked and Long Messages)
    v2 section 2.3         Default Values
    rtrext section 2       Extension Overview (round trips, and what a mile costs)
    rtrext section 3       New Features (message continuation, send-based DDP)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BULK",
    "HEADER",
    "NULL",
    "READ",
    "ROWS",
    "SECONDS_A_MILE",
    "SEND_BASED",
    "WRITE",
    "Operation",
    "Row",
]

LONG: Final = 8 * 1024
BULK: Final = 64 * 1024

SECONDS_A_MILE: Final = 16e-6
"""What each mile of distance adds to a round trip (rtrext section 2)."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An RPC of the test program; `call` makes its Call with an XID."""

    name: str
    call: Callable[[int], bytes]


NULL: Final = Operation("NULL", testprog_calls.null)
LONG_CALL: Final = Operation("Call of 8 KiB", partial(testprog_calls.long_call, text=pattern(LONG)))
LONG_REPLY: Final = Operation("Reply of 8 KiB", partial(testprog_calls.long_reply, length=LONG))
WRITE: Final = Operation("WRITE of 64 KiB", partial(testprog_calls.store, data=pattern(BULK)))
READ: Final = Operation("READ of 64 KiB", partial(testprog_calls.fetch, length=BULK))


@dataclass(frozen=True, slots=True)
class Row:
    """An operation by one mechanism.

    Attributes:
        operation: what is called.
        mechanism: by which it travels.
        transits: the prediction.
        why: where they come from.
        reductions: how both ends reduce round trips: of the mechanisms that these leave, the ends
            choose.
    """

    operation: Operation
    mechanism: str
    transits: int
    why: str
    reductions: Reductions = NO_REDUCTIONS

    @property
    def name(self) -> str:
        """Operation and mechanism, for people."""
        return f"{self.operation.name}, {self.mechanism}"


CONTINUATION: Final = Reductions()
"""Receives as in the base protocol, of which a message takes several."""

HEADER: Final = 1024
TARGET: Final = 4096
TARGETS: Final = BULK // TARGET
STRUCTURE: Final = BufferStructure(
    HEADER + BULK,
    (
        BufferSegmentGroup(1, BufferSegment(HEADER, 0, 0)),
        BufferSegmentGroup(TARGETS, BufferSegment(TARGET, TARGET, XMRSFLAG_DDP)),
    ),
)
"""Receives with room for headers, and after it for 64 KiB in pages of their own."""

# Receives with room for data that are placed have room for the same data inline: `always` has them
# placed nevertheless.
SEND_BASED: Final = Reductions(
    structure=STRUCTURE, receive_octets=STRUCTURE.xmrbuf_length, always=True
)

ROWS: Final = (
    Row(NULL, "inline", 2, "the Call there, the Reply back"),
    Row(LONG_CALL, "Long Call", 4, "the Responder reads the Call before it can execute it"),
    Row(LONG_CALL, "continuation", 2, "the parts of the Call cross together", CONTINUATION),
    Row(LONG_REPLY, "Reply chunk", 2, "the Reply is written and announced in one crossing"),
    Row(LONG_REPLY, "continuation", 2, "the parts of the Reply cross together", CONTINUATION),
    Row(WRITE, "Read chunk", 4, "the Responder reads the data before it can execute the Call"),
    Row(WRITE, "send-based DDP", 2, "the data are in the Send of the Call", SEND_BASED),
    Row(READ, "Write chunk", 2, "the data are written and the Reply is sent in one crossing"),
    Row(READ, "send-based DDP", 2, "the data are in the Send of the Reply", SEND_BASED),
)
