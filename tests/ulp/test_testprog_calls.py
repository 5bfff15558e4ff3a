from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram, hold_reply
from rpcrdma.wire import _generated_testprog as wire

V1 = wire.TEST_V1


@pytest.mark.parametrize(
    ("call", "procedure"),
    [
        (calls.null(5), V1.TEST_NULL),
        (calls.echo(5, b""), V1.TEST_ECHO),
        (calls.store(5, b""), V1.TEST_STORE),
        (calls.store_two(5, b"", b"", b""), V1.TEST_STORE_TWO),
        (calls.fetch(5, 1), V1.TEST_FETCH),
        (calls.fetch_two(5, 1, 2), V1.TEST_FETCH_TWO),
        (calls.fetch_union(5, 1, None), V1.TEST_FETCH_UNION),
        (calls.long_call(5, b""), V1.TEST_LONG_CALL),
        (calls.long_reply(5, 1), V1.TEST_LONG_REPLY),
        (calls.long_store(5, b"", b""), V1.TEST_LONG_STORE),
        (calls.long_fetch(5, 1, 2), V1.TEST_LONG_FETCH),
        (calls.hold(5, 1), V1.TEST_HOLD),
        (calls.release(5, 1), V1.TEST_RELEASE),
        (calls.store_optional(5, None), V1.TEST_STORE_OPTIONAL),
        (calls.fetch_optional(5, first=True, second=False), V1.TEST_FETCH_OPTIONAL),
        (calls.store_array(5, (b"",)), V1.TEST_STORE_ARRAY),
        (calls.fetch_array(5, (1, None)), V1.TEST_FETCH_ARRAY),
        (calls.store_rows(5, 1, 1), V1.TEST_STORE_ROWS),
        (calls.fetch_rows(5, 1, 1), V1.TEST_FETCH_ROWS),
        (calls.exchange(5, b""), V1.TEST_EXCHANGE),
    ],
)
def test_call_names_its_procedure(call: bytes, procedure: int) -> None:
    header, _ = rpc.decode_call(call)

    assert header == rpc.RpcCall(5, wire.TEST_PROGRAM, wire.TEST_VERSION, procedure)


def test_expected_reply_is_what_the_program_answers() -> None:
    call = calls.fetch_two(5, 100, 200)

    assert [calls.expected_reply(call)] == TestProgram().execute(call)


def test_expected_reply_to_a_hold_is_the_late_one() -> None:
    assert calls.expected_reply(calls.hold(5, 9)) == hold_reply(5, 9)


def test_expected_reply_to_cut_arguments_is_garbage_args() -> None:
    assert calls.expected_reply(calls.hold(5, 9)[:-4]) == rpc.garbage_args(5)


def test_no_reply_is_due_without_a_call_header() -> None:
    with pytest.raises(DecodeError) as caught:
        calls.expected_reply(calls.null(5)[:-4])

    assert caught.value.reason is Reason.TRUNCATED
