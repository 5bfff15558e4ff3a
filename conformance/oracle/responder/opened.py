"""The RPC message that a response in transmissions gives, put together as it says.

rtrext section 7.3  Message DDP Structures
rtrext section 9.3  Transmit Response Operation
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.ulp.bindings import restore
from rpcrdma.wire._generated_rtrext import ByExplicitRdma, InTargetedSegments
from rpcrdma.wire.placed_items import PlacementFault, gather, spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.oracle.responder.expectation import ResponderState
    from conformance.oracle.transmissions import GroupAnswered
    from rpcrdma.wire._generated_rtrext import MessageItem
    from rpcrdma.wire.placed_items import Span

__all__ = ["OpenedResponse", "opened"]


@dataclass(frozen=True, slots=True)
class OpenedResponse:
    """The RPC message that a response gives.

    Attributes:
        octets: unreduced; the Payload stream if the items cannot be put back.
        spans: where in the Sends each item lies; empty if that cannot be said.
        fault: why they cannot.
    """

    octets: bytes
    spans: tuple[tuple[Span, ...], ...] = ()
    fault: PlacementFault | None = None


def opened(
    response: GroupAnswered, state: ResponderState, items: Sequence[MessageItem] | None = None
) -> OpenedResponse:
    """Put the items of a response back into its Payload stream.

    Args:
        response: as it came.
        state: of device and connection, as they are when the response has come.
        items: in the place of those that the response lists.
    """
    if items is None:
        items = response.contents.optxrs_ddp
    arrived = response.transmission
    lengths = [len(part) for part in arrived.parts]
    try:
        spans = spans_of(state.requester.layout, items, lengths, arrived.ends)
    except PlacementFault as fault:
        return OpenedResponse(response.payload, fault=fault)
    placed = []
    for item, places in zip(items, spans, strict=True):
        match item.xmdmi_where:
            case InTargetedSegments():
                placed.append((item.xmdmi_disp, gather(arrived.parts, places)))
            case ByExplicitRdma(xmdl_ex=segments):
                data = state.memory.contents(segments)
                placed.append((item.xmdmi_disp, b"" if data is None else data))
            case _:
                pass  # stands in the Payload stream, or nowhere
    return OpenedResponse(restore(response.payload, sorted(placed)), spans)
