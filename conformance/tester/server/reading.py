"""How a client's message is taken apart: its header, its Read chunks, the call they make.

A request in a transmission group has its items in Sends as well as in memory.

rfc8166 section 3.4.5  Read Chunks
rfc8166 section 3.5.3  Long Messages
rfc8166 section 4.3.1  Read List
v2 section 2.1         RPC-over-RDMA Version One (what Version Two has of it)
rtrext section 7.3     Message DDP Structures
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.header import as_one, is_two
from conformance.oracle.requester.request_group import read_request
from conformance.tester.server.received import ReceivedCall
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import RdmaMsg, RdmaNomsg, decode_header, group_by_position, v2
from rpcrdma.wire._generated_rtrext import ByExplicitRdma
from rpcrdma.wire.placed_items import PlacementFault
from rpcrdma.wire.words import constant_of

if TYPE_CHECKING:
    from conformance.oracle.requester.request_group import Layouts, RequestGroup
    from conformance.tester.server.line import Line
    from rpcrdma.wire import TransportHeader
    from rpcrdma.wire.transmission import Transmission

__all__ = ["read_call"]


def read_call(
    line: Line,
    order: int,
    transmission: Transmission,
    in_flight: tuple[int, ...],
    layouts: Layouts,
    timeout: float,
) -> ReceivedCall:
    """Take a message apart, and fetch what of it is in memory.

    Args:
        line: on which it came.
        order: of its arrival in the case.
        transmission: the message.
        in_flight: XIDs of the unanswered calls of that connection.
        layouts: what the client may know of the tester's buffers.
        timeout: seconds that fetching may take.
    """
    octets, sends = transmission.octets, transmission.sends
    call = ReceivedCall(
        line.number, order, octets, None, b"", None, in_flight, line.granted, sends=sends
    )
    group = read_request(transmission)
    if group is not None:
        call.group, call.header, call.payload = group, group.header, group.payload
        call.unreduced, call.problem = _joined(line, group, layouts, timeout)
        return call
    try:
        raw, end = v2.decode_header(octets) if is_two(octets) else decode_header(octets)
    except DecodeError as error:
        call.problem = f"no transport header: {error}"
        return call
    call.raw, call.header, call.payload = raw, as_one(raw), octets[end:]
    call.unreduced, call.problem = _unreduced(line, call.header, call.payload, timeout)
    return call


def _joined(
    line: Line, group: RequestGroup, layouts: Layouts, timeout: float
) -> tuple[bytes | None, str]:
    """The complete call, or None and why there is none."""
    try:
        placed = group.placed(layouts)
    except PlacementFault as fault:
        return None, fault.detail
    items: list[tuple[int, bytes]] = []
    for item, octets in zip(group.items, placed, strict=True):
        data: bytes | None = octets
        if isinstance(item.xmdmi_where, ByExplicitRdma):
            data = line.fetch(item.xmdmi_where.xmdl_ex, timeout)
        if data is None:
            return None, f"the item at displacement {item.xmdmi_disp} cannot be fetched"
        items.append((item.xmdmi_disp, data))
    items.sort(key=lambda item: item[0])
    return restore(group.payload, items), ""


def _unreduced(
    line: Line, header: TransportHeader | None, payload: bytes, timeout: float
) -> tuple[bytes | None, str]:
    """The complete call, or None and why there is none."""
    body = None if header is None else header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        what = "a message without a header" if body is None else constant_of(type(body))
        return None, f"{what} is no call"
    chunks = group_by_position(body.rdma_reads)
    if chunks and not line.fetches:
        return None, "its Read chunks are not fetched on this connection"
    whole = payload
    items: list[tuple[int, bytes]] = []
    for chunk in chunks:
        data = line.fetch(chunk.target, timeout)
        if data is None:
            return None, f"the Read chunk at Position {chunk.position} cannot be fetched"
        if chunk.position == 0:
            whole = data
        else:
            items.append((chunk.position, data))
    if not items:
        return whole, ""
    items.sort(key=lambda item: item[0])
    return restore(whole, items), ""
