"""Transport properties as typed objects, and the bit masks that name some of a set.

    xcharext section 2.1  Property Model
    xcharext section 3    Basic Transport Properties (table 1: codes, types, defaults)
    xcharext section 6.2  Experimental Properties

A `PropertyValue` is what a message carries; `decode_property` says what it means.  A property
that is not known here stays as it came, and is no fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire._generated_xcharext import (
    PROP_BRS,
    PROP_RBSIZ,
    PROP_REQREMINV,
    BackwardRequestSupport,
    BackwardSupport,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    decode_backward_request_support,
    decode_receive_buffer_size,
    decode_requester_remote_invalidation,
    encode_backward_request_support,
    encode_receive_buffer_size,
    encode_requester_remote_invalidation,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rpcrdma.xdr.runtime import Buffer

__all__ = [
    "DEFAULTS",
    "EXPERIMENTAL_PROPIDS",
    "PROP_BRS",
    "PROP_RBSIZ",
    "PROP_REQREMINV",
    "BackwardRequestSupport",
    "BackwardSupport",
    "DefaultValue",
    "KnownProperty",
    "Property",
    "PropertyValue",
    "ReceiveBufferSize",
    "RequesterRemoteInvalidation",
    "UnknownProperty",
    "decode_property",
    "encode_property",
    "members",
    "properties_of",
    "property_values",
    "propid_of",
    "subset",
]

KnownProperty = ReceiveBufferSize | RequesterRemoteInvalidation | BackwardRequestSupport
"""A value of one of the basic properties."""

EXPERIMENTAL_PROPIDS: Final = range(4294967040, 4294967296)
"""xcharext 6.2: never assigned, for trials between ends that know of each other."""

DEFAULTS: Final[Mapping[int, KnownProperty]] = {
    PROP_RBSIZ: ReceiveBufferSize(4096),
    PROP_REQREMINV: RequesterRemoteInvalidation(allowed=False),
    PROP_BRS: BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),
}
"""xcharext 3, table 1: what holds for a peer that has said nothing."""

_DECODERS: Final[Mapping[int, Callable[[Buffer], tuple[KnownProperty, int]]]] = {
    PROP_RBSIZ: decode_receive_buffer_size,
    PROP_REQREMINV: decode_requester_remote_invalidation,
    PROP_BRS: decode_backward_request_support,
}
_DATA: Final = 8
"""Where the contents of pv_data begin in a propval, after pv_which and their length."""

_WORD_BITS: Final = 32


@dataclass(frozen=True, slots=True)
class DefaultValue:
    """A known property without a value of its own: zero octets of pv_data."""

    propid: int

    @property
    def value(self) -> KnownProperty:
        """What it stands for."""
        return DEFAULTS[self.propid]


@dataclass(frozen=True, slots=True)
class UnknownProperty:
    """A property that is not among the basic ones, with its octets as they are."""

    propid: int
    octets: bytes


Property = KnownProperty | DefaultValue | UnknownProperty
"""What a propval says."""


def decode_property(value: PropertyValue) -> Property:
    """What a propval says.

    Raises:
        DecodeError: the property is known and its octets are not exactly one item of its type;
            offsets and path begin at the propval.
    """
    decode = _DECODERS.get(value.pv_which)
    if decode is None:
        return UnknownProperty(value.pv_which, value.pv_data)
    if not value.pv_data:
        return DefaultValue(value.pv_which)
    try:
        decoded, end = decode(value.pv_data)
    except DecodeError as error:
        place, path = _DATA + error.offset, f"pv_data.{error.path}"
        raise DecodeError(place, path, error.reason, error.detail) from None
    if left := len(value.pv_data) - end:
        raise DecodeError(_DATA + end, "pv_data", Reason.TRAILING, f"{left} octets")
    return decoded


def encode_property(value: Property) -> PropertyValue:
    """The propval that says it.

    Raises:
        EncodeError: the value is not of the property's type.
    """
    match value:
        case ReceiveBufferSize():
            return PropertyValue(PROP_RBSIZ, encode_receive_buffer_size(value))
        case RequesterRemoteInvalidation():
            return PropertyValue(PROP_REQREMINV, encode_requester_remote_invalidation(value))
        case BackwardRequestSupport():
            return PropertyValue(PROP_BRS, encode_backward_request_support(value))
        case DefaultValue(propid=propid):
            return PropertyValue(propid, b"")
        case UnknownProperty(propid=propid, octets=octets):
            return PropertyValue(propid, octets)


def propid_of(value: Property) -> int:
    """The code of the property that a value belongs to."""
    match value:
        case ReceiveBufferSize():
            return PROP_RBSIZ
        case RequesterRemoteInvalidation():
            return PROP_REQREMINV
        case BackwardRequestSupport():
            return PROP_BRS
        case DefaultValue(propid=propid) | UnknownProperty(propid=propid):
            return propid


def property_values(*properties: Property) -> tuple[PropertyValue, ...]:
    """A propvalset that says these, in this order."""
    return tuple(encode_property(item) for item in properties)


def properties_of(values: Iterable[PropertyValue]) -> tuple[Property, ...]:
    """What the elements of a propvalset say.

    Raises:
        DecodeError: as of `decode_property`.
    """
    return tuple(decode_property(value) for value in values)


def subset(positions: Iterable[int], *, high_bit_first: bool = False) -> tuple[int, ...]:
    """The propvalsubset of these positions, without words of zeroes at its end.

    Args:
        positions: of elements of a propvalset, from 0 on.
        high_bit_first: bit 0 is the highest of a word (D-73); otherwise it is the lowest.
    """
    words: list[int] = []
    for position in positions:
        number, bit = divmod(position, _WORD_BITS)
        words.extend([0] * (number + 1 - len(words)))
        words[number] |= 1 << (_WORD_BITS - 1 - bit if high_bit_first else bit)
    return tuple(words)


def members(words: Iterable[int], *, high_bit_first: bool = False) -> frozenset[int]:
    """The positions that a propvalsubset names; those beyond its last word are not in it."""
    return frozenset(
        number * _WORD_BITS + (_WORD_BITS - 1 - bit if high_bit_first else bit)
        for number, word in enumerate(words)
        for bit in range(_WORD_BITS)
        if word >> bit & 1
    )
