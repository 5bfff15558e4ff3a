"""The test program: a small Upper-Layer Protocol and its Upper-Layer Binding.

It exists so that every shape of message that RPC-over-RDMA has can be asked for by one call, and
every octet that comes back can be checked.  Fetched octets are `rpcrdma.ulp.pattern.pattern`;
stored octets are answered by their length and SHA-256 digest.  The XDR is in
`rpcrdma/spec/testprog.x`.

Upper-Layer Binding (rfc8166 section 6)
---------------------------------------
Program 0x20008166 (of the range that RFC 5531 leaves to users), version 1.

DDP-eligible arguments: `data` of STORE and LONG_STORE; `first_data` and `second_data` of STORE_TWO.
DDP-eligible results: `data` of FETCH and LONG_FETCH, and of `first` and `second` of FETCH_TWO and
FETCH_UNION.  `rpcrdma.ulp.testprog_items` has those of optional data and of arrays.  Nothing else
may be reduced.

Results take Write chunks in the order of the XDR: one slot for FETCH, LONG_FETCH and FETCH_ROWS,
two for FETCH_TWO, FETCH_UNION and FETCH_OPTIONAL, one for each request of FETCH_ARRAY.  In the
FALSE arm of `choice`, for absent optional data, and in every status but TEST_OK, a slot has no item
and takes no chunk: the next item takes it (rfc8166 4.3.2.2), and what is left over is returned
unused.  Any number of the items may be reduced in one call, with up to one Read chunk for each
beside a Position-Zero Read chunk.

The largest reply follows from the call: fetched lengths are in the arguments, everything else has
a fixed size or a stated maximum.  A length over 4 MiB is answered by TEST_TOO_LARGE, without data.

Calls are answered at once, but HOLD: it is answered when a RELEASE with the same token arrives on
the same connection, right after the RELEASE's own reply; held calls come in the order of arrival.

It may be called under RPCSEC_GSS, by a mechanism that protects nobody (`rpcrdma.ulp.gss_program`):
then nothing may be reduced under integrity or privacy.

    number  procedure    arguments                     results
    0       NULL         none                          none
    1       ECHO         note                          the same note
    2       STORE        eligible                      digest
    3       STORE_TWO    eligible, note, eligible      three digests
    4       FETCH        length, seed                  eligible
    5       FETCH_TWO    request, note, request        eligible, the same note, eligible
    6       FETCH_UNION  two choices                   two unions: eligible, or a note
    7       LONG_CALL    text                          digest
    8       LONG_REPLY   length, seed                  text
    9       LONG_STORE   text, eligible                two digests
    10      LONG_FETCH   two requests                  text, eligible
    11      HOLD         token                         the token, later
    12      RELEASE      token                         how many HOLDs were released
    13 ...  see `rpcrdma.ulp.testprog_items`

A *note* is at most 512 octets; *text* is as long as data, but not eligible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem, padded
from rpcrdma.ulp.gss_program import GssProgram
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.ulp.testprog_data import (
    DIGEST,
    NOTE,
    WORD,
    answered,
    choice_limit,
    choice_size,
    chosen,
    digest_of,
    fetched,
    fixed,
    is_moved,
    item_limit,
    opaque_size,
    too_large,
    walk_choice,
    walk_status,
)
from rpcrdma.ulp.testprog_items import ITEM_PROCEDURES
from rpcrdma.wire import _generated_testprog as wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.cursor import PayloadCursor

__all__ = ["TestProgram", "hold_reply"]

# Where the eligible arguments are: each stands last, or after a count word at the start.


def last_item(call: bytes, length: int) -> DataItem:
    """The item at the very end of a call."""
    return DataItem(len(call) - padded(length), length)


def store_items(call: bytes, arguments: wire.StoreArguments, _start: int) -> tuple[DataItem, ...]:
    """The eligible argument of STORE, and of LONG_STORE."""
    return (last_item(call, len(arguments.data)),)


def store_two_items(
    call: bytes, arguments: wire.StoreTwoArguments, start: int
) -> tuple[DataItem, ...]:
    """The eligible arguments of STORE_TWO."""
    first = DataItem(start + WORD, len(arguments.first_data))
    return (first, last_item(call, len(arguments.second_data)))


# How large results can be: their octets, and the largest item in each slot.


def fetch_maximum(request: wire.FetchRequest) -> tuple[int, tuple[int, ...]]:
    """Of FETCH."""
    limit = item_limit(request)
    return WORD + opaque_size(limit), (limit,)


def fetch_two_maximum(arguments: wire.FetchTwoArguments) -> tuple[int, tuple[int, ...]]:
    """Of FETCH_TWO."""
    limits = item_limit(arguments.first), item_limit(arguments.second)
    size = WORD + opaque_size(len(arguments.between)) + sum(map(opaque_size, limits))
    return size, limits


def fetch_union_maximum(arguments: wire.FetchUnionArguments) -> tuple[int, tuple[int, ...]]:
    """Of FETCH_UNION: a note in an arm where no data is asked for."""
    choices = arguments.first, arguments.second
    return WORD + sum(map(choice_size, choices)), tuple(map(choice_limit, choices))


def long_reply_maximum(request: wire.FetchRequest) -> tuple[int, tuple[int, ...]]:
    """Of LONG_REPLY, which has no slot."""
    return WORD + opaque_size(item_limit(request)), ()


def long_fetch_maximum(arguments: wire.LongFetchArguments) -> tuple[int, tuple[int, ...]]:
    """Of LONG_FETCH."""
    limit = item_limit(arguments.data)
    return WORD + opaque_size(item_limit(arguments.text)) + opaque_size(limit), (limit,)


# Where the slots of results are.


def walk_fetch(cursor: PayloadCursor, _arguments: object) -> None:
    """Of FETCH."""
    if walk_status(cursor, 1):
        cursor.item()


def walk_fetch_two(cursor: PayloadCursor, _arguments: object) -> None:
    """Of FETCH_TWO."""
    if walk_status(cursor, 2):
        cursor.item()
        cursor.opaque()
        cursor.item()


def walk_fetch_union(cursor: PayloadCursor, _arguments: object) -> None:
    """Of FETCH_UNION."""
    if walk_status(cursor, 2):
        for _ in range(2):
            walk_choice(cursor)


def walk_long_fetch(cursor: PayloadCursor, _arguments: object) -> None:
    """Of LONG_FETCH."""
    if walk_status(cursor, 1):
        cursor.opaque()
        cursor.item()


# What each procedure does: arguments to results.


def echo(arguments: wire.EchoArguments) -> bytes:
    """ECHO."""
    return wire.encode_echo_result(wire.EchoResult(arguments.note))


def stored(octets: bytes) -> bytes:
    """The results of STORE and of LONG_CALL."""
    if too_large(len(octets)):
        return wire.encode_store_result(wire.StoreRefused(wire.TestStatus.TEST_TOO_LARGE))
    return wire.encode_store_result(digest_of(octets))


def store_two(arguments: wire.StoreTwoArguments) -> bytes:
    """STORE_TWO."""
    if too_large(len(arguments.first_data), len(arguments.second_data)):
        refused = wire.StoreTwoRefused(wire.TestStatus.TEST_TOO_LARGE)
        return wire.encode_store_two_result(refused)
    items = arguments.first_data, arguments.between, arguments.second_data
    return wire.encode_store_two_result(wire.StoredTwo(*map(digest_of, items)))


def fetch(request: wire.FetchRequest) -> bytes:
    """FETCH."""
    if too_large(request.length):
        return wire.encode_fetch_result(wire.FetchRefused(wire.TestStatus.TEST_TOO_LARGE))
    return wire.encode_fetch_result(fetched(request))


def fetch_two(arguments: wire.FetchTwoArguments) -> bytes:
    """FETCH_TWO."""
    if too_large(arguments.first.length, arguments.second.length):
        refused = wire.FetchTwoRefused(wire.TestStatus.TEST_TOO_LARGE)
        return wire.encode_fetch_two_result(refused)
    body = wire.FetchedTwo(fetched(arguments.first), arguments.between, fetched(arguments.second))
    return wire.encode_fetch_two_result(body)


def fetch_union(arguments: wire.FetchUnionArguments) -> bytes:
    """FETCH_UNION."""
    choices = arguments.first, arguments.second
    if too_large(*(choice.wanted.length for choice in choices if choice.present)):
        refused = wire.FetchUnionRefused(wire.TestStatus.TEST_TOO_LARGE)
        return wire.encode_fetch_union_result(refused)
    return wire.encode_fetch_union_result(wire.FetchedUnion(*map(chosen, choices)))


def long_reply(request: wire.FetchRequest) -> bytes:
    """LONG_REPLY."""
    if too_large(request.length):
        refused = wire.LongReplyRefused(wire.TestStatus.TEST_TOO_LARGE)
        return wire.encode_long_reply_result(refused)
    body = wire.LongReplyBody(pattern(request.length, request.seed))
    return wire.encode_long_reply_result(body)


def long_store(arguments: wire.LongStoreArguments) -> bytes:
    """LONG_STORE."""
    if too_large(len(arguments.text), len(arguments.data)):
        refused = wire.LongStoreRefused(wire.TestStatus.TEST_TOO_LARGE)
        return wire.encode_long_store_result(refused)
    digests = wire.LongStored(digest_of(arguments.text), digest_of(arguments.data))
    return wire.encode_long_store_result(digests)


def long_fetch(arguments: wire.LongFetchArguments) -> bytes:
    """LONG_FETCH."""
    text, data = arguments.text, arguments.data
    if too_large(text.length, data.length):
        refused = wire.LongFetchRefused(wire.TestStatus.TEST_TOO_LARGE)
        return wire.encode_long_fetch_result(refused)
    body = wire.LongFetched(pattern(text.length, text.seed), pattern(data.length, data.seed))
    return wire.encode_long_fetch_result(body)


V1: Final = wire.TEST_V1

PROCEDURES: Final[Mapping[int, ProgramProcedure[Any]]] = {
    V1.TEST_NULL: ProgramProcedure(no_arguments, answered(lambda _: b""), fixed(0)),
    V1.TEST_ECHO: ProgramProcedure(wire.decode_echo_arguments, answered(echo), fixed(NOTE)),
    V1.TEST_STORE: ProgramProcedure(
        wire.decode_store_arguments,
        answered(lambda arguments: stored(arguments.data)),
        fixed(WORD + DIGEST),
        items=store_items,
    ),
    V1.TEST_STORE_TWO: ProgramProcedure(
        wire.decode_store_two_arguments,
        answered(store_two),
        fixed(WORD + 3 * DIGEST),
        items=store_two_items,
    ),
    V1.TEST_FETCH: ProgramProcedure(
        wire.decode_fetch_request,
        answered(fetch),
        fetch_maximum,
        walk=walk_fetch,
        exact=is_moved,
    ),
    V1.TEST_FETCH_TWO: ProgramProcedure(
        wire.decode_fetch_two_arguments,
        answered(fetch_two),
        fetch_two_maximum,
        walk=walk_fetch_two,
        exact=lambda arguments: is_moved(arguments.first) and is_moved(arguments.second),
    ),
    V1.TEST_FETCH_UNION: ProgramProcedure(
        wire.decode_fetch_union_arguments,
        answered(fetch_union),
        fetch_union_maximum,
        walk=walk_fetch_union,
    ),
    V1.TEST_LONG_CALL: ProgramProcedure(
        wire.decode_long_call_arguments,
        answered(lambda arguments: stored(arguments.text)),
        fixed(WORD + DIGEST),
    ),
    V1.TEST_LONG_REPLY: ProgramProcedure(
        wire.decode_fetch_request, answered(long_reply), long_reply_maximum, exact=is_moved
    ),
    V1.TEST_LONG_STORE: ProgramProcedure(
        wire.decode_long_store_arguments,
        answered(long_store),
        fixed(WORD + 2 * DIGEST),
        items=store_items,
    ),
    V1.TEST_LONG_FETCH: ProgramProcedure(
        wire.decode_long_fetch_arguments,
        answered(long_fetch),
        long_fetch_maximum,
        walk=walk_long_fetch,
        exact=lambda arguments: is_moved(arguments.text) and is_moved(arguments.data),
    ),
}
"""The procedures that keep no state.  The rows' types of arguments differ: hence Any."""


class TestProgram(GssProgram):
    """The test program of one connection."""

    __test__ = False  # pytest collects classes called Test...; this one is a program

    def __init__(self) -> None:
        super().__init__(Procedures())


class Procedures(ProcedureTable):
    """The test program without RPCSEC_GSS, in whatever way it is called."""

    def __init__(self) -> None:
        self._held: list[tuple[int, int]] = []
        """Token and XID of every HOLD that waits, in the order of arrival."""
        hold = ProgramProcedure(wire.decode_hold_arguments, self._hold, fixed(2 * WORD))
        release = ProgramProcedure(wire.decode_hold_arguments, self._release, fixed(WORD))
        procedures = {**PROCEDURES, **ITEM_PROCEDURES, V1.TEST_HOLD: hold, V1.TEST_RELEASE: release}
        super().__init__(wire.TEST_PROGRAM, wire.TEST_VERSION, procedures)

    def _hold(self, call: rpc.RpcCall, arguments: wire.HoldArguments) -> list[bytes]:
        if len(self._held) == wire.TEST_MAX_HELD:
            return [hold_reply(call.xid, arguments.token, wire.TestStatus.TEST_TOO_MANY)]
        self._held.append((arguments.token, call.xid))
        return []

    def _release(self, call: rpc.RpcCall, arguments: wire.HoldArguments) -> list[bytes]:
        released = [xid for token, xid in self._held if token == arguments.token]
        self._held = [(token, xid) for token, xid in self._held if token != arguments.token]
        results = wire.encode_release_result(wire.ReleaseResult(len(released)))
        replies = [hold_reply(xid, arguments.token) for xid in released]
        return [rpc.accepted(call.xid, results), *replies]


def hold_reply(xid: int, token: int, status: wire.TestStatus = wire.TestStatus.TEST_OK) -> bytes:
    """The reply to a HOLD."""
    return rpc.accepted(xid, wire.encode_hold_result(wire.HoldResult(status, token)))
