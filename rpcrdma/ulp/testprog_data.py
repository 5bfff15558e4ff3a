"""What the procedures of the test program are made of: data, their limits, digests and status.

`rpcrdma.ulp.testprog` says what the program is.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, TypeVar

from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import padded
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_testprog as wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.ulp.cursor import PayloadCursor

__all__ = [
    "ABSENT_NOTE",
    "DIGEST",
    "NOTE",
    "WORD",
    "answered",
    "choice_limit",
    "choice_size",
    "chosen",
    "digest_of",
    "fetched",
    "fixed",
    "is_moved",
    "item_limit",
    "opaque_size",
    "too_large",
    "walk_choice",
    "walk_status",
]

A = TypeVar("A")

WORD: Final = 4
DIGEST: Final = WORD + wire.TEST_DIGEST_SIZE
NOTE: Final = WORD + wire.TEST_MAX_NOTE
ABSENT_NOTE: Final = b"no data was asked for"
"""What the FALSE arm of `choice` says."""


def digest_of(octets: bytes) -> wire.TestDigest:
    """What STORE and LONG_CALL answer for these octets."""
    return wire.TestDigest(len(octets), hashlib.sha256(octets).digest())


def too_large(*lengths: int) -> bool:
    """Whether one of the items exceeds what this program moves."""
    return any(length > wire.TEST_MAX_ITEM for length in lengths)


def opaque_size(length: int) -> int:
    """Octets of an encoded opaque item: count word, data, padding."""
    return WORD + padded(length)


def fixed(size: int) -> Callable[[object], tuple[int, tuple[int, ...]]]:
    """Results of at most `size` octets, without slots."""
    return lambda _arguments: (size, ())


def item_limit(request: wire.FetchRequest) -> int:
    """The largest item that can come for a request."""
    return 0 if too_large(request.length) else request.length


def choice_limit(choice: wire.ChoiceRequest) -> int:
    """The largest item that can come in a union."""
    return item_limit(choice.wanted) if choice.present else 0


def choice_size(choice: wire.ChoiceRequest) -> int:
    """Octets of the largest union that can come: a note in an arm where no data is asked for."""
    return WORD + max(opaque_size(choice_limit(choice)), opaque_size(len(ABSENT_NOTE)))


def is_moved(request: wire.FetchRequest) -> bool:
    """Whether the data comes in just the length that is asked for."""
    return not too_large(request.length)


def fetched(request: wire.FetchRequest) -> wire.Fetched:
    """The data that was asked for."""
    return wire.Fetched(pattern(request.length, request.seed))


def chosen(choice: wire.ChoiceRequest) -> wire.Choice:
    """The arm that was asked for."""
    return fetched(choice.wanted) if choice.present else wire.Absent(ABSENT_NOTE)


def walk_status(cursor: PayloadCursor, slots: int) -> bool:
    """Go over the status; where it is not TEST_OK, no slot has an item."""
    if cursor.word() == wire.TestStatus.TEST_OK:
        return True
    for _ in range(slots):
        cursor.no_item()
    return False


def walk_choice(cursor: PayloadCursor) -> None:
    """Go over a union, whose TRUE arm alone has an item."""
    if cursor.flag():
        cursor.item()
    else:
        cursor.opaque()
        cursor.no_item()


def answered(function: Callable[[A], bytes]) -> Callable[[rpc.RpcCall, A], list[bytes]]:
    """A procedure that is answered at once."""
    return lambda call, arguments: [rpc.accepted(call.xid, function(arguments))]
