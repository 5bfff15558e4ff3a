"""Requests in transmission groups, for scenarios to send as they are or to spoil.

    call = request.grouped(peer, peer.workload.long_call(9000))            continued
    call = request.grouped(peer, workload.store(data), (SENDS,))           bulk data in Sends
    call = request.grouped(peer, workload.store(data), ((1000, 24),))      by explicit RDMA
    call = request.grouped(peer, workload.fetch(3000), directions=(request.to_sends(),))
    call.spoiled(call.draft.with_contents(0, optxrq_count=9))              one fault

    rtrext section 7.4  Response Direction DDP Structures
    rtrext section 9.2  Transmit Request Operation

Memory that a request needs is registered on the way, and is filled as that of other Calls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, TypeAlias

from conformance.groups.draft import DoesNotFitError, PlacedEntry, drafted
from conformance.oracle.responder.group_request import GroupRequest
from conformance.oracle.responder.group_requests import has_room
from conformance.tester.memory import ExposedChunk, split
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.bindings import reduce
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    ResponseItem,
    ResponseRange,
    ResponseSet,
)
from rpcrdma.wire.operations import XmtReq
from rpcrdma.wire.send_placement import BulkItem
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.groups.draft import Entry, GroupDraft
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Message, Request
    from rpcrdma.ulp.bindings import DataItem

__all__ = [
    "CREDITS",
    "INLINE",
    "SENDS",
    "WHOLE",
    "Argument",
    "Directed",
    "GroupCall",
    "by_choice",
    "by_size",
    "grouped",
    "to_memory",
    "to_sends",
]

_ALL: Final = 2**32 - 1

WHOLE: Final = ResponseRange(0, _ALL)
"""The range of the whole request (D-115)."""

CREDITS: Final = 64
"""Credits that are requested: each transmission takes one (D-109)."""

_RESERVE: Final = 16
"""Transmissions that a response may have, where a case does not care."""


class _Way(Enum):
    """How an eligible argument goes, if neither its place nor its memory is chosen."""

    INLINE = auto()
    SENDS = auto()


INLINE: Final = _Way.INLINE
"""It stays in the Payload stream."""

SENDS: Final = _Way.SENDS
"""It is placed in Sends wherever `arrange` puts it."""

Argument: TypeAlias = "_Way | InTargetedSegments | Sequence[int]"
"""How an eligible argument goes: in a way, in these target segments, or in memory whose segments
have these sizes (what is left over makes one more)."""


_NO_ROOM: Final = ExposedChunk(())


@dataclass(frozen=True, slots=True)
class Directed:
    """A direction for the response, and the memory that it offers."""

    item: ResponseItem
    room: ExposedChunk = _NO_ROOM


def to_sends(*, least: int = 0) -> Directed:
    """XMDTYPE_TBSN; items shorter than `least` octets stay inline."""
    return Directed(ResponseItem(least, DirectToSends()))


def to_memory(peer: Peer, *sizes: int, least: int = 0) -> Directed:
    """XMDTYPE_EXRW with segments of these sizes."""
    room = peer.room(sizes)
    return Directed(ResponseItem(least, DirectToExplicitRdma(room.told)), room)


def by_choice(peer: Peer, *sizes: int, least: int = 0) -> Directed:
    """XMDTYPE_CHOICE with segments of these sizes."""
    room = peer.room(sizes)
    return Directed(ResponseItem(least, DirectByChoice(room.told)), room)


def by_size(peer: Peer, limit: int, *sizes: int, least: int = 0) -> Directed:
    """XMDTYPE_BYSIZE: items longer than `limit` octets go into segments of these sizes."""
    room = peer.room(sizes)
    return Directed(ResponseItem(least, DirectBySize(limit, room.told)), room)


@dataclass(frozen=True, slots=True)
class GroupCall:
    """A request in the form in which it goes out, with the memory that it tells of.

    Attributes:
        draft: its Sends.
        request: what is called.
        unreduced: the complete call payload.
        good: what it said before it was spoiled.
        arguments: memory of its items, in order.
        rooms: memory of its directions, in order; without segments where there is none.
    """

    draft: GroupDraft
    request: Request
    unreduced: bytes
    good: GroupRequest
    arguments: tuple[ExposedChunk, ...] = ()
    rooms: tuple[ExposedChunk, ...] = ()

    @property
    def xid(self) -> int:
        """rdma_xid, and that of the RPC message."""
        return self.good.xid

    @property
    def title(self) -> str:
        """What is called, for people."""
        return self.request.title

    @property
    def message(self) -> Message:
        """All of it, to be sent at once."""
        first, *later = self.draft.messages
        return replace(first, title=self.title, later=tuple(one.octets for one in later))

    def spoiled(self, draft: GroupDraft) -> GroupCall:
        """The same request by other Sends."""
        return replace(self, draft=draft)

    def __str__(self) -> str:
        return str(self.message)


def grouped(  # every argument is one independent choice
    peer: Peer,
    request: Request,
    arguments: Sequence[Argument] = (),
    *,
    directions: Sequence[Directed] = (),
    ranges: Sequence[tuple[ResponseRange, Sequence[Directed]]] = (),
    reserve: int = _RESERVE,
    sizes: Sequence[int | None] | None = None,
    credits: int = CREDITS,  # noqa: A002  # the word of the documents
    beyond_limits: bool = False,
) -> GroupCall:
    """Build a request in a transmission group.

    Args:
        peer: who sends it.
        request: what is called.
        arguments: how the eligible ones go, in order; those after the last stay inline.
        directions: for the whole response.
        ranges: in place of that, directions for parts of it.
        reserve: optxrq_rsbuf.
        sizes: octets of the Payload stream in each Send, None for the one that has what is left;
            without sizes the Sends are filled.
        credits: rdma_credit.
        beyond_limits: the case is about more transmissions than the device takes, or sends.

    Raises:
        Unsupported: the device takes, or sends, less transmissions than this needs (8.4, 8.5), or
            does not claim to take so much memory in chunks, or its buffers hold no such message.
    """
    xid = peer.next_xid()
    unreduced = request.encode(xid)
    # What is asked of garbage arguments is only whether they are refused.
    eligible = request.layer.arguments(unreduced) if arguments else ()
    ways = dict(zip(eligible, arguments, strict=False))
    moved = {item: way for item, way in ways.items() if way is not INLINE}
    payload, data = reduce(unreduced, moved)
    memory: list[ExposedChunk] = []
    entries = [
        _entry(peer, item, way, octets, memory)
        for (item, way), octets in zip(moved.items(), data, strict=True)
    ]
    wanted = tuple(ranges) or (((WHOLE, directions),) if directions else ())
    told = tuple(ResponseSet(where, tuple(one.item for one in each)) for where, each in wanted)

    def begin(items: tuple[MessageItem, ...], count: int, length: int) -> XmtReq:
        return XmtReq(items, told, count, reserve, length)

    try:
        draft = drafted(
            xid,
            payload,
            entries,
            begin,
            peer.announced.layout,
            sizes=None if sizes is None else _filled(len(payload), sizes),
            title=request.title,
            credits=credits,
        )
    except DoesNotFitError as error:
        raise Unsupported(f"the device: {error}") from error
    good = GroupRequest(xid, told, reserve, unreduced)
    rooms = tuple(one.room for _, each in wanted for one in each)
    _require_chunks(peer, memory, rooms)
    if not beyond_limits:
        _require_limits(peer, request, good, len(draft.sends))
    return GroupCall(draft, request, unreduced, good, tuple(memory), rooms)


def _require_chunks(
    peer: Peer, arguments: Sequence[ExposedChunk], rooms: Sequence[ExposedChunk]
) -> None:
    """Raise Unsupported where there is more memory than the device claims to take in chunks."""
    claims = peer.profile.claims
    offered = [room for room in rooms if room.segments]
    longest = max((len(chunk.segments) for chunk in (*arguments, *offered)), default=0)
    for found, most, what in (
        (len(arguments), claims.max_read_chunks, "arguments in memory"),
        (len(offered), claims.max_write_chunks, "results in memory"),
        (longest, claims.max_segments, "segments"),
    ):
        if found > most:
            raise Unsupported(f"the device claims to take {most} {what}, not {found}")


def _require_limits(peer: Peer, request: Request, asked: GroupRequest, sends: int) -> None:
    """Raise Unsupported where a device that keeps to its limits cannot do what is asked."""
    taken, sent = peer.announced.request_limit, peer.announced.response_limit
    if sends > taken:
        raise Unsupported(f"the device takes requests of {taken} transmissions, not of {sends}")
    if sent >= asked.reserve:
        return
    state = peer.state
    unlimited = replace(state, own=replace(state.own, response_limit=asked.reserve))
    try:
        reply = request.layer.expectation(asked.call)
    except DecodeError:  # garbage has no results
        return
    if has_room(asked, reply, unlimited) and not has_room(asked, reply, state):
        raise Unsupported(f"the device sends responses of {sent} transmissions at most")


def _filled(length: int, sizes: Sequence[int | None]) -> tuple[int, ...]:
    """The sizes, with what is left in the place of None."""
    rest = length - sum(size or 0 for size in sizes)
    return tuple(rest if size is None else size for size in sizes)


def _entry(
    peer: Peer, item: DataItem, way: Argument, octets: bytes, memory: list[ExposedChunk]
) -> Entry:
    """An argument that leaves the Payload stream; what it needs is added to the memory."""
    if way is SENDS:
        return BulkItem(item.position, octets)
    if isinstance(way, InTargetedSegments):
        return PlacedEntry(item.position, octets, way)
    if isinstance(way, _Way):
        raise TypeError("what stays inline is no entry")
    chunk = peer.expose(octets, split(len(octets), way))
    memory.append(chunk)
    return MessageItem(item.position, item.length, ByExplicitRdma(chunk.told))
