"""Procedures of the test program about optional data, about arrays, and about data both ways.

    rfc8166 section 3.4.4.1  Counted Arrays
    rfc8166 section 3.4.4.2  Optional-Data

Upper-Layer Binding (rfc8166 section 6), continued from `rpcrdma.ulp.testprog`
------------------------------------------------------------------------------
Optional data are a block of 2048 octets, without a count.  The block is the eligible item; the word
that says whether it is present is not, and where it is absent there is no item: in a result, the
next item takes the chunk.

An array of *items* has an eligible item in each element, at most six.  Elements of FETCH_ARRAY are
unions whose FALSE arm has none.

An array of *rows* is one eligible item, all its rows together: each with its own count of words.
The count of rows stays in the stream.  A row is of words, so nothing is padded.

    number  procedure       arguments                      results
    13      STORE_OPTIONAL  eligible or absent, note       whether it was there, two digests
    14      FETCH_OPTIONAL  which of two, note, seed       two times eligible or absent, a note
    15      STORE_ARRAY     array of eligibles             array of digests
    16      FETCH_ARRAY     array of choices               array of unions: eligible, or a note
    17      STORE_ROWS      array of rows, eligible        digest of the rows as encoded
    18      FETCH_ROWS      how many rows of what length   array of rows, eligible
    19      EXCHANGE        eligible                       the same octets, eligible

More octets in all than one item may have, more rows or longer ones get TEST_TOO_LARGE, without
data.  The digest of what is absent is that of no octets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp.bindings import DataItem
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.program import ProgramProcedure
from rpcrdma.ulp.testprog_data import (
    DIGEST,
    WORD,
    answered,
    choice_limit,
    choice_size,
    chosen,
    digest_of,
    fixed,
    opaque_size,
    too_large,
    walk_choice,
    walk_status,
)
from rpcrdma.wire import _generated_testprog as wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpcrdma.ulp.cursor import PayloadCursor

__all__ = ["ITEM_PROCEDURES", "rows_of"]

TOO_LARGE: Final = wire.TestStatus.TEST_TOO_LARGE
_WORDS: Final = 2**32


# Optional data.


def optional_items(
    _call: bytes, arguments: wire.StoreOptionalArguments, start: int
) -> tuple[DataItem, ...]:
    """The block of STORE_OPTIONAL, after the word that says that it is present."""
    return () if arguments.data is None else (DataItem(start + WORD, wire.TEST_BLOCK_SIZE),)


def store_optional(arguments: wire.StoreOptionalArguments) -> bytes:
    """STORE_OPTIONAL."""
    digests = digest_of(arguments.data or b""), digest_of(arguments.note)
    return wire.encode_stored_optional(wire.StoredOptional(arguments.data is not None, *digests))


def fetch_optional_maximum(
    arguments: wire.FetchOptionalArguments,
) -> tuple[int, tuple[int, ...]]:
    """Of FETCH_OPTIONAL."""
    limits = tuple(
        wire.TEST_BLOCK_SIZE if present else 0 for present in (arguments.first, arguments.second)
    )
    return 2 * WORD + opaque_size(len(arguments.between)) + sum(limits), limits


def walk_fetch_optional(cursor: PayloadCursor, _arguments: object) -> None:
    """Of FETCH_OPTIONAL."""
    walk_optional(cursor)
    cursor.opaque()
    walk_optional(cursor)


def walk_optional(cursor: PayloadCursor) -> None:
    """Go over optional data."""
    if cursor.flag():
        cursor.item_of(wire.TEST_BLOCK_SIZE)
    else:
        cursor.no_item()


def fetch_optional(arguments: wire.FetchOptionalArguments) -> bytes:
    """FETCH_OPTIONAL."""
    first, second = (
        pattern(wire.TEST_BLOCK_SIZE, (arguments.seed + place) % _WORDS) if present else None
        for place, present in enumerate((arguments.first, arguments.second))
    )
    return wire.encode_fetched_optional(wire.FetchedOptional(first, arguments.between, second))


# Arrays of items.


def array_items(
    _call: bytes, arguments: wire.StoreArrayArguments, start: int
) -> tuple[DataItem, ...]:
    """The items of STORE_ARRAY, each after its own count."""
    found: list[DataItem] = []
    place = start + WORD
    for one in arguments.items:
        found.append(DataItem(place + WORD, len(one.data)))
        place = found[-1].end
    return tuple(found)


def store_array(arguments: wire.StoreArrayArguments) -> bytes:
    """STORE_ARRAY."""
    if too_large(sum(len(one.data) for one in arguments.items)):
        return wire.encode_store_array_result(wire.StoreArrayRefused(TOO_LARGE))
    digests = tuple(digest_of(one.data) for one in arguments.items)
    return wire.encode_store_array_result(wire.StoredArray(digests))


def array_is_moved(arguments: wire.FetchArrayArguments) -> bool:
    """Whether FETCH_ARRAY is served."""
    return not too_large(sum(one.wanted.length for one in arguments.items if one.present))


def fetch_array_maximum(arguments: wire.FetchArrayArguments) -> tuple[int, tuple[int, ...]]:
    """Of FETCH_ARRAY."""
    if not array_is_moved(arguments):
        return WORD, (0,) * len(arguments.items)
    limits = tuple(map(choice_limit, arguments.items))
    return 2 * WORD + sum(map(choice_size, arguments.items)), limits


def walk_fetch_array(cursor: PayloadCursor, arguments: wire.FetchArrayArguments) -> None:
    """Of FETCH_ARRAY, which has as many results as requests."""
    if walk_status(cursor, len(arguments.items)):
        cursor.word()
        for _ in arguments.items:
            walk_choice(cursor)


def fetch_array(arguments: wire.FetchArrayArguments) -> bytes:
    """FETCH_ARRAY."""
    if not array_is_moved(arguments):
        return wire.encode_fetch_array_result(wire.FetchArrayRefused(TOO_LARGE))
    body = wire.FetchedArray(tuple(map(chosen, arguments.items)))
    return wire.encode_fetch_array_result(body)


# Arrays of arrays.


def rows_of(rows: int, cells: int, seed: int = 0) -> tuple[wire.TestRow, ...]:
    """So many rows of so many words each, which count up from `seed` throughout."""
    starts = range(seed, seed + rows * cells, cells) if cells else (seed,) * rows
    return tuple(
        wire.TestRow(tuple(word % _WORDS for word in range(start, start + cells)))
        for start in starts
    )


def rows_size(rows: Sequence[wire.TestRow]) -> int:
    """Octets of encoded rows, without the count of them."""
    return sum(WORD + WORD * len(row.cells) for row in rows)


def rows_items(
    _call: bytes, arguments: wire.StoreRowsArguments, start: int
) -> tuple[DataItem, ...]:
    """The rows of STORE_ROWS."""
    return (DataItem(start + WORD, rows_size(arguments.data)),)


def store_rows(arguments: wire.StoreRowsArguments) -> bytes:
    """STORE_ROWS."""
    encoded = wire.encode_store_rows_arguments(arguments)[WORD:]
    return wire.encode_store_result(digest_of(encoded))


def rows_are_moved(arguments: wire.FetchRowsArguments) -> bool:
    """Whether FETCH_ROWS is served."""
    return arguments.rows <= wire.TEST_MAX_ROWS and arguments.cells <= wire.TEST_MAX_CELLS


def fetch_rows_maximum(arguments: wire.FetchRowsArguments) -> tuple[int, tuple[int, ...]]:
    """Of FETCH_ROWS."""
    if not rows_are_moved(arguments):
        return WORD, (0,)
    size = arguments.rows * (WORD + WORD * arguments.cells)
    return 2 * WORD + size, (size,)


def walk_fetch_rows(cursor: PayloadCursor, arguments: wire.FetchRowsArguments) -> None:
    """Of FETCH_ROWS: how long a row is, the call tells."""
    if walk_status(cursor, 1):
        cursor.item_of(cursor.word() * (WORD + WORD * arguments.cells))


def fetch_rows(arguments: wire.FetchRowsArguments) -> bytes:
    """FETCH_ROWS."""
    if not rows_are_moved(arguments):
        return wire.encode_fetch_rows_result(wire.FetchRowsRefused(TOO_LARGE))
    body = wire.FetchedRows(rows_of(arguments.rows, arguments.cells, arguments.seed))
    return wire.encode_fetch_rows_result(body)


# Data both ways.


def exchange_items(
    _call: bytes, arguments: wire.ExchangeArguments, start: int
) -> tuple[DataItem, ...]:
    """The argument of EXCHANGE."""
    return (DataItem(start + WORD, len(arguments.data)),)


def exchange_maximum(arguments: wire.ExchangeArguments) -> tuple[int, tuple[int, ...]]:
    """Of EXCHANGE."""
    limit = 0 if too_large(len(arguments.data)) else len(arguments.data)
    return WORD + opaque_size(limit), (limit,)


def walk_exchange(cursor: PayloadCursor, _arguments: object) -> None:
    """Of EXCHANGE."""
    if walk_status(cursor, 1):
        cursor.item()


def exchange(arguments: wire.ExchangeArguments) -> bytes:
    """EXCHANGE."""
    if too_large(len(arguments.data)):
        return wire.encode_fetch_result(wire.FetchRefused(TOO_LARGE))
    return wire.encode_fetch_result(wire.Fetched(arguments.data))


V1: Final = wire.TEST_V1

ITEM_PROCEDURES: Final[Mapping[int, ProgramProcedure[Any]]] = {
    V1.TEST_STORE_OPTIONAL: ProgramProcedure(
        wire.decode_store_optional_arguments,
        answered(store_optional),
        fixed(WORD + 2 * DIGEST),
        items=optional_items,
    ),
    V1.TEST_FETCH_OPTIONAL: ProgramProcedure(
        wire.decode_fetch_optional_arguments,
        answered(fetch_optional),
        fetch_optional_maximum,
        walk=walk_fetch_optional,
    ),
    V1.TEST_STORE_ARRAY: ProgramProcedure(
        wire.decode_store_array_arguments,
        answered(store_array),
        fixed(2 * WORD + wire.TEST_MAX_ARRAY * DIGEST),
        items=array_items,
    ),
    V1.TEST_FETCH_ARRAY: ProgramProcedure(
        wire.decode_fetch_array_arguments,
        answered(fetch_array),
        fetch_array_maximum,
        walk=walk_fetch_array,
    ),
    V1.TEST_STORE_ROWS: ProgramProcedure(
        wire.decode_store_rows_arguments,
        answered(store_rows),
        fixed(WORD + DIGEST),
        items=rows_items,
    ),
    V1.TEST_FETCH_ROWS: ProgramProcedure(
        wire.decode_fetch_rows_arguments,
        answered(fetch_rows),
        fetch_rows_maximum,
        walk=walk_fetch_rows,
        exact=rows_are_moved,
    ),
    V1.TEST_EXCHANGE: ProgramProcedure(
        wire.decode_exchange_arguments,
        answered(exchange),
        exchange_maximum,
        items=exchange_items,
        walk=walk_exchange,
        exact=lambda arguments: not too_large(len(arguments.data)),
    ),
}
"""These procedures keep no state.  The rows' types of arguments differ: hence Any."""
