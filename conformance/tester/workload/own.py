"""Calls about data items of which the suite's own program alone has any: optional data, arrays.

The bindings of NFS make nothing eligible but opaques and strings, and no call of theirs has more
than two results that may be reduced.  Elsewhere these raise `Unsupported`, and the case is N/A.

    rfc8166 section 3.4.4.1  Counted Arrays
    rfc8166 section 3.4.4.2  Optional-Data
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.tester.workload.testprog import own_program
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_testprog as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.tester.sent import Request
    from conformance.tester.workload.base import Workload

__all__ = [
    "BLOCK",
    "fetch_array",
    "fetch_optional",
    "fetch_rows",
    "store_array",
    "store_optional",
    "store_rows",
]

BLOCK = wire.TEST_BLOCK_SIZE
"""Octets of optional data that is present."""


def store_optional(workload: Workload, *, present: bool) -> Request:
    """One DDP-eligible argument that may be left out."""
    data = pattern(BLOCK, 6) if present else None
    title = f"STORE_OPTIONAL of {'a' if present else 'no'} block"
    return _request(
        workload, title, partial(testprog_calls.store_optional, data=data, note=b"note")
    )


def fetch_optional(workload: Workload, *, first: bool, second: bool) -> Request:
    """Two DDP-eligible results, of which those are present that are asked for."""
    encode = partial(
        testprog_calls.fetch_optional, first=first, second=second, between=b"between", seed=7
    )
    return _request(workload, f"FETCH_OPTIONAL of {first + second} blocks", encode)


def store_array(workload: Workload, lengths: Sequence[int]) -> Request:
    """DDP-eligible arguments of these lengths, one after the other."""
    items = [pattern(length, seed) for seed, length in enumerate(lengths)]
    title = f"STORE_ARRAY of {len(items)} items"
    return _request(workload, title, partial(testprog_calls.store_array, items=items))


def fetch_array(workload: Workload, lengths: Sequence[int | None]) -> Request:
    """Results of these lengths, one after the other; of None, no data comes."""
    title = f"FETCH_ARRAY of {len(lengths)} items"
    return _request(workload, title, partial(testprog_calls.fetch_array, lengths=lengths))


def store_rows(workload: Workload, rows: int, cells: int) -> Request:
    """One DDP-eligible argument, an array of so many rows of so many words."""
    encode = partial(testprog_calls.store_rows, rows=rows, cells=cells)
    return _request(workload, f"STORE_ROWS of {rows} rows of {cells} words", encode)


def fetch_rows(workload: Workload, rows: int, cells: int) -> Request:
    """One DDP-eligible result, an array of so many rows of so many words."""
    encode = partial(testprog_calls.fetch_rows, rows=rows, cells=cells)
    return _request(workload, f"FETCH_ROWS of {rows} rows of {cells} words", encode)


def _request(workload: Workload, title: str, encode: Callable[[int], bytes]) -> Request:
    alone = f"the suite's own program alone has a call like {title}"
    return own_program(workload, alone).request(title, encode)
