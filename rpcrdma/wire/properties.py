"""Transport properties: one table, which everything else reads, and its values as typed objects.

    xcharext section 2.1  Property Model
    xcharext section 3    Basic Transport Properties (table 1: codes, types, defaults)
    xcharext section 6.2  Experimental Properties
    rtrext section 8      Transport Properties (table 3: codes, types, defaults; D-91, D-114)

An extension that adds properties adds rows here and nowhere else.  `PropertyNumbers` says which of
them an end knows, and by which codes.  A `PropertyValue` is what a message carries;
`decode_property` says what it means.  A property that is not known stays as it came, and is no
fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire._generated_rtrext import (
    XPROP_RBSTRUCT,
    XPROP_REQRXLIM,
    XPROP_RESPSXLIM,
    XPROP_RTRSUPP,
    BufferStructure,
    ReceiveBufferStructure,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
)
from rpcrdma.wire._generated_xcharext import (
    PROP_BRS,
    PROP_RBSIZ,
    PROP_REQREMINV,
    BackwardRequestSupport,
    BackwardSupport,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
)
from rpcrdma.wire.operations import RTREXT, XCHAREXT, among

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from rpcrdma.xdr import model
    from rpcrdma.xdr.runtime import Buffer

__all__ = [
    "ADOPTED",
    "AS_PUBLISHED",
    "BASIC",
    "EXPERIMENTAL_PROPIDS",
    "PROPERTIES",
    "PROP_BRS",
    "PROP_RBSIZ",
    "PROP_REQREMINV",
    "XPROP_RBSTRUCT",
    "XPROP_REQRXLIM",
    "XPROP_RESPSXLIM",
    "XPROP_RTRSUPP",
    "BackwardRequestSupport",
    "BackwardSupport",
    "BufferStructure",
    "DefaultValue",
    "DerivedStructure",
    "KnownProperty",
    "Property",
    "PropertyNumbers",
    "PropertyValue",
    "ReceiveBufferSize",
    "ReceiveBufferStructure",
    "RequestTransmissionReceiveLimit",
    "RequesterRemoteInvalidation",
    "ResponseTransmissionSendLimit",
    "RtrSupport",
    "TransportProperty",
    "UnknownProperty",
    "decode_property",
    "encode_property",
    "known_to",
    "properties_of",
    "property_of",
    "property_values",
    "propid_of",
    "structure_octets",
]


@dataclass(frozen=True, slots=True)
class DerivedStructure:
    """A Receive Buffer Structure without a value of its own (rtrext 8.1, note 1, and 8.3).

    It is one segment, which is no target and promises no alignment; its length is the Receive
    Buffer Size.  Zero octets of pv_data are its only encoding.
    """


KnownProperty = (
    ReceiveBufferSize
    | RequesterRemoteInvalidation
    | BackwardRequestSupport
    | RtrSupport
    | ReceiveBufferStructure
    | DerivedStructure
    | RequestTransmissionReceiveLimit
    | ResponseTransmissionSendLimit
)
"""A value of a property of the table."""

EXPERIMENTAL_PROPIDS: Final = range(4294967040, 4294967296)
"""xcharext 6.2: never assigned, for trials between ends that know of each other."""

_DATA: Final = 8
"""Where the contents of pv_data begin in a propval, after pv_which and their length."""


@dataclass(frozen=True, slots=True, eq=False)
class TransportProperty:
    """One property.

    Attributes:
        code: pv_which, as it is adopted here (D-91).
        published: pv_which by the word of the property's own document.
        constant: the document's name of the code.
        contents: class of what pv_data holds.
        decode: contents out of octets, and where they end.
        encode: the octets of contents.
        default: what holds for a peer that has said nothing.
        schema: the types of the document.
        document: its short name.
        section: where it describes the property.
    """

    code: int
    published: int
    constant: str
    contents: type[KnownProperty]
    decode: Callable[[Buffer], tuple[KnownProperty, int]]
    encode: Callable[[Any], bytes]
    default: KnownProperty
    schema: model.Schema
    document: str
    section: str


PROPERTIES: Final = (
    TransportProperty(
        code=PROP_RBSIZ,
        published=1,
        constant="PROP_RBSIZ",
        contents=ReceiveBufferSize,
        decode=xcharext.decode_receive_buffer_size,
        encode=xcharext.encode_receive_buffer_size,
        default=ReceiveBufferSize(4096),
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="3.1",
    ),
    TransportProperty(
        code=PROP_REQREMINV,
        published=2,
        constant="PROP_REQREMINV",
        contents=RequesterRemoteInvalidation,
        decode=xcharext.decode_requester_remote_invalidation,
        encode=xcharext.encode_requester_remote_invalidation,
        default=RequesterRemoteInvalidation(allowed=False),
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="3.2",
    ),
    TransportProperty(
        code=PROP_BRS,
        published=3,
        constant="PROP_BRS",
        contents=BackwardRequestSupport,
        decode=xcharext.decode_backward_request_support,
        encode=xcharext.encode_backward_request_support,
        default=BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),
        schema=xcharext.SCHEMA,
        document=XCHAREXT,
        section="3.3",
    ),
    TransportProperty(
        code=XPROP_RTRSUPP,
        published=3,
        constant="XPROP_RTRSUPP",
        contents=RtrSupport,
        decode=rtrext.decode_rtr_support,
        encode=rtrext.encode_rtr_support,
        default=RtrSupport(0),
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="8.2",
    ),
    TransportProperty(
        code=XPROP_RBSTRUCT,
        published=4,
        constant="XPROP_RBSTRUCT",
        contents=ReceiveBufferStructure,
        decode=rtrext.decode_receive_buffer_structure,
        encode=rtrext.encode_receive_buffer_structure,
        default=DerivedStructure(),  # no fixed value
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="8.3",
    ),
    TransportProperty(
        code=XPROP_REQRXLIM,
        published=5,
        constant="XPROP_REQRXLIM",
        contents=RequestTransmissionReceiveLimit,
        decode=rtrext.decode_request_transmission_receive_limit,
        encode=rtrext.encode_request_transmission_receive_limit,
        default=RequestTransmissionReceiveLimit(1),
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="8.4",
    ),
    TransportProperty(
        code=XPROP_RESPSXLIM,
        published=6,
        constant="XPROP_RESPSXLIM",
        contents=ResponseTransmissionSendLimit,
        decode=rtrext.decode_response_transmission_send_limit,
        encode=rtrext.encode_response_transmission_send_limit,
        default=ResponseTransmissionSendLimit(1),
        schema=rtrext.SCHEMA,
        document=RTREXT,
        section="8.5",
    ),
)
"""Every property that any document defines, by code."""

_BY_CONTENTS: Final[Mapping[type[KnownProperty], TransportProperty]] = {
    kind: one for one in PROPERTIES for kind in (one.contents, type(one.default))
}


def property_of(value: KnownProperty) -> TransportProperty:
    """The property that a value belongs to."""
    return _BY_CONTENTS[type(value)]


@dataclass(frozen=True, slots=True, eq=False)
class PropertyNumbers:
    """The properties that an end knows, and the codes that they have on its connections.

    Attributes:
        by_code: the properties by pv_which; a property under any other code is unknown.
    """

    by_code: Mapping[int, TransportProperty]

    def knows(self, value: KnownProperty) -> bool:
        """Whether the property of a value has a code."""
        return property_of(value) in self.by_code.values()


BASIC: Final = PropertyNumbers({one.code: one for one in PROPERTIES if one.document == XCHAREXT})
"""What every end knows: the basic properties (xcharext 3)."""

ADOPTED: Final = PropertyNumbers({one.code: one for one in PROPERTIES})
"""What an end knows that supports an operation of rtrext, under the codes of D-91."""

# Where two documents have the same code the later one's property has it: nobody who numbers so has
# the other one.
AS_PUBLISHED: Final = PropertyNumbers({one.published: one for one in PROPERTIES})
"""The same under the codes of rtrext 8.1, table 3: property 3 is RTR Support, and there is no
Backward Request Support (D-91)."""


def known_to(operations: Collection[int], numbers: PropertyNumbers = ADOPTED) -> PropertyNumbers:
    """The properties that an end knows which supports these operations.

    Args:
        operations: by opttype.
        numbers: those of an end that supports an operation of rtrext (D-91).
    """
    reduces = any(one.document == RTREXT for one in among(operations).values())
    return numbers if reduces else BASIC


@dataclass(frozen=True, slots=True)
class DefaultValue:
    """A known property without a value of its own: zero octets of pv_data."""

    propid: int


@dataclass(frozen=True, slots=True)
class UnknownProperty:
    """A property that is not known here, with its octets as they are."""

    propid: int
    octets: bytes


Property = KnownProperty | DefaultValue | UnknownProperty
"""What a propval says."""


def decode_property(value: PropertyValue, known: PropertyNumbers = BASIC) -> Property:
    """What a propval says.

    Raises:
        DecodeError: the property is known and its octets are not exactly one item of its type;
            offsets and path begin at the propval.
    """
    found = known.by_code.get(value.pv_which)
    if found is None:
        return UnknownProperty(value.pv_which, value.pv_data)
    if not value.pv_data:
        return DefaultValue(value.pv_which)
    try:
        decoded, end = found.decode(value.pv_data)
    except DecodeError as error:
        place, path = _DATA + error.offset, f"pv_data.{error.path}"
        raise DecodeError(place, path, error.reason, error.detail) from None
    if left := len(value.pv_data) - end:
        raise DecodeError(_DATA + end, "pv_data", Reason.TRAILING, f"{left} octets")
    return decoded


def encode_property(value: Property, known: PropertyNumbers = BASIC) -> PropertyValue:
    """The propval that says it.

    Raises:
        EncodeError: the value is not of the property's type.
        LocalProtocolError: the property has no code.
    """
    propid = propid_of(value, known)
    match value:
        case DefaultValue() | DerivedStructure():
            return PropertyValue(propid, b"")
        case UnknownProperty(octets=octets):
            return PropertyValue(propid, octets)
        case _:
            return PropertyValue(propid, property_of(value).encode(value))


def propid_of(value: Property, known: PropertyNumbers = BASIC) -> int:
    """The code of the property that a value belongs to.

    Raises:
        LocalProtocolError: the property has none.
    """
    if isinstance(value, DefaultValue | UnknownProperty):
        return value.propid
    found = property_of(value)
    for code, one in known.by_code.items():
        if one is found:
            return code
    raise LocalProtocolError(f"property {found.constant} is not known on this connection")


def property_values(
    *properties: Property, known: PropertyNumbers = BASIC
) -> tuple[PropertyValue, ...]:
    """A propvalset that says these, in this order.  Raises as `encode_property`."""
    return tuple(encode_property(item, known) for item in properties)


def properties_of(
    values: Iterable[PropertyValue], known: PropertyNumbers = BASIC
) -> tuple[Property, ...]:
    """What the elements of a propvalset say.

    Raises:
        DecodeError: as of `decode_property`.
    """
    return tuple(decode_property(value, known) for value in values)


def structure_octets(structure: BufferStructure) -> int:
    """Octets of a Receive by its segments, whatever xmrbuf_length says (rtrext 8.3, D-101)."""
    return sum(
        group.xmrgrp_count * group.xmrgrp_info.xmrseg_length for group in structure.xmrbuf_groups
    )
