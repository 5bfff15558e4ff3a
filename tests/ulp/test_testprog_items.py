from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import DataItem, reduce
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.ulp.testprog_data import ABSENT_NOTE, digest_of
from rpcrdma.ulp.testprog_items import rows_of
from rpcrdma.wire import _generated_testprog as wire

CheckBinding = Callable[[TestProgram, bytes, bytes], None]
CheckCutCalls = Callable[[TestProgram, bytes], None]

XID = 77
BLOCK = wire.TEST_BLOCK_SIZE
TOO_LARGE = wire.TestStatus.TEST_TOO_LARGE
xids = st.integers(0, 2**32 - 1)
blocks = st.none() | st.just(pattern(BLOCK))
notes = st.binary(max_size=40)
lengths = st.integers(0, 300) | st.sampled_from([2**32 - 1, wire.TEST_MAX_ITEM + 1])
any_call = st.one_of(
    st.builds(calls.store_optional, xids, blocks, notes),
    st.builds(
        calls.fetch_optional,
        xids,
        first=st.booleans(),
        second=st.booleans(),
        between=notes,
        seed=xids,
    ),
    st.builds(calls.store_array, xids, st.lists(notes, max_size=wire.TEST_MAX_ARRAY)),
    st.builds(calls.fetch_array, xids, st.lists(st.none() | lengths, max_size=wire.TEST_MAX_ARRAY)),
    st.builds(calls.exchange, xids, notes),
    st.builds(calls.store_rows, xids, st.integers(0, 9), st.integers(0, 9), xids),
    st.builds(calls.fetch_rows, xids, st.integers(0, 70), st.integers(0, 9), xids),
)


def results_of(call: bytes) -> bytes:
    (payload,) = TestProgram().execute(call)
    reply, start = rpc.decode_reply(payload)
    assert (reply.xid, reply.succeeded) == (XID, True)
    return payload[start:]


@given(any_call)
def test_binding_holds_for_every_call(check_binding: CheckBinding, call: bytes) -> None:
    program = TestProgram()
    (reply,) = program.execute(call)

    check_binding(program, call, reply)


@given(any_call)
@settings(max_examples=30)
def test_cut_arguments_get_garbage_args(check_cut_calls: CheckCutCalls, call: bytes) -> None:
    if len(call) < 1000:  # a block is cut in hundreds of places that are all alike
        check_cut_calls(TestProgram(), call)


def test_block_that_is_present_is_eligible_and_its_presence_is_not() -> None:
    call = calls.store_optional(XID, pattern(BLOCK), b"note")

    (item,) = TestProgram().arguments(call)

    assert item == DataItem(44, BLOCK)
    assert reduce(call, (item,))[0][40:44] == (1).to_bytes(4)


def test_absent_block_is_no_item() -> None:
    assert TestProgram().arguments(calls.store_optional(XID, None)) == ()


@pytest.mark.parametrize("data", [None, pattern(BLOCK)], ids=["absent", "present"])
def test_store_optional_answers_whether_there_was_a_block(data: bytes | None) -> None:
    result, _ = wire.decode_stored_optional(results_of(calls.store_optional(XID, data, b"note")))

    digests = digest_of(data or b""), digest_of(b"note")
    assert result == wire.StoredOptional(data is not None, *digests)


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_fetch_optional_returns_the_blocks_that_are_wanted(first: bool, second: bool) -> None:
    call = calls.fetch_optional(XID, first=first, second=second, between=b"note", seed=4)

    result, _ = wire.decode_fetched_optional(results_of(call))

    wanted = pattern(BLOCK, 4) if first else None, pattern(BLOCK, 5) if second else None
    assert result == wire.FetchedOptional(wanted[0], b"note", wanted[1])
    slots = TestProgram().results(call, TestProgram().execute(call)[0])
    assert [item is not None for item in slots] == [first, second]


def test_each_item_of_an_array_is_eligible() -> None:
    call = calls.store_array(XID, (b"abc", b"", b"defgh"))

    items = TestProgram().arguments(call)

    assert items == (DataItem(48, 3), DataItem(56, 0), DataItem(60, 5))
    assert reduce(call, items)[1] == (b"abc", b"", b"defgh")
    result, _ = wire.decode_store_array_result(results_of(call))
    assert result == wire.StoredArray((digest_of(b"abc"), digest_of(b""), digest_of(b"defgh")))


def test_fetch_array_returns_a_union_for_each_request() -> None:
    result, _ = wire.decode_fetch_array_result(results_of(calls.fetch_array(XID, (5, None, 0))))

    arms = wire.Fetched(pattern(5, 1)), wire.Absent(ABSENT_NOTE), wire.Fetched(b"")
    assert result == wire.FetchedArray(arms)


def test_array_of_more_than_may_be_moved_is_refused() -> None:
    half = wire.TEST_MAX_ITEM // 2 + 1

    fetched, _ = wire.decode_fetch_array_result(results_of(calls.fetch_array(XID, (half, half))))
    whole = results_of(calls.store_array(XID, (bytes(half), bytes(half))))
    stored, _ = wire.decode_store_array_result(whole)

    assert fetched == wire.FetchArrayRefused(TOO_LARGE)
    assert stored == wire.StoreArrayRefused(TOO_LARGE)


def test_rows_are_one_item_with_their_counts_and_without_that_of_the_rows() -> None:
    call = calls.store_rows(XID, 3, 2, 7)

    (item,) = TestProgram().arguments(call)

    assert item == DataItem(44, 3 * 12)
    encoded = reduce(call, (item,))[1][0]
    assert encoded == b"".join(word.to_bytes(4) for word in (2, 7, 8, 2, 9, 10, 2, 11, 12))
    result, _ = wire.decode_store_result(results_of(call))
    assert result == digest_of(encoded)


def test_fetch_rows_returns_rows_that_count_up() -> None:
    result, _ = wire.decode_fetch_rows_result(results_of(calls.fetch_rows(XID, 3, 2, 7)))

    assert result == wire.FetchedRows(rows_of(3, 2, 7))
    assert [row.cells for row in rows_of(3, 2, 7)] == [(7, 8), (9, 10), (11, 12)]


def test_rows_without_words_are_rows() -> None:
    assert rows_of(2, 0, 7) == (wire.TestRow(()), wire.TestRow(()))


@pytest.mark.parametrize(
    ("rows", "cells"), [(wire.TEST_MAX_ROWS + 1, 1), (1, wire.TEST_MAX_CELLS + 1)]
)
def test_too_many_rows_or_words_are_refused(rows: int, cells: int) -> None:
    call = calls.fetch_rows(XID, rows, cells)

    result, _ = wire.decode_fetch_rows_result(results_of(call))

    assert result == wire.FetchRowsRefused(TOO_LARGE)
    assert not TestProgram().expectation(call).exact


def test_what_is_exchanged_comes_back() -> None:
    call = calls.exchange(XID, b"abc")

    result, _ = wire.decode_fetch_result(results_of(call))

    assert result == wire.Fetched(b"abc")
    assert TestProgram().arguments(call) == (DataItem(44, 3),)
    assert TestProgram().expectation(call).items == (3,)


def test_too_much_is_not_exchanged() -> None:
    call = calls.exchange(XID, bytes(wire.TEST_MAX_ITEM + 1))

    result, _ = wire.decode_fetch_result(results_of(call))

    assert result == wire.FetchRefused(TOO_LARGE)
