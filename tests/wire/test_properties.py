"""Properties as typed objects; what is not of its type is refused, what is unknown is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies.options import properties as any_properties
from rpcrdma.errors import DecodeError, EncodeError, Reason
from rpcrdma.wire.properties import (
    DEFAULTS,
    EXPERIMENTAL_PROPIDS,
    BackwardRequestSupport,
    BackwardSupport,
    DefaultValue,
    Property,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    UnknownProperty,
    decode_property,
    encode_property,
    members,
    properties_of,
    property_values,
    propid_of,
    subset,
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


@given(st.lists(any_properties()))
def test_set_survives_encoding_and_decoding(properties: list[Property]) -> None:
    assert list(properties_of(property_values(*properties))) == properties


def test_default_stands_for_the_value_of_the_table() -> None:
    assert [DefaultValue(code).value for code in DEFAULTS] == [
        ReceiveBufferSize(4096),
        RequesterRemoteInvalidation(allowed=False),
        BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),
    ]


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
    ],
)
def test_known_property_that_is_not_its_type_is_refused(
    which: int, octets: bytes, offset: int, path: str, reason: Reason
) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_property(PropertyValue(which, octets))

    error = caught.value
    assert (error.offset, error.path, error.reason) == (offset, path, reason)


def test_value_that_xdr_cannot_express_is_refused() -> None:
    with pytest.raises(EncodeError) as caught:
        encode_property(ReceiveBufferSize(2**32))

    assert caught.value.path == "octets"


def test_bit_n_mod_32_of_word_n_div_32_names_element_n() -> None:
    assert subset({0, 5, 32, 65}) == (0x21, 1, 2)
    assert subset({0, 31}, high_bit_first=True) == (0x80000001,)
    assert subset(()) == ()


def test_words_beyond_the_last_are_empty() -> None:
    assert members((0x21, 0, 0)) == members((0x21,)) == {0, 5}


@given(st.frozensets(st.integers(0, 200)), st.booleans())
def test_subset_survives_either_order_of_bits(positions: frozenset[int], high: bool) -> None:
    assert members(subset(positions, high_bit_first=high), high_bit_first=high) == positions
