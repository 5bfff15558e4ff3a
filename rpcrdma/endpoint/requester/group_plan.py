"""Which Calls go as transmission groups, and how their results are to come back.

    rtrext section 4.3  Message Continuation and Credits
    rtrext section 5    Using Protocol Additions
    rtrext section 7.4  Response Direction DDP Structures

A group is never a must: where the peer does not take one, where credits or limits do not allow it,
or where the longest response needs more Receives than can be reserved, there is no plan and the
facilities of the base protocol serve.

Hooks (methods that a mutant may override, one each):

    most                    transmissions that a request may have
    items                   which arguments leave the Payload stream, and how
    kind                    how a result is directed
    reserve                 how many transmissions of the response are told and provided for
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.group_sends import Entry, group_sends
from rpcrdma.endpoint.core.placement import split
from rpcrdma.endpoint.properties.values import PropertyValues
from rpcrdma.endpoint.requester.plan import ARM_MARGIN, ReadPlan, pieces
from rpcrdma.ulp.bindings import reduce
from rpcrdma.wire import RdmaSegment
from rpcrdma.wire._generated_rtrext import (
    RTRS_XCONT,
    RTRS_XREQ,
    ByExplicitRdma,
    MessageItem,
    PlacementType,
)
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import ROPT_XMTREQ, ROPT_XMTRESP, XmtResp
from rpcrdma.wire.send_placement import BulkItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.ulp.bindings import DataItem, ReplyExpectation

__all__ = ["Direction", "GroupPlan", "GroupPlanner", "Response"]

_NEEDED: Final = frozenset((ROPT_XMTREQ, ROPT_XMTRESP))
"""Without these no Call is a group: the second may answer any request (D-116)."""

_BY_RDMA: Final = frozenset(
    (PlacementType.XMDTYPE_EXRW, PlacementType.XMDTYPE_CHOICE, PlacementType.XMDTYPE_BYSIZE)
)
"""Directions that come with memory."""


@dataclass(frozen=True, slots=True)
class Direction:
    """How one result is to be placed.

    Attributes:
        kind: the way.
        segments: octets of each segment of the memory that is offered for it.
    """

    kind: PlacementType
    segments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """What a Call provides for its response.

    Attributes:
        directions: for results, in their order.
        told: optxrq_rsbuf.
        reserved: Receives beside that of the Call's own credit.
    """

    directions: tuple[Direction, ...] = ()
    told: int = 0
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A Call as a group.

    Attributes:
        payload: what remains of the Payload stream.
        entries: what is taken out of it: by Sends, or from memory to be read.
        response: what is provided for the response.
        layout: of the Responder's buffers.
        most: transmissions that are allowed.
    """

    payload: bytes
    entries: tuple[BulkItem | ReadPlan, ...]
    response: Response
    layout: BufferLayout
    most: int

    @property
    def reads(self) -> tuple[ReadPlan, ...]:
        """What the Responder reads from memory."""
        return tuple(entry for entry in self.entries if isinstance(entry, ReadPlan))


class GroupPlanner:
    """Plans the groups of one Requester.

    Attributes:
        send_limit: octets of the longest Send.
        is_refused: whether the peer has refused a request as an operation that it does not support.
    """

    def __init__(self, reductions: Reductions, segment: int, send_limit: int) -> None:
        self.reductions = reductions
        self.send_limit = send_limit
        self.is_refused = False
        self._segment = segment
        self._peer = PropertyValues()
        self._own = BufferLayout.of(reductions.structure, reductions.receive_octets)

    def heed(self, send_limit: int, peer: PropertyValues) -> None:
        """Keep to what the peer says of itself."""
        self.send_limit, self._peer = send_limit, peer

    def post_from_now(self, octets: int) -> None:
        """Receives have this length from now on; where they are shorter, responses take more."""
        self._own = BufferLayout.of(self.reductions.structure, min(octets, self._own.length))

    @property
    def own(self) -> BufferLayout:
        """The buffers that responses land in."""
        return self._own

    @property
    def is_possible(self) -> bool:
        """Whether any Call may be a group."""
        supported = self.reductions.operations >= _NEEDED
        return supported and bool(self._peer.rtr_support & RTRS_XREQ) and not self.is_refused

    def plan(
        self,
        payload: bytes,
        items: tuple[DataItem, ...],
        expectation: ReplyExpectation,
        credits_left: int,
        receives_left: int,
    ) -> GroupPlan | None:
        """A Call as a group; None if it should not or cannot be one.

        Args:
            payload: the unreduced Call.
            items: its DDP-eligible arguments.
            expectation: of the Reply.
            credits_left: Sends that may be in flight at all.
            receives_left: Receives that may still be reserved.
        """
        response = self._response(expectation, receives_left)
        if response is None:
            return None
        fits = len(payload) <= self.send_limit - TWO.header
        wanted = self.reductions.always or response.directions or response.reserved
        if fits and not wanted:
            return None
        longest = min(self.send_limit, self.reductions.longest_send)
        layout = BufferLayout.of(self._peer.buffer_structure, longest)
        entries: tuple[BulkItem | ReadPlan, ...] = ()
        kept = payload
        if items and (self.reductions.always or not fits):
            kept, entries = self.items(payload, items, layout)
        return GroupPlan(kept, entries, response, layout, min(self.most(), credits_left))

    def most(self) -> int:
        """Transmissions that a request may have (rtrext 5.2, 8.4)."""
        if not (self.reductions.can_continue and self._peer.rtr_support & RTRS_XCONT):
            return 1
        return min(self.reductions.send_limit, self._peer.request_limit)

    def items(
        self, payload: bytes, items: tuple[DataItem, ...], layout: BufferLayout
    ) -> tuple[bytes, tuple[BulkItem | ReadPlan, ...]]:
        """The Payload stream without its items, and these: placed by Sends if that is possible.

        Without targets they are read by explicit RDMA (rtrext 5.3).
        """
        kept, data = reduce(payload, items)
        taken = zip(items, data, strict=True)
        if layout.targets:
            return kept, tuple(BulkItem(item.position, octets) for item, octets in taken)
        return kept, tuple(
            ReadPlan(item.position, pieces(octets, self._segment)) for item, octets in taken
        )

    def kind(self) -> PlacementType:
        """How results are directed; by Sends only if the Receives have targets (rtrext 5.3)."""
        if not self._own.targets:
            return PlacementType.XMDTYPE_EXRW
        return self.reductions.direction or PlacementType.XMDTYPE_TBSN

    def reserve(self, sends: int) -> tuple[int, int]:
        """What is told of the transmissions that a response may have, and the Receives for them.

        D-97: the number may be read as that of the additional ones, so one more is provided.
        """
        return (0, 0) if sends == 1 else (sends, sends)

    def _response(self, expectation: ReplyExpectation, receives_left: int) -> Response | None:
        longest = expectation.maximum
        if longest <= self._own.length - TWO.header and not self.reductions.always:
            return Response()
        kind = self.kind()
        # As with Write chunks, a result may meet the direction of an earlier one.
        largest = [max(expectation.items[index:]) for index in range(len(expectation.items))]
        directions = tuple(
            Direction(kind, split(length, self._segment) if kind in _BY_RDMA else ())
            for length in largest
        )
        certain = _padded(expectation.items)
        entries = tuple(
            _longest_entry(direction, length)
            for direction, length in zip(directions, largest, strict=True)
        )
        kept = _padded(self._kept(expectation))
        payload = bytes(longest - max(0, certain - ARM_MARGIN) + kept)
        most = min(self._peer.response_limit, max(1, receives_left))
        if not self.reductions.can_continue:
            most = 1
        sends = group_sends(0, 0, payload, entries, XmtResp, self._own, most)
        if sends is None:
            return None
        return Response(directions, *self.reserve(len(sends)))

    def _kept(self, expectation: ReplyExpectation) -> Iterator[int]:
        """What results may have in the Payload stream, too short to be placed (rtrext 7.4)."""
        shortest = self.reductions.shortest
        for length in expectation.items:
            if length < shortest or not expectation.exact:
                yield min(length, max(0, shortest - 1))


def _padded(lengths: Iterable[int]) -> int:
    """Octets of items of these lengths, with their XDR padding."""
    return sum(length + -length % 4 for length in lengths)


def _longest_entry(direction: Direction, length: int) -> Entry:
    """A result as it takes most room in a response."""
    if direction.kind is PlacementType.XMDTYPE_EXRW:
        segments = tuple(RdmaSegment(0, octets, 0) for octets in direction.segments)
        return MessageItem(0, length, ByExplicitRdma(segments))
    return BulkItem(0, bytes(length))
