"""What mutants of the round-trip reductions change in Sends that are made, and that arrived.

An `EditedSend` is one Send of a group, taken apart; put together again it has its own lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import InTargetedSegments
from rpcrdma.wire.operations import ReptErr, XmtReq, XmtResp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.transmission import Transmission

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.wire._generated_rtrext import MessageItem
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.rpc import MessageType

__all__ = [
    "EditedSend",
    "dropped",
    "edited_first",
    "edited_items",
    "edited_later",
    "edited_octets",
    "edited_parts",
    "edited_reports",
    "edited_response",
    "part_of",
    "renumbered",
]


@dataclass(frozen=True, slots=True)
class EditedSend:
    """One Send of a group.

    Attributes:
        xid: rdma_xid.  credit: rdma_credit.  way: rdma_optdir.
        contents: of the operation.
        rest: what follows the header.
        opttype: rdma_opttype; None: that of the contents.
        spare: octets of rdma_optinfo after the contents.
    """

    xid: int
    credit: int
    way: MessageType
    contents: Option
    rest: bytes
    opttype: int | None = None
    spare: bytes = b""

    @property
    def octets(self) -> bytes:
        """The Send."""
        body = encode_option(self.way, self.contents)
        opttype = body.rdma_opttype if self.opttype is None else self.opttype
        body = v2.Rdma2Optional(self.way, opttype, body.rdma_optinfo + self.spare)
        header = v2.Rdma2Header(self.xid, v2.VERSION, self.credit, body)
        return v2.encode_header(header) + self.rest

    def saying(self, **words: object) -> EditedSend:
        """The same with other members of the contents."""
        if not isinstance(self.contents, msgspec.Struct):
            raise TypeError(f"{self.contents} has no members")
        return replace(self, contents=msgspec.structs.replace(self.contents, **words))


def part_of(send: bytes) -> EditedSend | None:
    """A Send as part of a group; None if it is no operation that can be read."""
    try:
        header, end = v2.decode_header(send)
        body = header.rdma_body
        if not isinstance(body, v2.Rdma2Optional):
            return None
        option = decode_option(body)
    except DecodeError:
        return None
    return EditedSend(header.rdma_xid, header.rdma_credit, body.rdma_optdir, option, send[end:])


def edited_parts(
    actions: list[Action], change: Callable[[list[EditedSend]], list[EditedSend]]
) -> list[Action]:
    """Actions whose Sends are those of a changed group; others stay as they are."""
    sends = [action for action in actions if isinstance(action, Send)]
    parts = [part for send in sends if (part := part_of(send.data)) is not None]
    if len(parts) != len(sends) or not parts or not isinstance(parts[0].contents, XmtReq | XmtResp):
        return actions
    before = actions[: actions.index(sends[0])]
    after = actions[actions.index(sends[-1]) + 1 :]
    made: list[Action] = [Send(sends[0].key, part.octets) for part in change(parts)]
    return [*before, *made, *after]


def edited_first(actions: list[Action], change: Callable[[EditedSend], EditedSend]) -> list[Action]:
    """The same, of the transmission that begins a group."""
    return edited_parts(actions, lambda parts: [change(parts[0]), *parts[1:]])


def edited_later(actions: list[Action], change: Callable[[EditedSend], EditedSend]) -> list[Action]:
    """The same, of all transmissions that continue a group."""
    return edited_parts(actions, lambda parts: [parts[0], *map(change, parts[1:])])


def edited_items(
    actions: list[Action], change: Callable[[MessageItem], MessageItem]
) -> list[Action]:
    """The same, of the items of a request."""

    def changed(part: EditedSend) -> EditedSend:
        if not isinstance(part.contents, XmtReq):
            return part
        return part.saying(optxrq_ddp=tuple(map(change, part.contents.optxrq_ddp)))

    return edited_first(actions, changed)


def renumbered(item: MessageItem, change: Callable[[int], int]) -> MessageItem:
    """An item whose target segments have other numbers."""
    where = item.xmdmi_where
    if not isinstance(where, InTargetedSegments):
        return item
    numbers = tuple(map(change, where.xmdl_bsnum))
    return msgspec.structs.replace(item, xmdmi_where=InTargetedSegments(where.xmdl_offset, numbers))


def edited_reports(
    actions: list[Action], change: Callable[[ReptErr], ReptErr | None]
) -> list[Action]:
    """Actions with other error reports, or without one for which None is returned."""
    found: list[Action] = []
    for action in actions:
        part = part_of(action.data) if isinstance(action, Send) else None
        if isinstance(action, Send) and part is not None and isinstance(part.contents, ReptErr):
            report = change(part.contents)
            if report is not None:
                found.append(Send(action.key, replace(part, contents=report).octets))
        else:
            found.append(action)
    return found


def edited_octets(actions: list[Action], change: Callable[[bytearray], bytearray]) -> list[Action]:
    """Actions whose error reports have other octets."""

    def changed(action: Action) -> Action:
        part = part_of(action.data) if isinstance(action, Send) else None
        if not isinstance(action, Send) or part is None or not isinstance(part.contents, ReptErr):
            return action
        return Send(action.key, bytes(change(bytearray(action.data))))

    return [changed(action) for action in actions]


def edited_response(arrived: Transmission, change: Callable[[XmtResp], XmtResp]) -> Transmission:
    """A response that arrived, with other words in its first header; the Sends stay."""
    part = part_of(arrived.octets)
    if part is None or not isinstance(part.contents, XmtResp):
        return arrived
    octets = replace(part, contents=change(part.contents)).octets
    return Transmission(arrived.parts, octets, arrived.ends)


def dropped(why: str) -> FaultFound:
    """What has a client drop a response without a word."""
    return FaultFound(Fault.BAD_REPLY_HEADER, why)
