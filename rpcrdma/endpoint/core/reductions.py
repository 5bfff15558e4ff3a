"""How an end reduces round trips: what it supports, and what it chooses.

rtrext section 5    Using Protocol Additions
rtrext section 7.2  Buffer Structure Definition
rtrext section 8    Transport Properties
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.wire.operations import ROPT_XMTCONT, RTREXT, operations_of
from rpcrdma.wire.transmission import MOST_IN_GROUP, Assembler

if TYPE_CHECKING:
    from rpcrdma.wire._generated_rtrext import BufferStructure, PlacementType

__all__ = ["ALL_OPERATIONS", "NO_REDUCTIONS", "Reductions"]

ALL_OPERATIONS: Final = frozenset(one.code for one in operations_of(RTREXT))
"""Every operation of the document, by opttype."""


@dataclass(frozen=True, slots=True)
class Reductions:
    """What an end does of the extension.

    Attributes:
        operations: opttypes of the document that it supports; without any it does nothing of it.
        structure: of its Receives; None: one segment that is no target.
        receive_octets: of each of its Receives.
        request_limit: transmissions of the longest request that it takes (8.4).
        response_limit: transmissions of the longest response that it sends (8.5).
        send_limit: transmissions of the longest request that it sends.
        longest_send: octets of the longest Send of a group; a large size is no promise to use it.
        reserve: most Receives that it posts for the later transmissions of responses, all Calls
            together.
        direction: how it wants results placed; None takes send-based placement if its Receives
            have targets, else explicit RDMA.
        by_size: octets beyond which a result directed by size goes by explicit RDMA.
        shortest: octets below which a result stays in the Payload stream.
        assembler: makes messages of the Sends that arrive.
        always: whether each request is an XMTREQ, though an RDMA2_MSG would carry it in one Send.
    """

    operations: frozenset[int] = ALL_OPERATIONS
    structure: BufferStructure | None = None
    receive_octets: int = 4096
    request_limit: int = MOST_IN_GROUP
    response_limit: int = MOST_IN_GROUP
    send_limit: int = MOST_IN_GROUP
    longest_send: int = 1024 * 1024
    reserve: int = 64
    direction: PlacementType | None = None
    by_size: int = 65536
    shortest: int = 0
    assembler: type[Assembler] = Assembler
    always: bool = False

    @property
    def longest_group(self) -> int:
        """Transmissions of the longest group that can come: a request, or a response."""
        return max(self.request_limit, self.reserve + 1)

    @property
    def can_continue(self) -> bool:
        """Whether a group can have several transmissions."""
        return ROPT_XMTCONT in self.operations

    @property
    def support(self) -> int:
        """The value of RTR Support."""
        return sum(one.support_bit for one in operations_of(RTREXT) if one.code in self.operations)


NO_REDUCTIONS: Final = Reductions(frozenset(), request_limit=1, response_limit=1, reserve=0)
"""An end without the extension."""
