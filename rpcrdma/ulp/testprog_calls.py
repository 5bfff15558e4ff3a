"""Calls of the test program, and the replies that they must get.

For testers: one function for each procedure makes the complete, unreduced call payload.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.ulp import gss, rpc
from rpcrdma.ulp.testprog import TestProgram, hold_reply
from rpcrdma.ulp.testprog_items import rows_of
from rpcrdma.wire import _generated_testprog as wire

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "echo",
    "exchange",
    "expected_reply",
    "fetch",
    "fetch_array",
    "fetch_optional",
    "fetch_rows",
    "fetch_two",
    "fetch_union",
    "gss_init",
    "hold",
    "long_call",
    "long_fetch",
    "long_reply",
    "long_store",
    "null",
    "release",
    "store",
    "store_array",
    "store_optional",
    "store_rows",
    "store_two",
]

V1 = wire.TEST_V1


def expected_reply(call: bytes) -> bytes:
    """The one right reply to a call on a connection on which no call is held.

    Every reply is determined by its call, RPC errors included, so a tester need only compare; the
    reply to a HOLD is the one that comes when it is released.

    Raises:
        DecodeError: the octets do not begin with a call header, so that no reply is due.
    """
    header, _ = rpc.decode_call(call)
    replies = TestProgram().execute(call)
    if replies:
        return replies[0]
    protected = gss.decode_gss_call(call)
    plain = call if protected is None else protected.unprotected()
    _, start = rpc.decode_call(plain)
    arguments, _ = wire.decode_hold_arguments(plain, start)
    reply = hold_reply(header.xid, arguments.token)
    return reply if protected is None else gss.protect_reply(protected, reply)


def null(xid: int) -> bytes:
    """NULL."""
    return _call(xid, V1.TEST_NULL, b"")


def echo(xid: int, note: bytes) -> bytes:
    """ECHO: at most 512 octets, not eligible."""
    return _call(xid, V1.TEST_ECHO, wire.encode_echo_arguments(wire.EchoArguments(note)))


def store(xid: int, data: bytes) -> bytes:
    """STORE: one eligible argument."""
    return _call(xid, V1.TEST_STORE, wire.encode_store_arguments(wire.StoreArguments(data)))


def store_two(xid: int, first: bytes, between: bytes, second: bytes) -> bytes:
    """STORE_TWO: two eligible arguments and a note between them."""
    arguments = wire.StoreTwoArguments(first, between, second)
    return _call(xid, V1.TEST_STORE_TWO, wire.encode_store_two_arguments(arguments))


def fetch(xid: int, length: int, seed: int = 0) -> bytes:
    """FETCH: one eligible result of `length` octets."""
    return _call(xid, V1.TEST_FETCH, wire.encode_fetch_request(wire.FetchRequest(length, seed)))


def fetch_two(
    xid: int, first: int, second: int, between: bytes = b"", seeds: tuple[int, int] = (1, 2)
) -> bytes:
    """FETCH_TWO: two eligible results of `first` and `second` octets."""
    requests = wire.FetchRequest(first, seeds[0]), wire.FetchRequest(second, seeds[1])
    arguments = wire.FetchTwoArguments(requests[0], between, requests[1])
    return _call(xid, V1.TEST_FETCH_TWO, wire.encode_fetch_two_arguments(arguments))


def fetch_union(xid: int, first: int | None, second: int | None) -> bytes:
    """FETCH_UNION: two unions; None chooses the arm without an eligible item."""
    arguments = wire.FetchUnionArguments(*_choices((first, second)))
    return _call(xid, V1.TEST_FETCH_UNION, wire.encode_fetch_union_arguments(arguments))


def long_call(xid: int, text: bytes) -> bytes:
    """LONG_CALL: a large argument that is not eligible."""
    arguments = wire.LongCallArguments(text)
    return _call(xid, V1.TEST_LONG_CALL, wire.encode_long_call_arguments(arguments))


def long_reply(xid: int, length: int, seed: int = 0) -> bytes:
    """LONG_REPLY: a result of `length` octets that is not eligible."""
    request = wire.FetchRequest(length, seed)
    return _call(xid, V1.TEST_LONG_REPLY, wire.encode_fetch_request(request))


def long_store(xid: int, text: bytes, data: bytes) -> bytes:
    """LONG_STORE: an argument that is not eligible, and one that is."""
    arguments = wire.LongStoreArguments(text, data)
    return _call(xid, V1.TEST_LONG_STORE, wire.encode_long_store_arguments(arguments))


def long_fetch(xid: int, text: int, data: int, seeds: tuple[int, int] = (1, 2)) -> bytes:
    """LONG_FETCH: a result of `text` octets that is not eligible, and one of `data` that is."""
    arguments = wire.LongFetchArguments(
        wire.FetchRequest(text, seeds[0]), wire.FetchRequest(data, seeds[1])
    )
    return _call(xid, V1.TEST_LONG_FETCH, wire.encode_long_fetch_arguments(arguments))


def hold(xid: int, token: int) -> bytes:
    """HOLD: answered when a RELEASE with the same token arrives."""
    return _call(xid, V1.TEST_HOLD, wire.encode_hold_arguments(wire.HoldArguments(token)))


def release(xid: int, token: int) -> bytes:
    """RELEASE: answered at once, the released HOLDs after it."""
    return _call(xid, V1.TEST_RELEASE, wire.encode_hold_arguments(wire.HoldArguments(token)))


def store_optional(xid: int, data: bytes | None, note: bytes = b"") -> bytes:
    """STORE_OPTIONAL: an eligible argument of 2048 octets, or None for its absence."""
    arguments = wire.StoreOptionalArguments(data, note)
    return _call(xid, V1.TEST_STORE_OPTIONAL, wire.encode_store_optional_arguments(arguments))


def fetch_optional(
    xid: int, *, first: bool, second: bool, between: bytes = b"", seed: int = 1
) -> bytes:
    """FETCH_OPTIONAL: two eligible results of 2048 octets, each of which may be absent."""
    arguments = wire.FetchOptionalArguments(first, between, second, seed)
    return _call(xid, V1.TEST_FETCH_OPTIONAL, wire.encode_fetch_optional_arguments(arguments))


def store_array(xid: int, items: Iterable[bytes]) -> bytes:
    """STORE_ARRAY: at most six eligible arguments."""
    arguments = wire.StoreArrayArguments(tuple(map(wire.StoreArguments, items)))
    return _call(xid, V1.TEST_STORE_ARRAY, wire.encode_store_array_arguments(arguments))


def fetch_array(xid: int, lengths: Iterable[int | None]) -> bytes:
    """FETCH_ARRAY: at most six unions; None chooses the arm without an eligible item."""
    arguments = wire.FetchArrayArguments(_choices(lengths))
    return _call(xid, V1.TEST_FETCH_ARRAY, wire.encode_fetch_array_arguments(arguments))


def store_rows(xid: int, rows: int, cells: int, seed: int = 1) -> bytes:
    """STORE_ROWS: one eligible argument, so many rows of so many words each."""
    arguments = wire.StoreRowsArguments(rows_of(rows, cells, seed))
    return _call(xid, V1.TEST_STORE_ROWS, wire.encode_store_rows_arguments(arguments))


def fetch_rows(xid: int, rows: int, cells: int, seed: int = 1) -> bytes:
    """FETCH_ROWS: one eligible result, so many rows of so many words each."""
    arguments = wire.FetchRowsArguments(rows, cells, seed)
    return _call(xid, V1.TEST_FETCH_ROWS, wire.encode_fetch_rows_arguments(arguments))


def exchange(xid: int, data: bytes) -> bytes:
    """EXCHANGE: an eligible argument that comes back as an eligible result."""
    arguments = wire.ExchangeArguments(data)
    return _call(xid, V1.TEST_EXCHANGE, wire.encode_exchange_arguments(arguments))


def gss_init(xid: int, token: bytes) -> bytes:
    """What asks for a context of RPCSEC_GSS."""
    return gss.init_call(xid, wire.TEST_PROGRAM, wire.TEST_VERSION, token)


def _choices(lengths: Iterable[int | None]) -> tuple[wire.ChoiceRequest, ...]:
    return tuple(
        wire.ChoiceRequest(length is not None, wire.FetchRequest(length or 0, seed))
        for seed, length in enumerate(lengths, start=1)
    )


def _call(xid: int, procedure: wire.TEST_V1, arguments: bytes) -> bytes:
    return rpc.encode_call(xid, wire.TEST_PROGRAM, wire.TEST_VERSION, procedure, arguments)
