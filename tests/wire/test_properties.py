"""Properties as typed objects; what is not of its type is refused, what is unknown is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies.options import properties as any_properties
from rpcrdma.errors import DecodeError, EncodeError, LocalProtocolError, Reason
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire._generated_rtrext import (
    RTRS_XCONT,
    RTRS_XREQ,
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
)
from rpcrdma.wire.properties import (
    ADOPTED,
    AS_PUBLISHED,
    BASIC,
    EXPERIMENTAL_PROPIDS,
    PROPERTIES,
    XPROP_RBSTRUCT,
    BackwardRequestSupport,
    BackwardSupport,
    BufferStructure,
    DefaultValue,
    DerivedStructure,
    Property,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    UnknownProperty,
    decode_property,
    encode_property,
    known_to,
    properties_of,
    property_of,
    property_values,
    propid_of,
    structure_octets,
)


@pytest.mark.parametrize(
    ("meant", "value"),
    [
        (ReceiveBufferSize(4096), PropertyValue(1, b"\0\0\x10\0")),
        (RequesterRemoteInvalidation(allowed=True), PropertyValue(2, b"\0\0\0\1")),
        (
            BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL),
            PropertyValue(3, b"\0\0\0\2"),
        ),
        (DefaultValue(1), PropertyValue(1, b"")),
        (UnknownProperty(4, b""), PropertyValue(4, b"")),
        (
            UnknownProperty(EXPERIMENTAL_PROPIDS[0], b"abc"),
            PropertyValue(0xFFFFFF00, b"abc"),
        ),
    ],
)
def test_property_has_the_octets_of_the_document(meant: Property, value: PropertyValue) -> None:
    assert encode_property(meant) == value
    assert decode_property(value) == meant
    assert propid_of(meant) == value.pv_which


SEGMENT, PLAIN = BufferSegment(4096, 4096, XMRSFLAG_DDP), BufferSegment(1024, 0, 0)
STRUCTURE = BufferStructure(9216, (BufferSegmentGroup(2, SEGMENT), BufferSegmentGroup(1, PLAIN)))
NUMBERS = [BASIC, ADOPTED, AS_PUBLISHED]

REDUCING = [
    (RtrSupport(RTRS_XREQ | RTRS_XCONT), "00000005"),
    (
        ReceiveBufferStructure(STRUCTURE),
        "00002400 00000002 00000002 00001000 00001000 00000001 00000001 00000400 00000000 00000000",
    ),
    (RequestTransmissionReceiveLimit(8), "00000008"),
    (ResponseTransmissionSendLimit(9), "00000009"),
]
"""Values of the properties of rtrext in the order of its table 3, and their octets."""


@pytest.mark.parametrize(("known", "first"), [(ADOPTED, 4), (AS_PUBLISHED, 3)])
def test_those_that_reduce_round_trips_have_the_codes_of_the_numbering(
    known: PropertyNumbers, first: int
) -> None:
    """D-91."""
    for code, (meant, octets) in enumerate(REDUCING, first):
        value = PropertyValue(code, bytes.fromhex(octets))

        assert encode_property(meant, known) == value
        assert decode_property(value, known) == meant
        assert propid_of(meant, known) == code


def test_they_are_unknown_where_the_basic_ones_alone_are_known() -> None:
    for meant, _ in REDUCING:
        value = encode_property(meant, ADOPTED)

        assert decode_property(value) == UnknownProperty(value.pv_which, value.pv_data)
        assert not BASIC.knows(meant)
        with pytest.raises(LocalProtocolError, match=r"XPROP_\w+ is not known on this connection"):
            encode_property(meant)


def test_the_published_codes_leave_none_for_backward_request_support() -> None:
    """D-91: property 3 is RTR Support."""
    level = BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL)

    assert decode_property(encode_property(level), AS_PUBLISHED) == RtrSupport(2)
    assert [known.knows(level) for known in NUMBERS] == [True, True, False]
    with pytest.raises(LocalProtocolError, match="PROP_BRS is not known"):
        propid_of(level, AS_PUBLISHED)


@pytest.mark.parametrize(
    ("operations", "known"),
    [((), BASIC), ((1, 2, 3, 4), BASIC), ((1, 8), AS_PUBLISHED), ((5, 6), AS_PUBLISHED)],
)
def test_who_supports_an_operation_of_a_document_knows_its_properties(
    operations: tuple[int, ...], known: PropertyNumbers
) -> None:
    assert known_to(operations, AS_PUBLISHED) is known


def test_codes_are_adopted_unless_told_otherwise() -> None:
    assert known_to({5}) is ADOPTED


@pytest.mark.parametrize("known", NUMBERS)
@given(data=st.data())
def test_set_survives_encoding_and_decoding(known: PropertyNumbers, data: st.DataObject) -> None:
    properties = data.draw(st.lists(any_properties(known)))

    assert list(properties_of(property_values(*properties, known=known), known)) == properties


def test_the_defaults_are_those_of_the_tables() -> None:
    """xcharext 3, table 1; rtrext 8.1, table 3."""
    assert [one.default for one in PROPERTIES] == [
        ReceiveBufferSize(4096),
        RequesterRemoteInvalidation(allowed=False),
        BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),
        RtrSupport(0),
        DerivedStructure(),
        RequestTransmissionReceiveLimit(1),
        ResponseTransmissionSendLimit(1),
    ]
    assert all(property_of(one.default) is one for one in PROPERTIES)


def test_a_structure_that_is_derived_has_no_octets() -> None:
    """rtrext 8.1, note 1: there is no other way to say it."""
    value = encode_property(DerivedStructure(), ADOPTED)

    assert value == PropertyValue(XPROP_RBSTRUCT, b"")
    assert decode_property(value, ADOPTED) == DefaultValue(XPROP_RBSTRUCT)


def test_every_property_of_the_documents_is_in_the_table() -> None:
    constants = {**xcharext.SCHEMA.constants, **rtrext.SCHEMA.constants}
    prefixes = ("PROP_", "XPROP_")
    codes = {name: value for name, value in constants.items() if name.startswith(prefixes)}

    assert {one.constant: one.code for one in PROPERTIES} == codes
    assert all(one.contents.__name__ in one.schema.types for one in PROPERTIES)


def test_the_length_of_a_structure_is_that_of_its_segments() -> None:
    """rtrext 8.3: whatever xmrbuf_length says (D-101)."""
    assert structure_octets(STRUCTURE) == 2 * 4096 + 1024
    assert structure_octets(BufferStructure(1, STRUCTURE.xmrbuf_groups)) == 9216
    assert structure_octets(BufferStructure(9216, ())) == 0


@pytest.mark.parametrize(
    ("which", "octets", "offset", "path", "reason"),
    [
        (1, b"abc", 8, "pv_data.octets", Reason.TRUNCATED),
        (1, b"abcde", 12, "pv_data", Reason.TRAILING),
        (2, b"\0\0\0\2", 8, "pv_data.allowed", Reason.BAD_BOOLEAN),
        (2, b"\0", 8, "pv_data.allowed", Reason.TRUNCATED),
        (2, bytes(8), 12, "pv_data", Reason.TRAILING),
        (3, b"\0\0\0\3", 8, "pv_data.level", Reason.BAD_ENUM),
        (3, b"\xff\xff\xff\xff", 8, "pv_data.level", Reason.BAD_ENUM),
        (3, b"\0\0\0\1\0", 12, "pv_data", Reason.TRAILING),
        (4, b"abc", 8, "pv_data.operations", Reason.TRUNCATED),
        (5, bytes(4), 12, "pv_data.buffer.xmrbuf_groups", Reason.TRUNCATED),
        (6, bytes(8), 12, "pv_data", Reason.TRAILING),
        (7, b"abc", 8, "pv_data.transmissions", Reason.TRUNCATED),
    ],
)
def test_known_property_that_is_not_its_type_is_refused(
    which: int, octets: bytes, offset: int, path: str, reason: Reason
) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_property(PropertyValue(which, octets), ADOPTED)

    error = caught.value
    assert (error.offset, error.path, error.reason) == (offset, path, reason)


def test_value_that_xdr_cannot_express_is_refused() -> None:
    with pytest.raises(EncodeError) as caught:
        encode_property(ReceiveBufferSize(2**32))

    assert caught.value.path == "octets"
