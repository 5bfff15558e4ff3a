"""Where the Sends of a group hold the bulk data that its items name.

rtrext section 7.3  Message DDP Structures
rtrext section 9.5  Error Reporting Operation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.wire._generated_rtrext import ReptErr, TransmissionId
from rpcrdma.wire.placed_items import PlacementFault, gather, spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire._generated_rtrext import ErrorInformation, MessageItem
    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.rpc import MessageType
    from rpcrdma.wire.transmission import Transmission

__all__ = ["PlacementFound", "located"]


class PlacementFound(FaultFound):
    """BulkItem data are not where an item says, or cannot be there.

    Attributes:
        send: number of the transmission that it is about.
        info: what its sender is told.
    """

    def __init__(self, send: int, info: ErrorInformation, detail: str) -> None:
        super().__init__(Fault.BAD_PLACEMENT, detail)
        self.send = send
        self.info = info

    def report(self, xid: int, way: MessageType) -> ReptErr:
        """The report about a message with this XID and direction."""
        bad = TransmissionId(xid, way, self.send)
        lead = TransmissionId(xid, way, 0) if self.send else None
        return ReptErr(bad, lead, self.info)


def located(
    layout: BufferLayout, items: Sequence[MessageItem], arrived: Transmission
) -> tuple[bytes, ...]:
    """The octets that the Sends hold of each item; none of one that is elsewhere.

    Raises:
        FaultFound: they cannot be there.
    """
    try:
        spans = spans_of(layout, items, [len(part) for part in arrived.parts], arrived.ends)
    except PlacementFault as fault:
        if fault.info is None:
            raise FaultFound(Fault.ITEMS_OVERLAP, str(fault)) from fault
        raise PlacementFound(fault.send, fault.info, str(fault)) from fault
    return tuple(gather(arrived.parts, places) for places in spans)
