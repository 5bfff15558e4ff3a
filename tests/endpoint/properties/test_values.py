"""The values of one end, and which ways of dealing with them the document allows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.endpoint.properties.values import (
    NOTHING_TOLD,
    PROPERTY_OPERATIONS,
    PropertyLimits,
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire._generated_rtrext import RTRS_XREQ, BufferSegmentGroup
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    BASIC,
    PROPERTIES,
    BackwardRequestSupport,
    BackwardSupport,
    BufferStructure,
    DerivedStructure,
    KnownProperty,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
)
from tests.endpoint.properties.property_ends import LENGTH, PLAIN, REDUCING, STRUCTURE, TARGET

CONNPROP, REQPROP, RESPROP, UPDPROP = 1, 2, 3, 4
XMTREQ, XMTRESP, XMTCONT, REPTERR = 5, 6, 7, 8
GENERAL = BackwardSupport.BKREQSUP_GENL

SHORTER = BufferStructure(5120, (BufferSegmentGroup(1, PLAIN), BufferSegmentGroup(1, TARGET)))


def test_the_defaults_are_those_of_the_table() -> None:
    """xcharext 3, table 1; rtrext 8.1, table 3."""
    assert PropertyValues().properties(ADOPTED) == tuple(one.default for one in PROPERTIES)
    assert PropertyValues().properties() == PropertyValues().properties(ADOPTED)[:3]
    assert PropertyValues() == NOTHING_TOLD
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
    reduced = changed.changed(
        RtrSupport(RTRS_XREQ),
        ReceiveBufferStructure(STRUCTURE),
        RequestTransmissionReceiveLimit(8),
        ResponseTransmissionSendLimit(4),
    )
    assert reduced == replace(
        changed, rtr_support=1, buffer_structure=STRUCTURE, request_limit=8, response_limit=4
    )
    assert PropertyValues().changed(*reduced.properties(ADOPTED)) == reduced
    assert reduced.changed(DerivedStructure()) == replace(reduced, buffer_structure=None)


def test_the_size_follows_from_the_structure_until_it_is_told() -> None:
    """rtrext 8.3; the order in a message means nothing (xcharext 2.1)."""
    silent, size, structure = NOTHING_TOLD, ReceiveBufferSize(6000), ReceiveBufferStructure
    told = structure(STRUCTURE)

    assert silent.changed(told).receive_buffer == LENGTH
    assert silent.changed(told, structure(SHORTER)).receive_buffer == LENGTH - 4096
    assert silent.changed(told, DerivedStructure()).receive_buffer == 4096
    assert PropertyValues(6000).changed(told).receive_buffer == 6000
    for both in ((size, told), (told, size)):
        assert silent.changed(*both).receive_buffer == 6000
        assert silent.changed(*both).changed(structure(SHORTER)).receive_buffer == 6000


def test_the_smaller_of_the_two_bounds_a_sender() -> None:
    """D-101."""
    structured = PropertyValues(buffer_structure=STRUCTURE)

    assert PropertyValues(8192).longest_send == 8192
    assert replace(structured, receive_buffer=LENGTH + 1).longest_send == LENGTH
    assert replace(structured, receive_buffer=LENGTH - 1).longest_send == LENGTH - 1


@pytest.mark.parametrize(
    ("operations", "lacks"),
    [
        ({XMTREQ, XMTCONT}, REPTERR),
        ({XMTRESP}, REPTERR),
        ({CONNPROP, REQPROP}, RESPROP),
        ({REQPROP, RESPROP}, CONNPROP),
        ({RESPROP}, CONNPROP),
        ({UPDPROP}, CONNPROP),
    ],
)
def test_an_operation_needs_those_that_the_document_couples_with_it(
    operations: set[int], lacks: int
) -> None:
    """xcharext 4, after table 2; rtrext 5.4."""
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
    with pytest.raises(LocalProtocolError, match=r"fixed: \[8\]"):
        replace(REDUCING, fixed=frozenset({4, 8}))
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


# -- what reduces round trips


def test_an_end_knows_the_properties_of_the_documents_whose_operations_it_supports() -> None:
    """D-91: under the codes that it was told."""
    assert PropertyOptions(numbers=AS_PUBLISHED).known is BASIC
    assert REDUCING.known is ADOPTED
    assert replace(REDUCING, numbers=AS_PUBLISHED).known is AS_PUBLISHED


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        (replace(REDUCING.own, request_limit=0), "a message cannot have 0 transmissions"),
        (replace(REDUCING.own, response_limit=2**32), "cannot have 4294967296 transmissions"),
        (replace(REDUCING.own, rtr_support=0x1B), "bits of no supported operation: 0x18"),
        (
            replace(REDUCING.own, receive_buffer=8192),
            "says 9216 octets, its segments have 9216, and the receive buffer size is 8192",
        ),
        (
            PropertyValues(8192, buffer_structure=BufferStructure(8192, SHORTER.xmrbuf_groups)),
            "says 8192 octets, its segments have 5120, and the receive buffer size is 8192",
        ),
        (
            PropertyValues(5120, buffer_structure=BufferStructure(8192, SHORTER.xmrbuf_groups)),
            "says 8192 octets, its segments have 5120, and the receive buffer size is 5120",
        ),
    ],
)
def test_values_that_contradict_themselves_are_refused(own: PropertyValues, reason: str) -> None:
    """rtrext 8; D-101, D-107."""
    with pytest.raises(LocalProtocolError, match=reason):
        replace(REDUCING, own=own)


def test_what_is_supported_need_not_be_told() -> None:
    """rtrext 5.1: a peer may try."""
    silent = replace(REDUCING, own=replace(REDUCING.own, rtr_support=0))

    assert silent.known is ADOPTED


def test_fewer_operations_are_told_of_by_fewer_bits() -> None:
    """D-107; without continuations every response has one transmission (rtrext 8.5)."""
    fewer = REDUCING.supporting(PROPERTY_OPERATIONS | {XMTREQ, REPTERR})

    assert fewer.own == replace(REDUCING.own, rtr_support=RTRS_XREQ, response_limit=1)
    assert REDUCING.supporting(PROPERTY_OPERATIONS).own.rtr_support == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (ReceiveBufferStructure(SHORTER), "keep their structure"),
        (DerivedStructure(), "keep their structure"),
        (RtrSupport(8), "bits of no supported operation: 0x8"),
        (RequestTransmissionReceiveLimit(0), "cannot have 0 transmissions"),
        (ReceiveBufferSize(0), "a Receive cannot have 0 octets"),
        (ResponseTransmissionSendLimit(9), "property 7 will not change"),
    ],
)
def test_a_change_that_an_end_cannot_make_is_refused(change: KnownProperty, reason: str) -> None:
    options = replace(REDUCING, fixed=frozenset({7}))

    with pytest.raises(LocalProtocolError, match=reason):
        options.require_change(change)


def test_other_changes_can_be_made() -> None:
    for change in (ReceiveBufferSize(16384), RtrSupport(0), RequestTransmissionReceiveLimit(2)):
        REDUCING.require_change(change)
