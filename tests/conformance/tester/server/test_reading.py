"""How messages are taken apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.oracle.announced import NOTHING_TOLD
from conformance.tester.server.reading import read_call
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import (
    RdmaDone,
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    encode_header,
    v2,
)
from rpcrdma.wire.transmission import Transmission
from targets.base import ActKind

Facing = Any


def read(facing: Facing, octets: bytes) -> Any:  # noqa: ANN401  # a ReceivedCall
    facing.do(ActKind.SMALL)
    return read_call(facing.service.line, 0, Transmission.of_one(octets), (), (NOTHING_TOLD,), 1.0)


def test_a_short_call_is_what_follows_its_header(facing: Facing) -> None:
    payload = testprog_calls.null(3)
    octets = encode_header(TransportHeader(3, 1, 4, RdmaMsg((), (), None))) + payload

    call = read(facing, octets)

    assert (call.unreduced, call.problem, call.xid) == (payload, "", 3)


def test_arguments_are_put_back(facing: Facing) -> None:
    facing.do(ActKind.WRITE, 4001)

    (call,) = facing.service.received

    assert call.unreduced == testprog_calls.store(call.xid, pattern(4001))


def test_nothing_is_fetched_where_that_is_not_wanted(facing: Facing) -> None:
    facing.service.welcome = replace(facing.service.welcome, fetches=False)
    facing.service.drop()
    facing.begin(ActKind.WRITE, 4001)

    call = facing.service.next_call(lambda one: bool(one.reads))

    assert call.unreduced is None
    assert call.problem == "its Read chunks are not fetched on this connection"


def test_a_long_call_comes_from_its_chunk(facing: Facing) -> None:
    facing.do(ActKind.LONG_CALL, 5000)

    (call,) = facing.service.received

    assert call.is_long
    assert call.unreduced == testprog_calls.long_call(call.xid, pattern(5000))


def test_octets_without_a_header_are_no_call(facing: Facing) -> None:
    call = read(facing, bytes(10))

    assert (call.header, call.unreduced) == (None, None)
    assert call.problem.startswith("no transport header: ")


def test_another_procedure_is_no_call(facing: Facing) -> None:
    call = read(facing, encode_header(TransportHeader(1, 1, 1, RdmaDone())))

    assert call.problem == "RDMA_DONE is no call"


def test_a_chunk_that_cannot_be_fetched_is_said_so(facing: Facing) -> None:
    body = RdmaMsg((ReadSegment(48, RdmaSegment(1, 10, 0)),), (), None)

    call = read(facing, encode_header(TransportHeader(1, 1, 1, body)))

    assert call.problem == "the Read chunk at Position 48 cannot be fetched"


def test_a_call_of_version_two_is_told_in_the_objects_of_version_one(facing_two: Facing) -> None:
    facing_two.do(ActKind.WRITE, 9001)

    call = facing_two.service.received[-1]

    assert call.version == 2
    assert isinstance(call.raw, v2.Rdma2Header)
    assert isinstance(call.header, TransportHeader)
    assert call.reads
    assert pattern(9001) in call.unreduced
