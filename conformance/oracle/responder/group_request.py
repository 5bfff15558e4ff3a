"""What a response is judged by of the request that it answers.

rtrext section 9.2  Transmit Request Operation
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.wire._generated_rtrext import DirectByChoice, DirectBySize, DirectToExplicitRdma

if TYPE_CHECKING:
    from rpcrdma.wire import RdmaSegment
    from rpcrdma.wire._generated_rtrext import ResponseItem, ResponseSet

__all__ = ["GroupRequest", "memory_of"]


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """A request that came in transmissions.

    Attributes:
        xid: rdma_xid.
        directions: for its response.
        reserve: optxrq_rsbuf.
        call: the unreduced RPC message.
    """

    xid: int
    directions: tuple[ResponseSet, ...]
    reserve: int
    call: bytes


def memory_of(direction: ResponseItem) -> tuple[RdmaSegment, ...]:
    """The memory that a direction offers for explicit RDMA."""
    match direction.xmdrsdi_loc:
        case DirectToExplicitRdma(xmdrsdl_ex=memory) | DirectByChoice(xmdrsdl_ex=memory):
            return memory
        case DirectBySize(xmdrsdl_bsex=memory):
            return memory
        case _:
            return ()
