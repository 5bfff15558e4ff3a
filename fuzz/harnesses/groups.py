# Invariant: whatever Sends arrive, each of them is in one message or in one broken group, in order;
# where items are in a group, no octet is in two of them, and all are there; a message that is
# arranged for any buffers is found again by them.
"""Fuzz harness of transmission groups and of the data placed in them (rtrext 4.2, 6, 7)."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.sequence import join, split
from fuzz.structure.headers import V2_SEQUENCE
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import XmtReq, XmtResp, decode_buffer_structure
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.placed_items import PlacementFault, gather, spans_of
from rpcrdma.wire.send_placement import CONTINUATION_HEADER, BulkItem, arrange
from rpcrdma.wire.transmission import MOST_IN_GROUP, Assembler, Transmission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire._generated_rtrext import BufferStructure, MessageItem
    from rpcrdma.wire.placed_items import Span

__all__ = ["HARNESS", "Groups", "check"]

_RECEIVE: Final = 4096
"""Octets of a Receive (v2 4.1)."""

_FIRST_HEADER: Final = 60
"""Octets of the header of a group's first Send, without items."""

_ITEM: Final = 24
"""Octets of an item in it, without its target segments."""


class Groups:
    """What the library makes of Sends."""

    def assembler(self) -> Assembler:
        """That of one connection, which supports all operations."""
        return Assembler(BY_CODE)

    def spans(
        self,
        layout: BufferLayout,
        items: Sequence[MessageItem],
        sends: Sequence[int],
        ends: Sequence[int],
    ) -> tuple[tuple[Span, ...], ...]:
        """Where items lie; PlacementFault is its only documented exception."""
        return spans_of(layout, items, sends, ends)


def check(octets: bytes, groups: Groups) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold: a structure first, then Sends."""
    told, *sends = split(octets) or [b""]
    layout = BufferLayout.of(_structure(told), _RECEIVE)
    _check_arranged(layout, sends, groups)
    assembler, seen = groups.assembler(), list[bytes]()
    for send in sends:
        for one in assembler.take(send):
            if isinstance(one, Transmission):
                seen += one.parts
                _check_placed(layout, one, groups)
            else:
                seen += one.lost
    if seen != sends[: len(sends) - assembler.unfinished]:
        raise BrokenInvariant(
            "sends-lost", f"{len(seen)} of {len(sends)}, {assembler.unfinished} kept"
        )


def _structure(octets: bytes) -> BufferStructure | None:
    try:
        return decode_buffer_structure(octets)[0]
    except DecodeError:
        return None


def _items(octets: bytes) -> tuple[MessageItem, ...]:
    """Those that the header of a message names."""
    try:
        header, _ = v2.decode_header(octets)
        body = header.rdma_body
        option = decode_option(body) if isinstance(body, v2.Rdma2Optional) else None
    except DecodeError:
        return ()
    match option:
        case XmtReq(optxrq_ddp=items) | XmtResp(optxrs_ddp=items):
            return items
        case _:
            return ()


def _check_placed(layout: BufferLayout, message: Transmission, groups: Groups) -> None:
    items = _items(message.octets)
    lengths = [len(part) for part in message.parts]
    try:
        spans = groups.spans(layout, items, lengths, message.ends)
    except PlacementFault as fault:
        if not 0 <= fault.send < len(lengths):
            raise BrokenInvariant("send-outside", f"{fault}: {fault.send}") from fault
        return
    for item, of_item in zip(items, spans, strict=True):
        found = len(gather(message.parts, of_item))
        if of_item and found != item.xmdmi_length:
            raise BrokenInvariant("octets-missing", f"{found} of {item}")
    for first, second in pairwise(sorted(chain.from_iterable(spans))):
        if first.send == second.send and first.start + first.length > second.start:
            raise BrokenInvariant("octets-twice", f"{first} and {second}")


def _check_arranged(layout: BufferLayout, sends: Sequence[bytes], groups: Groups) -> None:
    """The first message is a Payload stream, those after it are bulk data beside it."""
    payload, *bulk = list(sends) or [b""]
    bulk_items = tuple(BulkItem(4 * place, data) for place, data in enumerate(bulk))

    def header(items: tuple[MessageItem, ...]) -> int:
        named = sum(len(getattr(item.xmdmi_where, "xmdl_bsnum", ())) for item in items)
        return _FIRST_HEADER + _ITEM * len(items) + 4 * named

    found = arrange(layout, payload, bulk_items, header, most=MOST_IN_GROUP)
    if found is None:
        return
    heads = (header(found.items), *(CONTINUATION_HEADER,) * (len(found.parts) - 1))
    parts = tuple(zip(heads, found.parts, strict=True))
    filled = [bytes(head) + part.payload + part.rest for head, part in parts]
    ends = [head + len(part.payload) for head, part in parts]
    spans = groups.spans(layout, found.items, [len(one) for one in filled], ends)
    if [gather(filled, of_item) for of_item in spans] != bulk:
        raise BrokenInvariant("not-found-again", f"{spans} of {[len(data) for data in bulk]}")


HARNESS: Final = FuzzHarness(
    title="groups of Sends, and bulk data placed in them",
    dictionary="rtrext.dict",
    check=check,
    reference=Groups,
    messages=lambda octets: split(octets)[1:],
    seeds=lambda messages: [join([b"", *messages[:16]])],
    mutator=V2_SEQUENCE,
)
