"""The receive buffer size among other properties."""

from __future__ import annotations

import pytest

from conformance.oracle.told_length import told_length
from rpcrdma.errors import DecodeError
from rpcrdma.wire.properties import (
    PROP_RBSIZ,
    DefaultValue,
    Property,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
    property_values,
)

ALLOWED = RequesterRemoteInvalidation(allowed=True)


@pytest.mark.parametrize(
    ("values", "length"),
    [
        ([], None),
        ([ALLOWED, UnknownProperty(77, bytes(4))], None),
        ([ALLOWED, ReceiveBufferSize(8192)], 8192),
        ([ReceiveBufferSize(8192), DefaultValue(PROP_RBSIZ)], 4096),
    ],
)
def test_the_last_size_counts(values: list[Property], length: int | None) -> None:
    """D-76."""
    assert told_length(property_values(*values)) == length


def test_a_size_of_another_type_is_none() -> None:
    with pytest.raises(DecodeError):
        told_length([PropertyValue(PROP_RBSIZ, b"odd")])
