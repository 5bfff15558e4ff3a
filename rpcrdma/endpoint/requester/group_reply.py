"""How a Requester judges a response that came as a group, and puts its bulk data back (stateless).

rtrext section 7.3  Message DDP Structures
rtrext section 7.4  Response Direction DDP Structures (table 2)
rtrext section 9.3  Transmit Response Operation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.core.group_placement import located
from rpcrdma.endpoint.requester.reply_parsing import judge_chunk
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import WriteChunk, chunk_length
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    InTargetedSegments,
    NoItem,
    PlacementType,
    TooShort,
)
from rpcrdma.wire.operations import XmtResp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpcrdma.endpoint.core.group_bodies import GroupedMsg
    from rpcrdma.endpoint.requester.group_plan import Response
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire._generated_rtrext import ItemLocation, MessageItem
    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.transmission import Transmission

__all__ = ["ANSWERS", "put_back", "take_group", "written"]

_NOTHING_PLACED: Final = (TooShort, NoItem)

ANSWERS: Final[Mapping[PlacementType, tuple[type[ItemLocation], ...]]] = {
    PlacementType.XMDTYPE_EXRW: (ByExplicitRdma, *_NOTHING_PLACED),
    PlacementType.XMDTYPE_TBSN: (InTargetedSegments, *_NOTHING_PLACED),
    PlacementType.XMDTYPE_CHOICE: (ByExplicitRdma, InTargetedSegments, *_NOTHING_PLACED),
    PlacementType.XMDTYPE_BYSIZE: (ByExplicitRdma, InTargetedSegments, *_NOTHING_PLACED),
}
"""Table 2: which answers a direction can get."""


def take_group(
    response: Response,
    offered: Sequence[WriteChunk],
    contents: XmtResp,
    arrived: Transmission,
    own: BufferLayout,
) -> tuple[bytes, ...]:
    """Judge a response; returns what its Sends hold for each of its items.

    Args:
        response: what the Call provided for it.
        offered: memory for each direction; empty for one without memory.
        contents: of its header.
        arrived: its Sends.
        own: the buffers that they landed in.

    Raises:
        FaultFound: it breaks a rule.
    """
    sends = contents.optxrs_count
    if sends != arrived.sends or sends > response.reserved + 1:
        raise FaultFound(Fault.RESPONSE_GROUP, f"{sends} transmissions, {response.reserved} more")
    items = contents.optxrs_ddp
    if len(items) != len(response.directions):
        why = f"{len(items)} items for {len(response.directions)} directions"
        raise FaultFound(Fault.RESPONSE_ITEMS, why)
    for direction, chunk, item in zip(response.directions, offered, items, strict=True):
        where = item.xmdmi_where
        if not isinstance(where, ANSWERS[direction.kind]):
            kind = direction.kind.name
            raise FaultFound(Fault.RESPONSE_ITEMS, f"{type(where).__name__} answers {kind}")
        if isinstance(where, ByExplicitRdma):
            returned = WriteChunk(where.xmdl_ex)
            judge_chunk(chunk, returned)
            if chunk_length(returned) != item.xmdmi_length:
                raise FaultFound(
                    Fault.RETURNED_CHUNKS,
                    f"{chunk_length(returned)} octets for an item of {item.xmdmi_length}",
                )
    return located(own, items, arrived)


def written(answer: GroupedMsg) -> tuple[tuple[int, ...], ...]:
    """Octets that were written into each segment of the memory of each direction, if any were."""
    items = answer.contents.optxrs_ddp if isinstance(answer.contents, XmtResp) else ()
    return tuple(
        tuple(segment.length for segment in item.xmdmi_where.xmdl_ex)
        if isinstance(item.xmdmi_where, ByExplicitRdma)
        else ()
        for item in items
    )


def put_back(
    call: bytes,
    payload: bytes,
    items: Sequence[MessageItem],
    data: Sequence[bytes],
    upper_layer: UpperLayer,
) -> bytes:
    """The unreduced reply.

    Args:
        call: unreduced.
        payload: the Payload stream of the reply.
        items: of the response.
        data: of each of them; of one that was not placed, nothing.
        upper_layer: knows which results may be placed.

    Raises:
        FaultFound: an item is none of those results.
    """
    placed = sorted(
        (item.xmdmi_disp, octets)
        for item, octets in zip(items, data, strict=True)
        if not isinstance(item.xmdmi_where, _NOTHING_PLACED)
    )
    whole = restore(payload, placed)
    try:
        found = upper_layer.results(call, whole)
    except DecodeError as error:
        raise FaultFound(Fault.UNDECODABLE_REPLY, str(error)) from error
    eligible = {(item.position, item.length) for item in found if item is not None}
    for position, octets in placed:
        if (position, len(octets)) not in eligible:
            why = f"{len(octets)} octets at displacement {position}"
            raise FaultFound(Fault.INELIGIBLE_RESULT, why)
    return whole
