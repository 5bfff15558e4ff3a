"""Sends make messages: one each so far, and groups as the table of operations says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
from conformance.strategies._generated_v2 import rdma2_headers
from rpcrdma.wire import encode_header, v2
from rpcrdma.wire.operations import BY_CODE, BY_NAME, XCHAREXT, OptionalOperation, operations_of
from rpcrdma.wire.optional import UnknownOption, encode_option, with_values
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Assembler, divided

GROUP = 99
"""The code of an operation that begins a message of as many Sends as it has values."""

CONNPROP = BY_NAME["connprop"]
WITH_GROUPS = {
    **BY_CODE,
    GROUP: replace(
        CONNPROP, code=GROUP, has_payload=True, sends=lambda it: len(it.opticonnpr_start)
    ),
}


def optional(code: int, values: int = 0, xid: int = 7, payload: bytes = b"") -> bytes:
    """An optional message that begins with contents of so many values."""
    contents = with_values(CONNPROP, property_values(*[ReceiveBufferSize(4096)] * values))
    body = v2.Rdma2Optional(MessageType.CALL, code, CONNPROP.encode(contents))
    return v2.encode_header(v2.Rdma2Header(xid, v2.VERSION, 32, body)) + payload


@given(transport_headers().map(encode_header) | rdma2_headers().map(v2.encode_header), st.binary())
def test_every_message_is_a_group_of_one(header: bytes, payload: bytes) -> None:
    send = header + payload

    taken = Assembler({}).take(send)

    assert taken is not None
    assert (taken.parts, taken.octets, taken.sends) == ((send,), send, 1)


@given(st.binary(max_size=80))
def test_garbage_is_a_message_of_its_own(send: bytes) -> None:
    taken = Assembler(BY_CODE).take(send)

    assert taken is not None
    assert taken.parts == (send,)


@pytest.mark.parametrize("operation", operations_of(XCHAREXT), ids=lambda one: one.name)
def test_every_operation_with_properties_comes_by_itself(operation: OptionalOperation) -> None:
    body = encode_option(operation.way(), with_values(operation, ()))
    send = v2.encode_header(v2.Rdma2Header(7, v2.VERSION, 32, body))

    taken = Assembler(BY_CODE).take(send)

    assert taken is not None
    assert taken.sends == operation.sends(with_values(operation, ())) == 1


def test_unknown_operations_and_bad_contents_come_by_themselves() -> None:
    unknown = v2.encode_header(
        v2.Rdma2Header(
            7, v2.VERSION, 32, encode_option(MessageType.CALL, UnknownOption(77, b"abc"))
        )
    )
    bad = v2.encode_header(
        v2.Rdma2Header(7, v2.VERSION, 32, v2.Rdma2Optional(MessageType.CALL, GROUP, b"ab"))
    )
    assembler = Assembler(WITH_GROUPS)

    for send in (unknown, bad, optional(GROUP, 0)):
        taken = assembler.take(send)
        assert taken is not None
        assert taken.parts == (send,)


def test_group_of_two_is_the_header_of_the_first_and_the_payload_of_both() -> None:
    first, second = optional(GROUP, 2, payload=b"to "), optional(1, payload=b"gether")
    assembler = Assembler(WITH_GROUPS)

    assert assembler.take(first) is None
    whole = assembler.take(second)

    assert whole is not None
    assert (whole.parts, whole.sends) == ((first, second), 2)
    assert whole.octets == first + b"gether"
    after = assembler.take(second)
    assert after is not None
    assert after.parts == (second,), "the group is over"


@pytest.mark.parametrize(
    "between",
    [optional(1, xid=8), b"garbage", bytes(28), optional(1)[:20]],
    ids=["another XID", "garbage", "Version One", "half a header"],
)
def test_what_comes_between_the_sends_of_a_group_is_the_end_of_it(between: bytes) -> None:
    assembler = Assembler(WITH_GROUPS)
    assert assembler.take(optional(GROUP, 2)) is None

    taken = assembler.take(between)

    assert taken is not None
    assert taken.parts == (between,)
    follower = optional(1)
    alone = assembler.take(follower)
    assert alone is not None
    assert alone.parts == (follower,)


def test_a_message_known_as_whole_by_its_fixed_words_ends_a_group_too() -> None:
    assembler = Assembler(WITH_GROUPS)
    assert not assembler.is_whole(optional(GROUP, 2))
    assert assembler.take(optional(GROUP, 2)) is None

    assert assembler.is_whole(bytes(28))

    follower = optional(1)
    alone = assembler.take(follower)
    assert alone is not None
    assert alone.parts == (follower,)


@given(st.binary())
def test_a_message_of_ours_is_one_send(message: bytes) -> None:
    assert divided(message) == (message,)
