"""The Upper-Layer Binding of NFSv4.0 and NFSv4.1, for the operations of `rpcrdma/spec/nfs4.x`.

    RFC 8267 section 6.1    DDP-Eligibility
    RFC 8267 section 6.2    Reply Size Estimation
    RFC 8267 section 6.4.1  Multiple DDP-Eligible Data Items

What is eligible and how large a result can be is in the table of `rpcrdma.ulp.nfs_bindings`; here
it meets the octets of a COMPOUND.  Each READ and READLINK of a call is one slot, in the order of
the operations; one that fails or is not reached has no item in its slot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.bindings import XDR_UNIT, DataItem
from rpcrdma.ulp.cursor import PayloadCursor
from rpcrdma.ulp.nfs4_attributes import largest_attributes
from rpcrdma.ulp.nfs4_operations import number_of
from rpcrdma.ulp.nfs_bindings import GrowthKind, LargestResult, NfsRow, limits, nfs_binding
from rpcrdma.wire import _generated_nfs4 as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.wire._generated_nfs4 import ArgumentOperation, CompoundArguments

__all__ = [
    "LINK_MAXIMUM",
    "compound_is_guessed",
    "compound_items",
    "compound_maximum",
    "compound_origins",
    "walk_compound",
]

LINK_MAXIMUM: Final = limits()["link"]
"""Octets of the longest symbolic link that is provided for; the protocol states no limit."""

WORD: Final = XDR_UNIT
HEAD: Final = 2 * WORD
"""Octets that every operation's result has: its number and its status."""

BINDING: Final = nfs_binding("nfs4.1")
"""Which has every operation of NFSv4.0 too."""

_UNBOUNDED: Final = frozenset({GrowthKind.ATTRIBUTES, GrowthKind.LIMIT})

NOT_IN_TABLE: Final = NfsRow("", 0, None, None, None, 0, None, 0)
"""An operation that no server here executes: its result is a status."""


def compound_items(call: bytes, arguments: CompoundArguments, start: int) -> tuple[DataItem, ...]:
    """The data of every WRITE, and the target of every symbolic link that is created."""
    items: list[DataItem] = []
    for first, operation in _operations(call, arguments, start):
        row = _row(operation)
        if row.argument is None:
            continue
        data = _member(operation, row.argument)
        if isinstance(data, bytes):
            before = row.before if row.before is not None else 0
            items.append(DataItem(first + before + WORD, len(data)))
    return tuple(items)


def compound_origins(call: bytes, arguments: CompoundArguments, start: int) -> tuple[int, ...]:
    """Where each operation begins whose result is a slot."""
    return tuple(
        first
        for first, operation in _operations(call, arguments, start)
        if _row(operation).result is not None
    )


def _operations(
    call: bytes, arguments: CompoundArguments, start: int
) -> Iterator[tuple[int, ArgumentOperation]]:
    """Each operation of a COMPOUND, and where it begins."""
    cursor = PayloadCursor(call, start)
    cursor.opaque()  # tag
    cursor.word()  # minor version
    cursor.word()  # number of operations
    for _ in arguments.argarray:
        first = cursor.position
        yield first, cursor.take(wire.decode_argument_operation)


def compound_maximum(
    arguments: CompoundArguments, bound: int | None = None
) -> tuple[int, tuple[int, ...]]:
    """Octets of the largest results, and the largest item of every READ and READLINK.

    Args:
        arguments: of the COMPOUND.
        bound: octets that a session allows results to have (RFC 8267 6.2.2), if there is one.
    """
    head = WORD + WORD + len(arguments.tag) + -len(arguments.tag) % WORD + WORD
    largest = [_largest(operation) for operation in arguments.argarray]
    total = head + sum(HEAD + result.total for result in largest)
    items = tuple(result.item for result in largest if result.item is not None)
    return total if bound is None else min(total, bound), items


def compound_is_guessed(arguments: CompoundArguments) -> bool:
    """Whether the protocol does not say how large the largest results are (RFC 8267 6.2).

    So it is of every list of attributes, which the document names as a whole, whichever attributes
    are asked for, and of every other string and list without a limit.
    """
    grows = (_row(operation).grows for operation in arguments.argarray)
    return any(one is not None and one.kind in _UNBOUNDED for one in grows)


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
        row = _row(operation)
        if row.result is not None:
            _walk_slot(cursor, row)
        else:
            cursor.take(wire.decode_result_operation)
    for operation in arguments.argarray[count:]:
        if _row(operation).result is not None:
            cursor.no_item()


def _walk_slot(cursor: PayloadCursor, row: NfsRow) -> None:
    cursor.word()  # operation number
    if cursor.word() != wire.Status.NFS4_OK:
        cursor.no_item()
        return
    for _ in range(((row.before or HEAD) - HEAD) // WORD):
        cursor.word()  # what stands before the item: of READ, whether the end was reached
    cursor.item()


def _row(operation: ArgumentOperation) -> NfsRow:
    return BINDING.rows.get(number_of(operation), NOT_IN_TABLE)


def _largest(operation: ArgumentOperation) -> LargestResult:
    row = _row(operation)
    if row.grows is None or row.measure is None:
        return row.largest()
    value = _member(operation, row.measure)
    match row.grows.kind:
        case GrowthKind.ATTRIBUTES if isinstance(value, tuple):
            return row.largest(largest_attributes(value))
        case GrowthKind.ELEMENTS if isinstance(value, tuple):
            return row.largest(len(value))
        case _:
            return row.largest(value if isinstance(value, int) else 0)


def _member(value: object, path: str) -> object:
    """What a path leads to; None where the arm of a union has no such member."""
    for name in path.split("."):
        value = getattr(value, name, None)
    return value
