"""A request of ours, and what the parts of an answer say about it."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.properties.requests import PropertyRequest, require_set
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import Disposition, PropertyOutcome
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.properties import (
    BASIC,
    PROP_RBSIZ,
    PROP_REQREMINV,
    DefaultValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
)

ALLOWED = RequesterRemoteInvalidation(allowed=True)
ODD = UnknownProperty(77, b"odd")


def request(
    *wanted: ReceiveBufferSize | RequesterRemoteInvalidation | DefaultValue | UnknownProperty,
) -> PropertyRequest:
    return PropertyRequest(wanted, PropertyRules())


def test_the_length_asked_for_is_known_whichever_way_it_was_put() -> None:
    """A value of no octets is the default (xcharext 2.1)."""
    assert request(ALLOWED, ReceiveBufferSize(2048)).receive_buffer == 2048
    assert request(DefaultValue(PROP_RBSIZ)).receive_buffer == 4096
    assert request(ALLOWED, ODD).receive_buffer is None


def test_each_part_of_an_answer_is_read() -> None:
    """xcharext 4.3; the value of a property that is not known here stays unknown."""
    asked = request(ODD, ALLOWED, ReceiveBufferSize(9000))
    values = [ReceiveBufferSize(1), ReceiveBufferSize(6000)]
    assert asked.outcomes({0}, {1}, {PROP_RBSIZ}, values) == (
        PropertyOutcome(77, Disposition.DONE),
        PropertyOutcome(PROP_REQREMINV, Disposition.REJECTED),
        PropertyOutcome(PROP_RBSIZ, Disposition.OTHER, ReceiveBufferSize(6000)),
    )
    assert asked.outcomes({1, 2}, (), {77}, ()) == (
        PropertyOutcome(77, Disposition.OTHER),
        PropertyOutcome(PROP_REQREMINV, Disposition.DONE, ALLOWED),
        PropertyOutcome(PROP_RBSIZ, Disposition.DONE, ReceiveBufferSize(9000)),
    )


def test_a_set_has_each_property_once() -> None:
    require_set((ALLOWED, ODD), BASIC)
    for values in ((), (ODD, ODD)):
        with pytest.raises(LocalProtocolError, match="not a set of properties"):
            require_set(values, BASIC)
