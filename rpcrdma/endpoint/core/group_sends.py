"""An RPC message as the Sends of a transmission group.

    rtrext section 4.2  Message Continuation Changes
    rtrext section 7.3  Message DDP Structures
    rtrext section 9    New Operations

Pure functions: what is placed by Sends is laid out for the buffers of the receiver
(`rpcrdma.wire.send_placement`), and the headers say where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import MessageItem
from rpcrdma.wire.operations import XmtCont, operation_of
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.send_placement import BulkItem, arrange

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.operations import KnownOption, XmtReq, XmtResp
    from rpcrdma.wire.rpc import MessageType

__all__ = ["Entry", "MakeContents", "group_sends", "option_message"]

Entry = BulkItem | MessageItem
"""An item that is taken out of the Payload stream: to be placed by Sends, or placed already."""


class MakeContents(Protocol):
    """Makes what begins a group."""

    def __call__(
        self, items: tuple[MessageItem, ...], count: int, length: int, /
    ) -> XmtReq | XmtResp:
        """The contents that say where items are, for `count` transmissions.

        Args:
            items: in the order of the entries.
            count: of transmissions.
            length: octets of the Payload stream in the first of them.
        """
        ...


def option_message(xid: int, credit: int, way: MessageType, option: KnownOption) -> bytes:
    """The header of an RDMA2_OPTIONAL message, which is all of one without a Payload stream."""
    body = encode_option(way, option)
    return v2.encode_header(v2.Rdma2Header(xid, v2.VERSION, credit, body))


def group_sends(
    xid: int,
    credit: int,
    payload: bytes,
    entries: Sequence[Entry],
    make: MakeContents,
    layout: BufferLayout,
    most: int,
) -> tuple[bytes, ...] | None:
    """The Sends of a group.

    Args:
        xid: of the message.
        credit: rdma_credit of each of them.
        payload: the Payload stream, without what is taken out.
        entries: what is taken out.
        make: makes the contents of the operation that begins the group.
        layout: of the receiver's buffers.
        most: transmissions that are allowed.

    Returns:
        None if it takes more than are allowed.
    """
    kind = operation_of(make((), 1, 0))
    way = kind.way()

    def first(placed: Iterable[MessageItem], count: int, length: int) -> bytes:
        contents = make(_merged(entries, placed), count, length)
        return option_message(xid, credit, way, contents)

    bulk = [entry for entry in entries if isinstance(entry, BulkItem)]
    arranged = arrange(layout, payload, bulk, lambda placed: len(first(placed, 0, 0)), most=most)
    if arranged is None:
        return None
    sends = []
    for number, part in enumerate(arranged.parts):
        if number:
            continued = XmtCont(number, kind.code, len(part.payload))
            header = option_message(xid, credit, way, continued)
        else:
            header = first(arranged.items, len(arranged.parts), len(part.payload))
        sends.append(header + part.payload + part.rest)
    return tuple(sends)


def _merged(entries: Sequence[Entry], placed: Iterable[MessageItem]) -> tuple[MessageItem, ...]:
    """All items in the order of the entries; those of `placed` are the ones placed by Sends."""
    left = iter(placed)
    return tuple(next(left) if isinstance(entry, BulkItem) else entry for entry in entries)
