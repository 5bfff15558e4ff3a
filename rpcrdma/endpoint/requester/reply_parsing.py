"""How a Requester judges a Reply, and puts its results back (stateless).

    rfc8166 section 3.4.6.1  Decoding Write Chunks
    rfc8166 section 4.3      Chunk Lists (what a reply returns)
    rfc8166 section 6.1      DDP-Eligibility (violations by a Responder)

`judge_returned` compares the chunks of a reply with those that were offered; `reassemble` makes the
unreduced reply.  Both raise `FaultFound`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp.bindings import restore
from rpcrdma.wire import RdmaMsg, RdmaNomsg, chunk_length

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.ulp.bindings import DataItem, UpperLayer
    from rpcrdma.wire import WriteChunk

__all__ = ["Offer", "judge_chunk", "judge_returned", "reassemble"]

MOST_CANDIDATES: Final = 64
"""Ways to assign chunks to results that are tried; bounds what an odd reply can cost."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The chunks that a call offered for its reply."""

    writes: tuple[WriteChunk, ...] = ()
    reply: WriteChunk | None = None


def judge_returned(offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
    """Compare what a reply returns with what was offered."""
    if body.rdma_reads:
        raise FaultFound(Fault.READ_LIST_IN_REPLY)
    reply = body.rdma_reply
    if isinstance(body, RdmaNomsg) and (reply is None or not chunk_length(reply)):
        raise FaultFound(Fault.NOMSG_WITHOUT_REPLY)  # nothing holds the payload
    if len(body.rdma_writes) != len(offer.writes):
        raise FaultFound(
            Fault.RETURNED_CHUNKS, f"{len(body.rdma_writes)} of {len(offer.writes)} Write chunks"
        )
    for offered, returned in zip(offer.writes, body.rdma_writes, strict=True):
        judge_chunk(offered, returned)
    if body.rdma_reply is None:
        return  # D-19: in an RDMA_MSG it may be left out
    if offer.reply is None:
        raise FaultFound(Fault.RETURNED_CHUNKS, "a Reply chunk that was not offered")
    judge_chunk(offer.reply, body.rdma_reply)
    if isinstance(body, RdmaMsg) and chunk_length(body.rdma_reply):
        raise FaultFound(Fault.REPLY_CHUNK_IN_MSG, f"{chunk_length(body.rdma_reply)} octets")


def judge_chunk(offered: WriteChunk, returned: WriteChunk) -> None:
    """Compare a returned chunk with the one that was offered."""
    if len(offered.target) != len(returned.target):
        raise FaultFound(
            Fault.RETURNED_CHUNKS, f"{len(returned.target)} of {len(offered.target)} segments"
        )
    for ours, theirs in zip(offered.target, returned.target, strict=True):
        if (ours.handle, ours.offset) != (theirs.handle, theirs.offset):
            raise FaultFound(Fault.RETURNED_CHUNKS, f"{theirs} for {ours}")
        if theirs.length > ours.length:
            raise FaultFound(Fault.RETURNED_CHUNKS, f"{theirs.length} of {ours.length} octets")


def reassemble(
    call: bytes,
    payload: bytes,
    writes: tuple[WriteChunk, ...],
    data: tuple[bytes, ...],
    slots: int,
    upper_layer: UpperLayer,
) -> bytes:
    """The unreduced reply.

    Args:
        call: unreduced.
        payload: the reduced reply.
        writes: Write chunks as returned.
        data: what each of them holds.
        slots: how many results may have an item.
        upper_layer: knows where they are.
    """
    mismatch = None
    for bearing in islice(_candidates(slots), MOST_CANDIDATES):
        try:
            items = _items(call, payload, writes, bearing, upper_layer)
        except (DecodeError, LocalProtocolError) as error:
            mismatch = mismatch or error
            continue
        if items is not None:
            return _put_back(payload, writes, data, items)
    raise FaultFound(Fault.UNDECODABLE_REPLY, str(mismatch or "no result fits the Write chunks"))


def _candidates(slots: int) -> Iterable[tuple[int, ...]]:
    """Which slots may have an item: all, then ever fewer, the first ones first."""
    for count in range(slots, -1, -1):
        yield from combinations(range(slots), count)


def _items(
    call: bytes,
    payload: bytes,
    writes: tuple[WriteChunk, ...],
    bearing: tuple[int, ...],
    upper_layer: UpperLayer,
) -> list[DataItem] | None:
    """The items of the reply, if exactly the slots `bearing` have one."""
    # rfc8166 4.3.2.2: the n-th item, not the n-th slot, is in the n-th chunk; and none is in an
    # empty one.
    reduced = {slot for slot, chunk in zip(bearing, writes, strict=False) if chunk.target}
    found = upper_layer.results(call, payload, reduced)
    if tuple(index for index, item in enumerate(found) if item is not None) != bearing:
        return None
    return [item for item in found if item is not None]


def _put_back(
    payload: bytes,
    writes: tuple[WriteChunk, ...],
    data: tuple[bytes, ...],
    items: list[DataItem],
) -> bytes:
    pairs = []
    for index, (chunk, octets) in enumerate(zip(writes, data, strict=True)):
        item = items[index] if index < len(items) else None
        if item is None:
            if octets:
                raise FaultFound(Fault.INELIGIBLE_RESULT, f"{len(octets)} octets of no result")
        elif chunk.target:
            _judge_item(item, octets)
            pairs.append((item.position, octets))
    return restore(payload, pairs)


def _judge_item(item: DataItem, octets: bytes) -> None:
    """rfc8166 3.4.6.2: a returned chunk is exactly as long as its item."""
    if len(octets) != item.length:
        fault = Fault.UNREDUCED_RESULT if not octets else Fault.RETURNED_CHUNKS
        raise FaultFound(fault, f"{len(octets)} octets for an item of {item.length}")
