"""The program that has a server see to properties, on a service that only notes it."""

from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError
from rpcrdma.ulp import propprog, rpc
from rpcrdma.wire import _generated_propprog as wire
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    BackwardSupport,
    DefaultValue,
    Property,
    ReceiveBufferSize,
    UnknownProperty,
)

VALUES = (
    ReceiveBufferSize(1024),
    BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE),
    DefaultValue(2),
    UnknownProperty(77, b"abc"),
)


class Noting:
    """A service that does nothing."""

    def __init__(self) -> None:
        self.asked: list[tuple[Property, ...]] = []
        self.changed: list[tuple[Property, ...]] = []

    def ask(self, *wanted: Property) -> None:
        self.asked.append(wanted)

    def change(self, *values: Property) -> None:
        self.changed.append(values)


def succeeds(service: Noting, payload: bytes) -> bool:
    program = propprog.PropertyProgram(service)
    (reply,) = program.execute(payload)
    assert len(reply) <= program.expectation(payload).maximum
    answered, end = rpc.decode_reply(reply)
    return answered.succeeded and end == len(reply)


def test_the_server_is_to_ask_its_client() -> None:
    service = Noting()

    assert succeeds(service, propprog.ask(7, *VALUES))
    assert (service.asked, service.changed) == ([VALUES], [])


def test_the_server_is_to_change_its_own() -> None:
    service = Noting()

    assert succeeds(service, propprog.change(7, *VALUES))
    assert (service.asked, service.changed) == ([], [VALUES])


def test_null_does_nothing() -> None:
    service = Noting()
    null = rpc.encode_call(7, wire.PROPERTY_PROGRAM, wire.PROPERTY_VERSION, 0, b"")

    assert succeeds(service, null)
    assert (service.asked, service.changed) == ([], [])


def test_a_value_that_is_not_of_its_type_cannot_be_decoded() -> None:
    arguments = wire.encode_property_wish(wire.PropertyWish((wire.PropertyItem(2, b"\0\0\0\2"),)))
    payload = rpc.encode_call(7, wire.PROPERTY_PROGRAM, wire.PROPERTY_VERSION, 1, arguments)

    with pytest.raises(DecodeError, match="allowed"):
        propprog.PropertyProgram(Noting()).arguments(payload)
