"""The oracle's view of a Reply's results: the unreduced RPC message, or what is wrong with it.

rfc8166 section 3.4.6.1  Decoding Write Chunks
rfc8166 section 4.3.2.2  which result is in which Write chunk
rfc8166 section 6.1      DDP-Eligibility (violations by a Responder)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp.bindings import DataItem, restore
from rpcrdma.wire import WriteChunk, chunk_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.requester.expectation import Contents
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["Reassembled", "reassemble"]

_MOST_ASSIGNMENTS: Final = 256
"""Ways in which results may stand in chunks that are tried; no procedure in use has as many."""

_REDUCED: Final = (
    "rfc8166.6.1.reduced-ineligible-result-ends-the-rpc",
    "rfc8166.6.1.reassembly-gives-a-valid-stream",
)
_UNREDUCED: Final = ("rfc8166.6.1.unreduced-result-ends-the-rpc",)


@dataclass(frozen=True, slots=True)
class Reassembled:
    """A Reply put together.

    Attributes:
        payload: unreduced; None if it cannot be had, or if nobody knows what the chunks hold.
        fault: what is wrong, empty if nothing is.
        requirements: that say what a Requester does about the fault.
    """

    payload: bytes | None = None
    fault: str = ""
    requirements: tuple[str, ...] = ()


def reassemble(
    call: bytes,
    reply: bytes,
    writes: tuple[WriteChunk, ...],
    contents: Contents | None,
    layer: UpperLayer,
) -> Reassembled:
    """Put a Reply together.

    Args:
        call: unreduced.
        reply: as it came, inline or in the Reply chunk.
        writes: the Write chunks as returned.
        contents: what is in them; None if nobody knows.
        layer: tells where the results are.
    """
    offered = frozenset(index for index, chunk in enumerate(writes) if chunk.target)
    items = _items(call, reply, writes, offered, layer)
    if items is not None:
        return _joined(reply, writes, items, contents)
    used = frozenset(index for index in offered if chunk_length(writes[index]))
    if used != offered and _items(call, reply, writes, used, layer) is not None:
        return Reassembled(None, "a result came inline that has a Write chunk", _UNREDUCED)
    return Reassembled(None, "no result fits what the Write chunks hold", _REDUCED)


def _items(
    call: bytes,
    reply: bytes,
    writes: tuple[WriteChunk, ...],
    used: frozenset[int],
    layer: UpperLayer,
) -> tuple[DataItem, ...] | None:
    """The items of the reply, if those whose chunks are `used` are in them, whole and alone."""
    slots = len(layer.expectation(call).items)
    for bearing in islice(_assignments(slots), _MOST_ASSIGNMENTS):
        # rfc8166 4.3.2.2: the n-th result that there is, is in the n-th chunk.
        reduced = {slot for index, slot in enumerate(bearing) if index in used}
        try:
            found = layer.results(call, reply, reduced)
        except (DecodeError, LocalProtocolError):
            continue
        if tuple(slot for slot, item in enumerate(found) if item is not None) != bearing:
            continue
        items = tuple(item for item in found if item is not None)
        held = [chunk_length(writes[index]) for index in sorted(used)]
        if held == [_length(items, index) for index in sorted(used)]:
            return items
    return None


def _length(items: tuple[DataItem, ...], index: int) -> int:
    """What the chunk of this index must hold: nothing, after the last item."""
    return items[index].length if index < len(items) else 0


def _assignments(slots: int) -> Iterator[tuple[int, ...]]:
    """Which slots may have a result: all, then ever fewer."""
    for count in range(slots, -1, -1):
        yield from combinations(range(slots), count)


def _joined(
    reply: bytes,
    writes: tuple[WriteChunk, ...],
    items: tuple[DataItem, ...],
    contents: Contents | None,
) -> Reassembled:
    parts: list[tuple[int, bytes]] = []
    for item, chunk in zip(items, writes, strict=False):
        if not chunk_length(chunk):
            continue
        octets = None if contents is None else contents(chunk.target)
        if octets is None:
            return Reassembled()
        parts.append((item.position, octets))
    return Reassembled(restore(reply, parts))
