"""The Upper-Layer Binding of NFSv4.0, for the operations of `rpcrdma/spec/nfs4.x`.

    RFC 8267 section 6.1    DDP-Eligibility
    RFC 8267 section 6.2.1  Reply Size Estimation for Minor Version 0
    RFC 8267 section 6.4.1  Multiple DDP-Eligible Data Items

Eligible are the data of WRITE, the data of READ and the link of READLINK.  Each READ and READLINK
of a call is one slot, in the order of the operations; one that fails or is not reached has no item
in its slot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.bindings import XDR_UNIT, DataItem
from rpcrdma.ulp.cursor import PayloadCursor
from rpcrdma.ulp.nfs4_attributes import largest_attributes
from rpcrdma.wire import _generated_nfs4 as wire

__all__ = ["LINK_MAXIMUM", "compound_items", "compound_maximum", "walk_compound"]

if TYPE_CHECKING:
    from rpcrdma.wire._generated_nfs4 import ArgumentOperation, CompoundArguments

LINK_MAXIMUM: Final = 4096
"""Octets of the longest symbolic link that is provided for; the protocol states no limit."""

WORD: Final = 4
HEAD: Final = 2 * WORD
"""Octets that every operation's result has: its number and its status."""


def compound_items(call: bytes, arguments: CompoundArguments, start: int) -> tuple[DataItem, ...]:
    """The data of every WRITE."""
    items: list[DataItem] = []
    cursor = PayloadCursor(call, start)
    cursor.opaque()  # tag
    cursor.word()  # minor version
    cursor.word()  # number of operations
    for _ in arguments.argarray:
        operation = cursor.take(wire.decode_argument_operation)
        if isinstance(operation, wire.WriteArguments):
            # The data is the last thing in WRITE4args.
            items.append(
                DataItem(cursor.position - _padded(len(operation.data)), len(operation.data))
            )
    return tuple(items)


def compound_maximum(arguments: CompoundArguments) -> tuple[int, tuple[int, ...]]:
    """Octets of the largest results, and the largest item of every READ and READLINK."""
    head = WORD + WORD + _padded(len(arguments.tag)) + WORD
    sizes = (HEAD + _largest_body(operation) for operation in arguments.argarray)
    items = tuple(
        operation.count if isinstance(operation, wire.ReadArguments) else LINK_MAXIMUM
        for operation in arguments.argarray
        if _has_slot(operation)
    )
    return head + sum(sizes), items


def walk_compound(cursor: PayloadCursor, arguments: CompoundArguments) -> None:
    """Go over the results of a COMPOUND."""
    cursor.word()  # status
    cursor.opaque()  # tag
    count = cursor.word()
    if count > len(arguments.argarray):
        raise DecodeError(
            cursor.position - WORD,
            "results.resarray",
            Reason.TOO_LONG,
            f"{count} results of {len(arguments.argarray)} operations",
        )
    for operation in arguments.argarray[:count]:
        if _has_slot(operation):
            _walk_slot(cursor, operation)
        else:
            cursor.take(wire.decode_result_operation)
    for operation in arguments.argarray[count:]:
        if _has_slot(operation):
            cursor.no_item()


def _walk_slot(cursor: PayloadCursor, operation: ArgumentOperation) -> None:
    cursor.word()  # operation number
    if cursor.word() != wire.Status.NFS4_OK:
        cursor.no_item()
        return
    if isinstance(operation, wire.ReadArguments):
        cursor.flag()  # end of file
    cursor.item()


def _has_slot(operation: ArgumentOperation) -> bool:
    return isinstance(operation, wire.ReadArguments | wire.ReadlinkArguments)


def _padded(length: int) -> int:
    return length + -length % XDR_UNIT


def _largest_body(operation: ArgumentOperation) -> int:
    match operation:
        case wire.GetattrArguments(attr_request=requested):
            return largest_attributes(requested)
        case wire.GetfhArguments():
            return WORD + wire.NFS4_FHSIZE
        case wire.ReadArguments(count=count):
            return WORD + WORD + _padded(count)
        case wire.ReaddirArguments(maxcount=maximum):
            return maximum  # which counts all of READDIR4resok (RFC 7530 16.24.4)
        case wire.ReadlinkArguments():
            return WORD + LINK_MAXIMUM
        case wire.WriteArguments():
            return WORD + WORD + wire.NFS4_VERIFIER_SIZE
        case _:
            return 0
