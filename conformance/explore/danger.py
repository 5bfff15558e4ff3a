"""Which messages may bring a real server down, or damage what it holds.

The suite's cases of that kind are destructive, and so are generated and kept messages of their
shapes: they are sent only to who asked for it, or to a device in this process.

    rfc8166 section 3.4.3    RDMA Segments (segments without octets)
    rfc8166 section 4.3.2    Write List (room for results that cannot be used)
    rfc8166 section 8.1.1    Protection Domains

What is named here is a class of messages, not the one that does harm: a server that harms itself
by any of them harms itself by a client's mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.explore.lenient import ChunkLists, read_leniently
from conformance.oracle.header import decode_header
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, chunks_for_results

if TYPE_CHECKING:
    from conformance.oracle.memory import ExposedMemory
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import WriteChunk

__all__ = ["danger_of"]


def danger_of(message: bytes, memory: ExposedMemory, layer: UpperLayer) -> str:
    """What of a message may do harm, in a few words; empty if nothing is known to.

    Args:
        message: as it would be sent.
        memory: of the tester, as the device could reach it.
        layer: binding of the program that is called.
    """
    try:
        decoded = decode_header(message)
    except DecodeError:
        return _danger_in(read_leniently(message), memory)
    body = decoded.header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        return ""
    reads = tuple(item.target for item in body.rdma_reads)
    results = tuple(segment for chunk in chunks_for_results(body) for segment in chunk.target)
    if danger := _danger_in(ChunkLists(reads, results), memory):
        return danger
    if body.rdma_writes and _is_short(body.rdma_writes, message[decoded.end :], layer):
        return "room for results that is too short"
    return ""


def _danger_in(lists: ChunkLists, memory: ExposedMemory) -> str:
    if any(segment.length == 0 for segment in lists.reads):
        return "a segment without octets in the Read list"
    if any(not segment.length or not memory.is_writable(segment) for segment in lists.results):
        return "room for results that cannot be used"
    return ""


def _is_short(writes: tuple[WriteChunk, ...], payload: bytes, layer: UpperLayer) -> bool:
    """Whether a Write chunk is shorter than the result that the call may have for it."""
    try:
        results = layer.expectation(payload).items
    except DecodeError:
        return False
    offered = (sum(segment.length for segment in chunk.target) for chunk in writes)
    return any(room < length for room, length in zip(offered, results, strict=False) if room)
