"""A transmission group of the tester's as data: each word of each of its Sends can be changed.

    draft.drafted(xid, payload, entries, begin, layout)      as `arrange` would send it
    draft.drafted(..., sizes=(400, 0, 80))                   cut as the case wants it
    group.with_contents(1, optxc_xnum=7)                     other words in what one Send says
    group.with_send(1, xid=0x99)                             other words in its header
    group.with_item(0, xmdmi_disp=44)                        other words about an item
    group.in_order(0, 2, 1)                                  Sends left out, twice, or in disorder
    group.messages                                           what is sent, one after the other

    rtrext section 4.2  Message Continuation Changes
    rtrext section 7.3  Message DDP Structures
    rtrext section 9    New Operations

Requests and responses are drafted alike: what begins the group says which it is.  A draft says
where in its Send bulk data lie, not what is before them.  So they stay where they are when a header
grows, and header and payload come first where both want the same octets (D-118).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from conformance.tester.sent import REQUESTED_CREDITS, Message, Mutation
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import InTargetedSegments, MessageItem
from rpcrdma.wire.operations import XmtCont, XmtReq, XmtResp, operation_of
from rpcrdma.wire.send_placement import BulkItem, arrange
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.operations import KnownOption
    from rpcrdma.wire.rpc import MessageType

__all__ = [
    "Begin",
    "DoesNotFitError",
    "Entry",
    "GroupDraft",
    "Piece",
    "PlacedEntry",
    "SendDraft",
    "drafted",
]

_PLENTY: Final = 4096
"""More Sends than any group of the tester's has."""

_LONGEST_TEXT: Final = 100
"""Characters by which a value is told."""


class PlacedEntry(NamedTuple):
    """An item whose place in the Sends the case has chosen.

    Attributes:
        position: its displacement in the virtual XDR stream.
        data: its octets without XDR padding.
        where: the target segments that take it.
    """

    position: int
    data: bytes
    where: InTargetedSegments


Entry: TypeAlias = BulkItem | PlacedEntry | MessageItem
"""What leaves the Payload stream: to be placed in Sends, or an item that needs no place there."""

Begin: TypeAlias = "Callable[[tuple[MessageItem, ...], int, int], XmtReq | XmtResp]"
"""Contents of the first Send by its items, the count of Sends, and its part of the payload."""


class Piece(NamedTuple):
    """Bulk data in a Send, with the padding before them or without: `start` octets are before."""

    start: int
    data: bytes


@dataclass(frozen=True, slots=True)
class SendDraft:
    """One Send of a group.

    Attributes:
        xid: rdma_xid.
        contents: what rdma_optinfo holds; octets go out as they are.
        operation: rdma_opttype.
        direction: rdma_optdir.
        payload: its part of the Payload stream.
        bulk: what it has after that.
        credits: rdma_credit.
        version: rdma_vers.
    """

    xid: int
    contents: KnownOption | bytes
    operation: int
    direction: MessageType
    payload: bytes = b""
    bulk: tuple[Piece, ...] = ()
    credits: int = REQUESTED_CREDITS
    version: int = v2.VERSION

    @property
    def header(self) -> bytes:
        """Its transport header."""
        contents = self.contents
        info = contents if isinstance(contents, bytes) else operation_of(contents).encode(contents)
        body = v2.Rdma2Optional(self.direction, self.operation, info)
        return v2.encode_header(v2.Rdma2Header(self.xid, self.version, self.credits, body))

    @property
    def octets(self) -> bytes:
        """All of it: header, payload, and bulk data with zeros before them."""
        octets = bytearray(self.header + self.payload)
        front = len(octets)
        for start, data in self.bulk:
            end = start + len(data)
            octets.extend(bytes(max(0, end - len(octets))))
            covered = min(len(data), max(0, front - start))
            octets[start + covered : end] = data[covered:]
        return bytes(octets)


@dataclass(frozen=True, slots=True)
class GroupDraft:
    """A group, and what was changed in it.

    Attributes:
        sends: in the order in which they go out.
        title: of the RPC message, for people.
        mutations: what was changed, in order.
    """

    sends: tuple[SendDraft, ...]
    title: str
    mutations: tuple[Mutation, ...] = ()

    @property
    def xid(self) -> int:
        """rdma_xid of the first Send."""
        return self.sends[0].xid

    @property
    def items(self) -> tuple[MessageItem, ...]:
        """The entries of the first Send, as its contents say."""
        match self.sends[0].contents:
            case XmtReq(optxrq_ddp=items) | XmtResp(optxrs_ddp=items):
                return items
            case _:
                return ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is sent, one message for each Send; they can be mutated further as any."""
        count = len(self.sends)
        return tuple(
            Message(
                send.xid,
                send.octets,
                f"{self.title} ({number} of {count})" if count > 1 else self.title,
                self.mutations,
            )
            for number, send in enumerate(self.sends, 1)
        )

    def with_send(self, number: int, **words: object) -> GroupDraft:
        """Other attributes of one `SendDraft`, by name."""
        return self._changed(number, replace(self.sends[number], **words), words)  # type: ignore[arg-type]  # checked where it is made

    def with_contents(self, number: int, **words: object) -> GroupDraft:
        """Other members of what one Send says, by their names in the XDR.

        Raises:
            TypeError: its contents are octets.
        """
        old = self.sends[number]
        if isinstance(old.contents, bytes):
            raise TypeError(f"transmission {number} has octets in place of contents")
        contents = msgspec.structs.replace(old.contents, **words)
        return self._changed(number, replace(old, contents=contents), words)

    def with_items(self, items: Iterable[MessageItem]) -> GroupDraft:
        """Other entries in the first Send; the bulk data stay where they are."""
        is_request = isinstance(self.sends[0].contents, XmtReq)
        name = "optxrq_ddp" if is_request else "optxrs_ddp"
        return self.with_contents(0, **{name: tuple(items)})

    def with_item(self, index: int, **words: object) -> GroupDraft:
        """Other members of one entry of the first Send; the bulk data stay where they are."""
        items = list(self.items)
        items[index] = msgspec.structs.replace(items[index], **words)
        return self.with_items(items)

    def with_targets(
        self, index: int, *, numbers: Sequence[int] | None = None, offset: int | None = None
    ) -> GroupDraft:
        """Other target segments told of one item, which stays where it is.

        Raises:
            TypeError: the item is in no target segment.
        """
        where = self.items[index].xmdmi_where
        if not isinstance(where, InTargetedSegments):
            raise TypeError(f"item {index} is in no target segment")
        told = InTargetedSegments(
            where.xmdl_offset if offset is None else offset,
            where.xmdl_bsnum if numbers is None else tuple(numbers),
        )
        return self.with_item(index, xmdmi_where=told)

    def with_last_target(self, index: int, number: int) -> GroupDraft:
        """Another target segment told of the end of one item, which stays where it is.

        Raises:
            TypeError: the item is in no target segment.
        """
        where = self.items[index].xmdmi_where
        numbers = where.xmdl_bsnum[:-1] if isinstance(where, InTargetedSegments) else ()
        return self.with_targets(index, numbers=(*numbers, number))

    def in_order(self, *numbers: int) -> GroupDraft:
        """These Sends in this order; those that are not named are left out."""
        was = in_words(tuple(range(len(self.sends))))
        mutation = Mutation("the order of transmissions", was, in_words(numbers))
        sends = tuple(self.sends[number] for number in numbers)
        return replace(self, sends=sends, mutations=(*self.mutations, mutation))

    def _changed(self, number: int, send: SendDraft, words: dict[str, object]) -> GroupDraft:
        old = self.sends[number]
        mutations = tuple(
            Mutation(f"{name} of transmission {number}", _short(_word(old, name)), _short(value))
            for name, value in words.items()
        )
        sends = (*self.sends[:number], send, *self.sends[number + 1 :])
        return replace(self, sends=sends, mutations=(*self.mutations, *mutations))


class DoesNotFitError(ValueError):
    """The receiver's buffers, as it tells of them, hold no such message."""


def drafted(
    xid: int,
    payload: bytes,
    entries: Sequence[Entry],
    begin: Begin,
    layout: BufferLayout,
    *,
    sizes: Sequence[int] | None = None,
    title: str = "a group",
    credits: int = REQUESTED_CREDITS,  # noqa: A002  # the word of the documents
) -> GroupDraft:
    """Draft a group without a fault, unless what is handed over has one.

    Args:
        xid: of the message.
        payload: the Payload stream, which lacks all entries.
        entries: what it lacks, in the order in which the header lists it.
        begin: makes the contents of the first Send.
        layout: of the receiver's buffers.
        sizes: octets of the Payload stream in each Send; None: the Sends are filled.
        title: of the RPC message, for people.
        credits: rdma_credit of each Send.

    Raises:
        DoesNotFitError: no Sends that are filled carry the message to the receiver's buffers.
        ValueError: `sizes` are given and do not fit the payload, or leave open where bulk data lie.
    """
    kind = operation_of(begin((), 1, 0))
    if sizes is None:
        items, parts = _arranged(xid, payload, entries, begin, layout)
    else:
        items, parts = _cut(payload, entries, sizes)
    sends = []
    for number, part in enumerate(parts):
        length = len(part)
        first = begin(items, len(parts), length)
        contents = XmtCont(number, kind.code, length) if number else first
        operation = operation_of(contents).code
        sends.append(SendDraft(xid, contents, operation, kind.way(), part, (), credits))
    for entry, item in zip(entries, items, strict=True):
        if not isinstance(entry, MessageItem):
            _place(sends, layout, entry.data, item)
    return GroupDraft(tuple(sends), title)


def _arranged(
    xid: int, payload: bytes, entries: Sequence[Entry], begin: Begin, layout: BufferLayout
) -> tuple[tuple[MessageItem, ...], list[bytes]]:
    """All items, and the parts of the payload, of Sends that are filled."""
    bulk = [entry for entry in entries if isinstance(entry, BulkItem)]
    if any(isinstance(entry, PlacedEntry) for entry in entries):
        raise ValueError("where the case has chosen places, it chooses sizes, too")
    kind = operation_of(begin((), 1, 0))

    def length(items: tuple[MessageItem, ...]) -> int:
        contents = begin(_listed(entries, items), 1, 0)
        return len(SendDraft(xid, contents, kind.code, kind.way()).header)

    arranged = arrange(layout, payload, bulk, length, most=_PLENTY)
    if arranged is None:
        bulk_octets = sum(len(entry.data) for entry in bulk)
        raise DoesNotFitError(
            f"its buffers take no message of {len(payload)} octets with {bulk_octets} octets of"
            " bulk data, in any number of Sends"
        )
    return _listed(entries, arranged.items), [part.payload for part in arranged.parts]


def _listed(entries: Sequence[Entry], arranged: Iterable[MessageItem]) -> tuple[MessageItem, ...]:
    """What the header says of each entry; those of `arranged` are the bulk data, in order."""
    left = iter(arranged)
    return tuple(_item(entry, left) for entry in entries)


def _item(entry: Entry, arranged: Iterator[MessageItem]) -> MessageItem:
    if isinstance(entry, MessageItem):
        return entry
    if isinstance(entry, BulkItem):
        return next(arranged)
    return MessageItem(entry.position, len(entry.data), entry.where)


def _cut(
    payload: bytes, entries: Sequence[Entry], sizes: Sequence[int]
) -> tuple[tuple[MessageItem, ...], list[bytes]]:
    """All items, and the parts of the payload, as the case has chosen them."""
    if sum(sizes) != len(payload):
        raise ValueError(f"{len(payload)} octets cannot be cut into {tuple(sizes)}")
    if any(isinstance(entry, BulkItem) for entry in entries):
        raise ValueError("where the case has chosen sizes, it chooses places, too")
    parts = []
    start = 0
    for size in sizes:
        parts.append(payload[start : start + size])
        start += size
    return _listed(entries, ()), parts


def _place(sends: list[SendDraft], layout: BufferLayout, data: bytes, item: MessageItem) -> None:
    """Put the data of an item into the Sends that its target segments belong to."""
    where = item.xmdmi_where
    if not isinstance(where, InTargetedSegments):
        raise TypeError("bulk data have target segments")
    left, offset = data, where.xmdl_offset
    for number in where.xmdl_bsnum:
        send, target = layout.target(number)
        taken = min(len(left), target.length - offset)
        piece = Piece(target.start + offset, left[:taken])
        sends[send] = replace(sends[send], bulk=(*sends[send].bulk, piece))
        left, offset = left[taken:], 0
    if left:
        raise ValueError(f"{len(left)} octets are in no target segment")


def _short(value: object) -> str:
    """A value for people."""
    text = in_words(value)
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3]}..."


def _word(send: SendDraft, name: str) -> object:
    """What an attribute of a Send, or a member of its contents, was."""
    return getattr(send, name) if hasattr(send, name) else getattr(send.contents, name)
