"""The values of one end, and which ways of dealing with them the document allows."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.properties.values import (
    PROPERTY_OPERATIONS,
    PropertyLimits,
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.properties import (
    DEFAULTS,
    BackwardRequestSupport,
    BackwardSupport,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
)

CONNPROP, REQPROP, RESPROP, UPDPROP = 1, 2, 3, 4
GENERAL = BackwardSupport.BKREQSUP_GENL


def test_the_defaults_are_those_of_the_table() -> None:
    """xcharext 3, table 1."""
    assert PropertyValues().properties() == tuple(DEFAULTS.values())
    assert PropertyValues() == PropertyValues(
        4096, remote_invalidation=False, backward=BackwardSupport.BKREQSUP_INLINE
    )


def test_a_change_leaves_the_others_alone() -> None:
    """Of several values for one property the last counts (D-76)."""
    values = PropertyValues(8192, remote_invalidation=True)
    assert values.changed() == values
    assert values.changed(ReceiveBufferSize(1), ReceiveBufferSize(2)) == PropertyValues(
        2, remote_invalidation=True
    )
    assert values.changed(RequesterRemoteInvalidation(allowed=False)) == PropertyValues(8192)
    changed = values.changed(BackwardRequestSupport(GENERAL))
    assert changed == PropertyValues(8192, remote_invalidation=True, backward=GENERAL)
    assert PropertyValues().changed(*changed.properties()) == changed


@pytest.mark.parametrize(
    ("operations", "lacks"),
    [
        ({CONNPROP, REQPROP}, RESPROP),
        ({REQPROP, RESPROP}, CONNPROP),
        ({RESPROP}, CONNPROP),
        ({UPDPROP}, CONNPROP),
    ],
)
def test_an_operation_needs_those_that_the_document_couples_with_it(
    operations: set[int], lacks: int
) -> None:
    """xcharext 4, after table 2."""
    with pytest.raises(LocalProtocolError, match=f"needs operation {BY_CODE[lacks].name}"):
        PropertyOptions(announced=False, operations=frozenset(operations))


@pytest.mark.parametrize(
    "operations",
    [set(), {CONNPROP}, {CONNPROP, RESPROP}, {CONNPROP, UPDPROP}, {CONNPROP, REQPROP, RESPROP}],
)
def test_other_selections_are_allowed(operations: set[int]) -> None:
    """Each operation is OPTIONAL (xcharext 4)."""
    PropertyOptions(announced=CONNPROP in operations, operations=frozenset(operations))


def test_what_cannot_be_said_is_refused() -> None:
    """Announcing without the operation, fixing what has no value, Receives without a length."""
    with pytest.raises(LocalProtocolError, match="without ROPT_CONNPROP"):
        PropertyOptions(operations=PROPERTY_OPERATIONS - PROPERTY_OPERATIONS)
    with pytest.raises(LocalProtocolError, match=r"fixed: \[4\]"):
        PropertyOptions(fixed=frozenset({1, 4}))
    for octets in (0, 2**32):
        with pytest.raises(LocalProtocolError, match=f"{octets} octets"):
            PropertyOptions(own=PropertyValues(octets))


def test_fewer_operations_leave_the_rest_as_it_is() -> None:
    whole = PropertyOptions(PropertyValues(8192))

    assert whole.supporting(PROPERTY_OPERATIONS) == whole
    assert not whole.supporting(frozenset()).announced
    assert whole.supporting(frozenset()).own == whole.own


def test_an_end_whose_memory_cannot_be_invalidated_neither_says_nor_grants_it() -> None:
    """D-80: every handle must bear it."""
    options = PropertyOptions(
        PropertyValues(8192, remote_invalidation=True),
        limits=PropertyLimits(remote_invalidation=True),
    )

    plain = options.without_invalidation()

    assert plain == PropertyOptions(PropertyValues(8192))
    assert plain.without_invalidation() == plain
