"""Whether the results of a Call must be written to memory that nobody can write to.

    rfc8166 section 4.5.3  Responder RDMA Operational Errors
    rfc8166 section 6.1    DDP-Eligibility (a Write chunk that is there is used)
    rfc8166 section 8.1.1  Protection Domains (a handle of another connection is none)

The RDMA Write that fails ends the connection, and no Reply comes after it.  That is certain only
where the program says how long its results are: other results may need less, or nothing at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.sizes import HEADER_ONE
from rpcrdma.wire import RdmaSegment, roundup_padding

if TYPE_CHECKING:
    from conformance.oracle.memory import ExposedMemory
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.wire import RdmaMsg, RdmaNomsg, WriteChunk

__all__ = ["needs_unusable_memory"]


def needs_unusable_memory(
    body: RdmaMsg | RdmaNomsg, reply: ReplyExpectation, memory: ExposedMemory, threshold: int
) -> bool:
    """Whether no successful Reply can come, since its results cannot be written.

    Args:
        body: of the Call's header.
        reply: what its program says of the results.
        memory: of the Requester.
        threshold: octets of the longest Reply that goes inline.
    """
    # rfc8166 4.3.2.2: which chunk a result takes after one without data is open.
    if not reply.exact or not all(reply.items):
        return False
    left = reply.maximum
    for length, chunk in zip(reply.items, body.rdma_writes, strict=False):
        # rfc8166 4.3.2.3: a chunk without segments asks for its result inline.
        if chunk.target:
            if not _is_writable(chunk, length, memory):
                return True
            left -= length + roundup_padding(length)
    if body.rdma_reply is None or HEADER_ONE + left <= threshold:
        return False
    return not _is_writable(body.rdma_reply, left, memory)


def _is_writable(chunk: WriteChunk, length: int, memory: ExposedMemory) -> bool:
    """Whether the first octets of a chunk can be written, or as many as it is said to hold."""
    for segment in chunk.target:
        part = min(length, segment.length)
        if not memory.is_writable(RdmaSegment(segment.handle, part, segment.offset)):
            return False
        length -= part
        if not length:
            break
    return True
