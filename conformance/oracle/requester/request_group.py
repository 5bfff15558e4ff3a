"""A request that came as a transmission group, taken apart.

    rtrext section 7.3  Message DDP Structures
    rtrext section 9.2  Transmit Request Operation

Its header in the objects of Version One is that of an RDMA_MSG: items that go by explicit RDMA are
the Read list, and there is no Write list, since no Reply of the base protocol returns one to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, ReadSegment, TransportHeader, WriteChunk, v2
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
)
from rpcrdma.wire.operations import XmtReq
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.placed_items import PlacementFault, gather, spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.oracle.announced import Announced
    from rpcrdma.wire import RdmaSegment
    from rpcrdma.wire._generated_rtrext import MessageItem, ResponseDirection, ResponseItem
    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.placed_items import Span
    from rpcrdma.wire.rpc import MessageType
    from rpcrdma.wire.transmission import Transmission

__all__ = ["Layouts", "RequestGroup", "memory_of", "read_request"]

Layouts: TypeAlias = "Sequence[Announced]"
"""What the sender may have known of its receiver's buffers, oldest first."""


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """A request in one or more transmissions.

    Attributes:
        contents: of the XMTREQ.
        arrived: its Sends.
        header: as if it were an RDMA_MSG.
        direction: rdma_optdir.
        payload: the Payload stream, which lacks the items.
    """

    contents: XmtReq
    arrived: Transmission
    header: TransportHeader
    direction: MessageType
    payload: bytes

    @property
    def items(self) -> tuple[MessageItem, ...]:
        """What was taken out of the stream."""
        return self.contents.optxrq_ddp

    @property
    def said(self) -> tuple[Option, ...]:
        """What each of its Sends says."""
        bodies = (v2.decode_header(part)[0].rdma_body for part in self.arrived.parts)
        return tuple(decode_option(body) for body in bodies if isinstance(body, v2.Rdma2Optional))

    @property
    def directions(self) -> tuple[ResponseItem, ...]:
        """What is said of the results, in the order of the ranges."""
        return tuple(item for one in self.contents.optxrq_rsd for item in one.xmdrsds_items)

    @property
    def offered(self) -> tuple[WriteChunk, ...]:
        """The memory for each direction; a chunk without segments where there is none."""
        return tuple(WriteChunk(memory_of(item.xmdrsdi_loc)) for item in self.directions)

    def spans(self, layouts: Layouts) -> tuple[tuple[Span, ...], ...]:
        """Where in its Sends each item lies; nowhere for one that is not placed by Sends.

        Raises:
            PlacementFault: one cannot lie there, whichever of the layouts its sender went by.
        """
        fault: PlacementFault | None = None
        for one in reversed(layouts):
            try:
                return self._spans(one.layout)
            except PlacementFault as error:
                fault = fault or error
        if fault is None:
            raise ValueError("no layout is known")
        raise fault

    def placed(self, layouts: Layouts) -> tuple[bytes, ...]:
        """What its Sends hold of each item.

        Raises:
            PlacementFault: as `spans`.
        """
        return tuple(gather(self.arrived.parts, spans) for spans in self.spans(layouts))

    def _spans(self, layout: BufferLayout) -> tuple[tuple[Span, ...], ...]:
        lengths = [len(part) for part in self.arrived.parts]
        return spans_of(layout, self.items, lengths, self.arrived.ends)


def read_request(arrived: Transmission) -> RequestGroup | None:
    """The request that a message is; None if it is anything else, or cannot be read.

    Args:
        arrived: put together by an `Assembler` that knows the operations of groups.
    """
    try:
        header, end = v2.decode_header(arrived.octets)
        body = header.rdma_body
        contents = decode_option(body) if isinstance(body, v2.Rdma2Optional) else None
    except DecodeError:
        return None
    if not isinstance(body, v2.Rdma2Optional) or not isinstance(contents, XmtReq):
        return None
    reads = tuple(
        ReadSegment(item.xmdmi_disp, segment)
        for item in contents.optxrq_ddp
        if isinstance(item.xmdmi_where, ByExplicitRdma)
        for segment in item.xmdmi_where.xmdl_ex
    )
    as_msg = RdmaMsg(reads, (), None)
    in_one = TransportHeader(header.rdma_xid, header.rdma_vers, header.rdma_credit, as_msg)
    return RequestGroup(contents, arrived, in_one, body.rdma_optdir, arrived.octets[end:])


def memory_of(direction: ResponseDirection) -> tuple[RdmaSegment, ...]:
    """The memory that a direction offers; none where bulk data go by Sends."""
    match direction:
        case DirectToExplicitRdma(xmdrsdl_ex=memory) | DirectByChoice(xmdrsdl_ex=memory):
            return memory
        case DirectBySize(xmdrsdl_bsex=memory):
            return memory
        case _:
            return ()
