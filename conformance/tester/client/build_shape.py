"""Makes a Call of a `Shape`.

rfc8166 section 3.4.5.2  Read Chunk Roundup
rfc8166 section 4.3      Chunk Lists
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.client import build, mutate
from conformance.tester.client.regions import OneRegion
from conformance.tester.workload import pages
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import roundup_padding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conformance.tester.client.peer import Peer
    from conformance.tester.client.regions import ChunkMemory
    from conformance.tester.client.shapes import Shape
    from conformance.tester.sent import Call, Request
    from conformance.tester.workload.base import Workload

__all__ = ["build_shape", "data_of"]

_TEXT: Final = 200
"""Octets of an item that is not eligible, and goes inline."""

_LONG_TEXT: Final = 2000
"""Octets of one that does not."""

_GAP: Final = 5
"""Octets between segments that lie scattered in their region."""

_SPARE: Final = 5
"""Octets that room is larger than it need be."""

_COUNTS: Final = {"one": 1, "two": 2, "sixteen": 16, "seventeen": 17}

_REQUESTS: Final[Mapping[str, Callable[[Workload, Shape, int], Request]]] = {
    "small": lambda work, shape, number: work.small(),
    "nothing": lambda work, shape, number: work.fetch_nothing(),
    "garbage": lambda work, shape, number: work.garbage(),
    "long-reply": lambda work, shape, number: work.long_reply(_LONG_TEXT),
    "store": lambda work, shape, number: work.store(*data_of(shape, number)),
    "store-two": lambda work, shape, number: work.store_two(*data_of(shape, number)),
    "long-store": lambda work, shape, number: work.long_store(_TEXT, *data_of(shape, number)),
    # A page that no other case reads, where one is enough.
    "fetch": lambda work, shape, number: (
        work.fetch_aside(shape.octets, pages.SHAPES + number)
        if shape.octets <= pages.LONGEST
        else work.fetch(shape.octets)
    ),
    "fetch-two": lambda work, shape, number: work.fetch_two(shape.octets, shape.octets),
    "second-only": lambda work, shape, number: work.fetch_second_only(shape.octets),
    "long-fetch": lambda work, shape, number: work.long_fetch(_TEXT, shape.octets),
}


def data_of(shape: Shape, number: int) -> tuple[bytes, ...]:
    """The eligible arguments of a Call of this shape; those of another number are others."""
    return tuple(pattern(shape.octets, 2 * number + item) for item in range(shape.stores))


def build_shape(peer: Peer, shape: Shape, number: int) -> Call:
    """Register the memory and make the Call.

    Args:
        peer: who sends it.
        shape: of the Call.
        number: of the row, which has data of its own.

    Raises:
        Unsupported: the binding has no such call.
    """
    request = _REQUESTS[shape.call](peer.workload, shape, number)
    items, left, results = _measured(shape, request)
    reads = (
        None if shape.read == "kept" else tuple(_read_cut(shape, one, len(items)) for one in items)
    )
    moved = sum(one + roundup_padding(one) for one in items) if reads is not None else 0
    writes = _writes(shape, results or (_TEXT,))
    covered = sum(
        one + roundup_padding(one) for one, sizes in zip(results, writes, strict=False) if sizes
    )
    whole = None if shape.whole == "inline" else _cut(left[0] - moved, shape.whole)
    call = build.call(
        peer,
        request,
        reads=reads,
        roundup=shape.pad in ("padded", "apart"),
        whole=whole,
        writes=writes,
        reply=_reply(shape, max(left[1] - covered, 4)),
        memory=_memory(peer, shape),
    )
    return _reordered(_resized(call, shape), shape)


def _measured(
    shape: Shape, request: Request
) -> tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]]:
    """Lengths of the arguments; of the unreduced Call and of its Reply; of the results."""
    unreduced = request.encode(0)
    if shape.call == "garbage":
        return (), (len(unreduced), _TEXT), ()
    expectation = request.layer.expectation(unreduced)
    items = tuple(item.length for item in request.layer.arguments(unreduced))
    return items, (len(unreduced), expectation.maximum), expectation.items


def _memory(peer: Peer, shape: Shape) -> ChunkMemory:
    if shape.memory == "apart":
        return peer
    return OneRegion(peer, 0 if shape.memory == "joined" else _GAP)


def _cut(length: int, how: str, chunks: int = 1) -> tuple[int, ...]:
    """Sizes of segments, none of them empty, that add up to the length.

    Many segments are those of all the chunks together, for the header to fit a Send.
    """
    if how == "odd":
        first = tuple(size for size in (1, 3, 4) if size < length)
        sizes = first if sum(first) < length else first[:1]
        return (*sizes, length - sum(sizes))
    count = max(1, min(_of_each(how, chunks), length))
    size = length // count
    return (*((size,) * (count - 1)), length - size * (count - 1))


def _read_cut(shape: Shape, length: int, chunks: int) -> tuple[int, ...]:
    """Sizes of the segments of one of so many Read chunks, with the roundup if it is in them."""
    padding = roundup_padding(length) if shape.pad in ("padded", "apart") else 0
    if shape.read == "empty-first":
        sizes: tuple[int, ...] = (0, length)
    elif shape.read == "empty-last":
        sizes = (length, 0)
    else:
        sizes = _cut(length, shape.read, chunks)
    if shape.pad == "apart" and padding:
        return (*sizes, padding)
    return (*sizes[:-1], sizes[-1] + padding)


def _writes(shape: Shape, largest: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Sizes of the segments of each Write chunk; each is as large as any result that may come."""
    room = [max(*largest[index:], 1) for index in range(len(largest))]
    plain = tuple((one,) for one in room)
    match shape.writes:
        case "none":
            return ()
        case "fit":
            return plain
        case "empty":
            return ((),) * len(room)
        case "empty-used":
            return ((), *plain[1:])
        case "empty-first":
            return tuple((0, one) for one in room)
        case "few":
            return plain[:-1]
        case "surplus":
            return (*plain, (64, 64))
        case "short":
            return tuple((one - 1,) for one in room)
        case "odd":
            return tuple(_cut(one + _SPARE, "odd") for one in room)
        case how:
            return tuple(_pieces(one, _of_each(how, len(room))) for one in room)


def _of_each(how: str, chunks: int) -> int:
    """Segments of each chunk: of one and two by themselves, of many together."""
    count = _COUNTS[how]
    return count if count <= 2 else -(-count // chunks)


def _pieces(length: int, count: int) -> tuple[int, ...]:
    """Just so many segments, none of them empty, with room for the length."""
    size = max(1, length // count)
    return (*((size,) * (count - 1)), max(1, length - size * (count - 1)))


def _reply(shape: Shape, length: int) -> tuple[int, ...] | None:
    match shape.reply:
        case "none":
            return None
        case "empty":
            return ()
        case "fit":
            return (length,)
        case "empty-first":
            return (0, length)
        case "short":
            return (length - 1,)
        case "odd":
            return _cut(length + _SPARE, "odd")
        case how:
            return _pieces(length, _COUNTS[how])


def _resized(call: Call, shape: Shape) -> Call:
    """The same Call, with other lengths told of the last segments of its Read chunks."""
    by = {"short-1": -1, "short-4": -4, "long-1": 1, "long-4": 4}.get(shape.pad)
    if by is None:
        return call
    reads = call.body.rdma_reads
    last = {segment.position: index for index, segment in enumerate(reads) if segment.position}
    for index in last.values():
        call = mutate.read_segment(call, index, length=reads[index].target.length + by)
    return call


def _reordered(call: Call, shape: Shape) -> Call:
    """The same Call, its Read chunks listed the other way round."""
    if shape.order == "listed":
        return call
    reads = sorted(call.body.rdma_reads, key=lambda segment: -segment.position)
    return mutate.lists(call, rdma_reads=tuple(reads))
