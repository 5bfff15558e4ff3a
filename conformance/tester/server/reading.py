"""How a client's message is taken apart: its header, its Read chunks, the call they make.

rfc8166 section 3.4.5  Read Chunks
rfc8166 section 3.5.3  Long Messages
rfc8166 section 4.3.1  Read List
v2 section 2.1         RPC-over-RDMA Version One (what Version Two has of it)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.header import as_one, is_two
from conformance.tester.server.received import ReceivedCall
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import RdmaMsg, RdmaNomsg, decode_header, group_by_position, v2

if TYPE_CHECKING:
    from conformance.tester.server.line import Line
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import AnyHeader, TransportHeader
    from rpcrdma.wire.transmission import Transmission

__all__ = ["read_call"]


def read_call(
    line: Line,
    order: int,
    transmission: Transmission,
    in_flight: tuple[int, ...],
    program: UpperLayer,
    timeout: float,
) -> ReceivedCall:
    """Take a message apart, and fetch its Read chunks.

    Args:
        line: on which it came.
        order: of its arrival in the case.
        transmission: the message.
        in_flight: XIDs of the unanswered calls of that connection.
        program: knows where arguments are.
        timeout: seconds that fetching may take.
    """
    octets, sends = transmission.octets, transmission.sends
    raw: AnyHeader
    try:
        raw, end = v2.decode_header(octets) if is_two(octets) else decode_header(octets)
    except DecodeError as error:
        problem = f"no transport header: {error}"
        return ReceivedCall(
            line.number,
            order,
            octets,
            None,
            b"",
            None,
            in_flight,
            line.granted,
            problem,
            sends=sends,
        )
    header = as_one(raw)
    unreduced, problem = _unreduced(line, header, octets[end:], program, timeout)
    return ReceivedCall(
        line.number,
        order,
        octets,
        header,
        octets[end:],
        unreduced,
        in_flight,
        line.granted,
        problem,
        raw,
        sends,
    )


def _unreduced(
    line: Line, header: TransportHeader | None, payload: bytes, program: UpperLayer, timeout: float
) -> tuple[bytes | None, str]:
    """The complete call, or None and why there is none."""
    body = None if header is None else header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        return None, f"{type(body).__name__} is no call"
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
