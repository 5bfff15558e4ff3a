from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.ulp.testprog_data import ABSENT_NOTE, digest_of
from rpcrdma.wire import _generated_testprog as wire

CheckBinding = Callable[[TestProgram, bytes, bytes], None]
CheckCutCalls = Callable[[TestProgram, bytes], None]

XID = 77
TOO_LARGE = wire.TestStatus.TEST_TOO_LARGE
xids = st.integers(0, 2**32 - 1)
lengths = st.integers(0, 3000) | st.sampled_from([2**32 - 1, wire.TEST_MAX_ITEM + 1])
maybe_lengths = st.none() | lengths
data = st.binary(max_size=300)
notes = st.binary(max_size=wire.TEST_MAX_NOTE)
any_call = st.one_of(
    st.builds(calls.null, xids),
    st.builds(calls.echo, xids, notes),
    st.builds(calls.store, xids, data),
    st.builds(calls.store_two, xids, data, notes, data),
    st.builds(calls.fetch, xids, lengths, xids),
    st.builds(calls.fetch_two, xids, lengths, lengths, notes),
    st.builds(calls.fetch_union, xids, maybe_lengths, maybe_lengths),
    st.builds(calls.long_call, xids, data),
    st.builds(calls.long_reply, xids, lengths, xids),
    st.builds(calls.long_store, xids, data, data),
    st.builds(calls.long_fetch, xids, lengths, lengths),
    st.builds(calls.release, xids, xids),
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
def test_same_call_gets_the_same_reply(call: bytes) -> None:
    assert TestProgram().execute(call) == TestProgram().execute(call)


@given(any_call)
@settings(max_examples=30)
def test_cut_arguments_get_garbage_args(check_cut_calls: CheckCutCalls, call: bytes) -> None:
    check_cut_calls(TestProgram(), call)


@given(any_call)
def test_a_reply_that_is_exact_has_just_what_is_expected(call: bytes) -> None:
    program = TestProgram()
    room = program.expectation(call)
    if not room.exact:
        return
    (reply,) = program.execute(call)
    assert tuple(item.length for item in program.results(call, reply) if item) == room.items
    assert len(reply) == room.maximum or room.maximum == rpc.REPLY_MAXIMUM_LENGTH


@pytest.mark.parametrize(
    ("call", "exact"),
    [
        (calls.fetch(XID, 5), True),
        (calls.fetch_two(XID, 5, 6), True),
        (calls.long_reply(XID, 5), True),
        (calls.long_fetch(XID, 5, 6), True),
        (calls.fetch(XID, wire.TEST_MAX_ITEM + 1), False),
        (calls.long_fetch(XID, wire.TEST_MAX_ITEM + 1, 6), False),
        (calls.fetch_union(XID, 5, 6), False),
        (calls.echo(XID, b"note"), False),
    ],
)
def test_what_is_moved_is_as_long_as_was_asked_for(call: bytes, exact: bool) -> None:
    assert TestProgram().expectation(call).exact is exact


def test_null_has_no_results() -> None:
    assert results_of(calls.null(XID)) == b""


def test_echo_returns_the_note() -> None:
    result, _ = wire.decode_echo_result(results_of(calls.echo(XID, b"hello")))

    assert result.note == b"hello"


def test_echo_over_512_octets_is_garbage() -> None:
    arguments = wire.encode_store_arguments(wire.StoreArguments(bytes(513)))
    call = rpc.encode_call(XID, wire.TEST_PROGRAM, 1, wire.TEST_V1.TEST_ECHO, arguments)

    assert TestProgram().execute(call) == [rpc.garbage_args(XID)]


def test_digest_is_length_and_sha_256() -> None:
    assert digest_of(b"abc") == wire.TestDigest(3, hashlib.sha256(b"abc").digest())


@pytest.mark.parametrize("call", [calls.store(XID, b"abc"), calls.long_call(XID, b"abc")])
def test_store_and_long_call_answer_the_digest(call: bytes) -> None:
    result, _ = wire.decode_store_result(results_of(call))

    assert result == digest_of(b"abc")


def test_store_has_one_eligible_argument_and_long_call_none() -> None:
    assert TestProgram().arguments(calls.store(XID, b"abc")) == (DataItem(44, 3),)
    assert TestProgram().arguments(calls.long_call(XID, b"abc")) == ()


def test_store_two_answers_three_digests() -> None:
    call = calls.store_two(XID, b"one", b"between", b"two")

    result, _ = wire.decode_store_two_result(results_of(call))

    assert result == wire.StoredTwo(digest_of(b"one"), digest_of(b"between"), digest_of(b"two"))
    assert TestProgram().arguments(call) == (DataItem(44, 3), DataItem(64, 3))


def test_fetch_returns_the_pattern() -> None:
    call = calls.fetch(XID, 1001, 5)
    (reply,) = TestProgram().execute(call)

    (item,) = TestProgram().results(call, reply)

    assert item == DataItem(32, 1001)
    assert reply[32 : 32 + 1001] == pattern(1001, 5)


def test_fetch_two_returns_two_patterns_around_the_note() -> None:
    result, _ = wire.decode_fetch_two_result(results_of(calls.fetch_two(XID, 5, 6, b"note")))

    first, second = wire.Fetched(pattern(5, 1)), wire.Fetched(pattern(6, 2))
    assert result == wire.FetchedTwo(first, b"note", second)


def test_fetch_union_has_no_item_in_the_other_arm() -> None:
    call = calls.fetch_union(XID, None, 6)
    (reply,) = TestProgram().execute(call)

    result, _ = wire.decode_fetch_union_result(reply, rpc.REPLY_HEADER_LENGTH)
    first, second = TestProgram().results(call, reply)

    assert result == wire.FetchedUnion(wire.Absent(ABSENT_NOTE), wire.Fetched(pattern(6, 2)))
    assert first is None
    assert second is not None
    assert second.length == 6


def test_long_reply_has_no_slot() -> None:
    call = calls.long_reply(XID, 5000, 3)
    (reply,) = TestProgram().execute(call)

    result, _ = wire.decode_long_reply_result(reply, rpc.REPLY_HEADER_LENGTH)

    assert result == wire.LongReplyBody(pattern(5000, 3))
    assert TestProgram().results(call, reply) == ()
    assert TestProgram().expectation(call).items == ()


def test_long_store_and_long_fetch_have_one_item_each() -> None:
    stored, _ = wire.decode_long_store_result(results_of(calls.long_store(XID, b"text", b"data")))
    fetched, _ = wire.decode_long_fetch_result(results_of(calls.long_fetch(XID, 7, 9)))

    assert stored == wire.LongStored(digest_of(b"text"), digest_of(b"data"))
    assert fetched == wire.LongFetched(pattern(7, 1), pattern(9, 2))
    assert len(TestProgram().arguments(calls.long_store(XID, b"text", b"data"))) == 1


BIG = wire.TEST_MAX_ITEM + 1


@pytest.mark.parametrize(
    "call",
    [
        calls.store(XID, bytes(BIG)),
        calls.store_two(XID, b"", b"", bytes(BIG)),
        calls.fetch(XID, BIG),
        calls.fetch_two(XID, 1, BIG),
        calls.fetch_union(XID, BIG, None),
        calls.long_call(XID, bytes(BIG)),
        calls.long_reply(XID, BIG),
        calls.long_store(XID, bytes(BIG), b""),
        calls.long_fetch(XID, BIG, 1),
    ],
    ids=lambda call: wire.TEST_V1(rpc.decode_call(call)[0].procedure).name,
)
def test_item_over_4_mib_is_refused_without_data(call: bytes) -> None:
    assert results_of(call) == TOO_LARGE.to_bytes(4, "big")


def test_hold_is_answered_behind_the_release_with_its_token() -> None:
    program = TestProgram()

    assert program.execute(calls.hold(1, 7)) == []
    assert program.execute(calls.hold(2, 8)) == []
    assert program.execute(calls.hold(3, 7)) == []
    released = program.execute(calls.release(4, 7))

    assert [rpc.decode_reply(reply)[0].xid for reply in released] == [4, 1, 3]
    assert wire.decode_release_result(released[0], 24)[0] == wire.ReleaseResult(2)
    assert released[1:] == [
        calls.expected_reply(calls.hold(1, 7)),
        calls.expected_reply(calls.hold(3, 7)),
    ]


def test_release_without_a_hold_releases_none() -> None:
    (reply,) = TestProgram().execute(calls.release(4, 7))

    assert wire.decode_release_result(reply, 24)[0] == wire.ReleaseResult(0)


def test_holds_of_two_connections_are_apart() -> None:
    TestProgram().execute(calls.hold(1, 7))

    assert len(TestProgram().execute(calls.release(2, 7))) == 1


def test_hold_number_65_is_refused_at_once() -> None:
    program = TestProgram()
    for xid in range(wire.TEST_MAX_HELD):
        assert program.execute(calls.hold(xid, 7)) == []

    (reply,) = program.execute(calls.hold(XID, 7))

    expected = wire.HoldResult(wire.TestStatus.TEST_TOO_MANY, 7)
    assert wire.decode_hold_result(reply, 24)[0] == expected


def test_hold_expects_its_late_reply(check_binding: CheckBinding) -> None:
    program = TestProgram()
    call = calls.hold(1, 7)
    program.execute(call)

    check_binding(program, call, program.execute(calls.release(2, 7))[1])
