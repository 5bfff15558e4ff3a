"""The strategies reach every kind of property and operation, and nothing that is refused."""

from __future__ import annotations

import pytest
from hypothesis import Phase, find, given, settings

from conformance.strategies.options import known_options, properties, property_sets, subsets
from rpcrdma.wire.operations import ConnProp, KnownOption, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    BackwardSupport,
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
    members,
)
from rpcrdma.wire.v2 import MessageType


@given(known_options())
def test_no_option_is_refused(option: KnownOption) -> None:
    assert decode_option(encode_option(MessageType.CALL, option)) == option


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        (ReceiveBufferSize, ReceiveBufferSize(0)),
        (RequesterRemoteInvalidation, RequesterRemoteInvalidation(allowed=False)),
        (BackwardRequestSupport, BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE)),
        (DefaultValue, DefaultValue(1)),
        (UnknownProperty, UnknownProperty(0, b"")),
    ],
)
def test_every_kind_of_property_is_there_and_shrinks(kind: type, least: object) -> None:
    assert find(properties(), lambda item: isinstance(item, kind)) == least


@pytest.mark.parametrize("kind", [ConnProp, ReqProp, RespProp, UpdProp])
def test_every_operation_is_there(kind: type) -> None:
    found = find(
        known_options(),
        lambda item: isinstance(item, kind),
        settings=settings(phases=[Phase.generate]),
    )

    assert isinstance(found, kind)


def test_set_of_one_property_is_there_and_shrinks() -> None:
    least = find(property_sets(), lambda values: len(values) == 1)

    assert least == (PropertyValue(1, bytes(4)),)


@pytest.mark.parametrize("wanted", [{0}, {3}, {0, 1, 2, 3}])
def test_every_subset_of_a_set_is_there(wanted: set[int]) -> None:
    assert members(find(subsets(), lambda words: members(words) == wanted)) == wanted
