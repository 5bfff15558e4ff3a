"""Optional messages of a client that speaks Version Two, and those that go to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.device import Device
from conformance.tester.case import Inconclusive
from conformance.tester.server.options import FIRST_XID, encode_two, refusal
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ConnProp, UpdProp, XmtReq
from rpcrdma.wire.optional import UnknownOption, encode_option
from rpcrdma.wire.properties import ADOPTED, BASIC, PropertyNumbers, PropertyValue
from rpcrdma.wire.rpc import MessageType
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server.options import ReceivedOption
    from tests.conformance.tester.server.conftest import Facing


def is_announcement(message: ReceivedOption) -> bool:
    return isinstance(message.option, ConnProp)


def test_puts_aside_what_the_client_announces(facing_two: Facing) -> None:
    assert facing_two.do(ActKind.NULL).done

    announced = facing_two.service.options.next(is_announcement)

    assert announced.direction is MessageType.CALL
    assert announced.credits > 0
    assert (announced.behind, announced.problem, announced.error) == (b"", "", None)
    assert [call.version for call in facing_two.service.received] == [2]
    assert "ROPT_CONNPROP" in str(announced)


def test_brings_the_error_that_answers_an_unknown_operation(facing_two: Facing) -> None:
    facing_two.do(ActKind.NULL)
    options = facing_two.service.options

    xid = options.send(UnknownOption(77, b""))

    error = options.answer(xid)
    assert xid == FIRST_XID
    assert error is not None
    assert error.is_error
    assert isinstance(error.error, v2.ErrInvalidOption)
    assert "RDMA2_ERR_INVAL_OPTION" in str(error)
    assert not facing_two.service.violations


def test_serves_calls_while_it_waits(facing_two: Facing) -> None:
    act = facing_two.begin(ActKind.NULL)

    facing_two.service.options.next(is_announcement)

    assert facing_two.service.serve_until(act).done


def test_says_that_nothing_came(facing_two: Facing) -> None:
    facing_two.do(ActKind.NULL)
    options = facing_two.service.options

    with pytest.raises(Inconclusive, match="no such optional message"):
        options.next(lambda message: message.is_error, timeout=0.1)

    assert options.answer(7) is None


def test_refuses_an_operation(facing_two: Facing) -> None:
    facing_two.do(ActKind.NULL)
    options = facing_two.service.options
    announced = options.next(is_announcement)

    options.refuse(announced)

    assert facing_two.do(ActKind.SMALL).done
    assert len(options.messages) == 1


def test_forgets_a_case(facing_two: Facing) -> None:
    facing_two.do(ActKind.NULL)
    options = facing_two.service.options

    options.forget()

    assert options.messages == []


@pytest.mark.parametrize(
    ("octets", "problem"),
    [
        (encode_two(5, v2.Rdma2Optional(MessageType.CALL, 1, b"abcd"), 1), "rdma_optinfo"),
        (encode_two(5, v2.Rdma2Optional(MessageType.CALL, 1, b""), 1)[:-2], "rdma_optinfo"),
    ],
)
def test_keeps_what_it_cannot_read(facing_two: Facing, octets: bytes, problem: str) -> None:
    facing_two.do(ActKind.NULL)
    service = facing_two.service

    assert service.options.take(service.line, octets)

    message = service.options.messages[-1]
    assert problem in message.problem
    assert message.option is None
    assert str(message)


@pytest.mark.parametrize(("known", "is_read"), [(BASIC, True), (ADOPTED, False)])
def test_reads_values_by_the_codes_of_the_device(
    facing_two: Facing, monkeypatch: pytest.MonkeyPatch, known: PropertyNumbers, *, is_read: bool
) -> None:
    """D-91."""
    monkeypatch.setattr(Device, "properties", known)
    facing_two.do(ActKind.NULL)
    service = facing_two.service
    body = encode_option(MessageType.CALL, UpdProp((PropertyValue(5, bytes(4)),)))

    assert service.options.take(service.line, encode_two(5, body, 1))

    assert (service.options.messages[-1].option is not None) is is_read


def test_leaves_calls_and_version_one_alone(facing_two: Facing) -> None:
    facing_two.do(ActKind.NULL)
    service = facing_two.service

    assert not service.options.take(service.line, service.received[0].octets)
    assert not service.options.take(service.line, b"\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\4")
    assert not service.options.take(service.line, b"\0\0\0\1\0\0\0\2")


def test_a_request_in_a_group_is_a_call(facing_two: Facing) -> None:
    facing_two.do(ActKind.NULL)
    line = facing_two.service.line
    header = encode_two(7, encode_option(MessageType.CALL, XmtReq((), (), 1, 0, 40)), 1)

    assert not facing_two.service.options.take(line, header + testprog_calls.null(7))


def test_a_refusal_is_the_error_that_refuses_an_operation() -> None:
    header, end = v2.decode_header(refusal(7, 3))

    assert header == v2.Rdma2Header(7, 2, 3, v2.Rdma2Error(v2.ErrInvalidOption()))
    assert end == len(refusal(7, 3))
