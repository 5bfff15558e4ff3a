"""The strategies reach every kind of property and operation, and nothing that is refused."""

from __future__ import annotations

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from conformance.strategies.options import known_options, properties, property_sets, subsets
from rpcrdma.wire.operations import ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    BASIC,
    BackwardRequestSupport,
    BackwardSupport,
    BufferStructure,
    DefaultValue,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    UnknownProperty,
)
from rpcrdma.wire.subsets import members
from rpcrdma.wire.v2 import MessageType


@pytest.mark.long
@pytest.mark.parametrize("known", [BASIC, ADOPTED, AS_PUBLISHED])
@given(data=st.data())
def test_no_option_is_refused(known: PropertyNumbers, data: st.DataObject) -> None:
    option = data.draw(known_options(known))

    assert decode_option(encode_option(MessageType.CALL, option), known=known) == option


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "least"),
    [
        (RtrSupport, RtrSupport(0)),
        (ReceiveBufferStructure, ReceiveBufferStructure(BufferStructure(0, ()))),
        (RequestTransmissionReceiveLimit, RequestTransmissionReceiveLimit(0)),
        (ResponseTransmissionSendLimit, ResponseTransmissionSendLimit(0)),
    ],
)
def test_those_that_reduce_round_trips_are_where_they_are_known(kind: type, least: object) -> None:
    for known in (ADOPTED, AS_PUBLISHED):
        assert find(properties(known), lambda item: isinstance(item, kind)) == least


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
