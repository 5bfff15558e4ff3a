"""The transport properties of one end of a connection, and how it deals with them.

    xcharext section 3    Basic Transport Properties (table 1)
    rtrext section 8      Transport Properties (table 3)
    xcharext section 4    New Operations (what support of one demands)
    xcharext section 4.3  ROPT_RESPROP: what can become of a request

Values only: what is sent, and when, is the business of `rpcrdma.endpoint.properties.exchange`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.operations import (
    BY_NAME,
    OPERATIONS,
    ROPT_CONNPROP,
    ROPT_XMTCONT,
    XCHAREXT,
    among,
    operations_of,
)
from rpcrdma.wire.properties import (
    ADOPTED,
    BASIC,
    BackwardRequestSupport,
    BackwardSupport,
    DerivedStructure,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    known_to,
    propid_of,
    structure_octets,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.properties import BufferStructure, KnownProperty, PropertyNumbers

__all__ = [
    "DEFAULT_RECEIVE_BUFFER",
    "NOTHING_TOLD",
    "PROPERTY_OPERATIONS",
    "Disposition",
    "PropertyLimits",
    "PropertyOptions",
    "PropertyOutcome",
    "PropertyValues",
]

DEFAULT_RECEIVE_BUFFER: Final = 4096
"""Octets that a peer assumes which was told nothing (xcharext 3, table 1)."""

PROPERTY_OPERATIONS: Final = frozenset(one.code for one in operations_of(XCHAREXT))
"""Every operation of the transport properties, by opttype."""

_WORD_MAXIMUM: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class PropertyValues:
    """The properties of one end; the defaults are those of the tables.

    Attributes:
        receive_buffer: octets that every Receive of this end takes at least (xcharext 3.1).
        remote_invalidation: whether replies to this end may invalidate its memory (xcharext 3.2).
        backward: which backward messages this end takes (xcharext 3.3, D-75).
        rtr_support: bits of the operations that this end understands (rtrext 8.2, D-107).
        buffer_structure: of every Receive of this end; None is one segment, which is no target
            (rtrext 8.3).
        request_limit: Sends of the longest request that this end accepts (rtrext 8.4).
        response_limit: Sends of the longest response that this end makes (rtrext 8.5).
        is_size_told: whether the size is the end's own word; otherwise it follows from the
            structure (rtrext 8.3).
    """

    receive_buffer: int = DEFAULT_RECEIVE_BUFFER
    remote_invalidation: bool = False
    backward: BackwardSupport = BackwardSupport.BKREQSUP_INLINE
    rtr_support: int = 0
    buffer_structure: BufferStructure | None = None
    request_limit: int = 1
    response_limit: int = 1
    is_size_told: bool = field(default=True, compare=False)

    @property
    def longest_send(self) -> int:
        """Octets of the longest Send that this end takes, by whatever it said of it (D-101)."""
        return min(self.receive_buffer, self.longest_structured)

    @property
    def longest_structured(self) -> int:
        """Octets that the structure has room for; one that is derived bounds nothing."""
        if self.buffer_structure is None:
            return _WORD_MAXIMUM
        return structure_octets(self.buffer_structure)

    def properties(self, known: PropertyNumbers = BASIC) -> tuple[KnownProperty, ...]:
        """Every property that is known, in the order of the tables."""
        structure = self.buffer_structure
        values = (
            ReceiveBufferSize(self.receive_buffer),
            RequesterRemoteInvalidation(self.remote_invalidation),
            BackwardRequestSupport(self.backward),
            RtrSupport(self.rtr_support),
            DerivedStructure() if structure is None else ReceiveBufferStructure(structure),
            RequestTransmissionReceiveLimit(self.request_limit),
            ResponseTransmissionSendLimit(self.response_limit),
        )
        return tuple(value for value in values if known.knows(value))

    def changed(self, *properties: KnownProperty) -> PropertyValues:
        """These values with some replaced; of several for one property the last counts (D-76)."""
        values = self
        for item in properties:
            match item:
                case ReceiveBufferSize(octets=octets):
                    values = replace(values, receive_buffer=octets, is_size_told=True)
                case RequesterRemoteInvalidation(allowed=allowed):
                    values = replace(values, remote_invalidation=allowed)
                case BackwardRequestSupport(level=level):
                    values = replace(values, backward=level)
                case RtrSupport(operations=operations):
                    values = replace(values, rtr_support=operations)
                case ReceiveBufferStructure(buffer=structure):
                    values = _with_structure(values, structure)
                case DerivedStructure():
                    values = _with_structure(values, None)
                case RequestTransmissionReceiveLimit(transmissions=count):
                    values = replace(values, request_limit=count)
                case ResponseTransmissionSendLimit(transmissions=count):
                    values = replace(values, response_limit=count)
        return values


NOTHING_TOLD: Final = PropertyValues(is_size_told=False)
"""What holds for an end as long as it has said nothing."""


def _with_structure(values: PropertyValues, structure: BufferStructure | None) -> PropertyValues:
    """With another structure, from which the size follows if none was told (rtrext 8.3)."""
    size = values.receive_buffer
    if not values.is_size_told:
        size = DEFAULT_RECEIVE_BUFFER if structure is None else structure_octets(structure)
    return replace(values, buffer_structure=structure, receive_buffer=size)


@dataclass(frozen=True, slots=True)
class PropertyLimits:
    """How far an end follows its peer's requests.

    Attributes:
        smallest_receive_buffer: octets below which Receives are not made shorter.
        largest_receive_buffer: octets beyond which they are not made longer.
        remote_invalidation: whether it may be allowed on request.
        backward: the highest level that is granted on request.
    """

    smallest_receive_buffer: int = 1024
    largest_receive_buffer: int = 65536
    remote_invalidation: bool = False
    backward: BackwardSupport = BackwardSupport.BKREQSUP_INLINE


@dataclass(frozen=True, slots=True)
class PropertyOptions:
    """How one end deals with transport properties.

    Attributes:
        own: its values from the start of a connection.
        announced: whether it tells them by ROPT_CONNPROP.
        fixed: codes of the properties that it will not change (opticonnpr_nochg, D-72).
        operations: opttypes that it supports; all others get RDMA2_ERR_INVAL_OPTION.
        limits: how far it follows its peer's requests.
        high_bit_first: whether bit 0 of a subset's word is the highest (D-73).
        numbers: the codes of properties, at an end that supports an operation of rtrext (D-91).
    """

    own: PropertyValues = field(default_factory=PropertyValues)
    announced: bool = True
    fixed: frozenset[int] = frozenset()
    operations: frozenset[int] = PROPERTY_OPERATIONS
    limits: PropertyLimits = field(default_factory=PropertyLimits)
    high_bit_first: bool = False
    numbers: PropertyNumbers = ADOPTED

    @property
    def known(self) -> PropertyNumbers:
        """The properties that the end knows."""
        return known_to(self.operations, self.numbers)

    def supporting(self, operations: frozenset[int]) -> PropertyOptions:
        """The same with these operations alone."""
        announced = self.announced and ROPT_CONNPROP in operations
        understood = self.own.rtr_support & _support_bits(operations)
        longest = self.own.response_limit if ROPT_XMTCONT in operations else 1
        own = replace(self.own, rtr_support=understood, response_limit=longest)
        return replace(self, own=own, operations=operations, announced=announced)

    def without_invalidation(self) -> PropertyOptions:
        """The same of an end whose memory the peer cannot invalidate: neither told nor granted."""
        own = self.own.changed(RequesterRemoteInvalidation(allowed=False))
        limits = replace(self.limits, remote_invalidation=False)
        return replace(self, own=own, limits=limits)

    def require_change(self, change: KnownProperty) -> None:
        """Refuse a change of an own property that this end cannot make, or said it will not make.

        Raises:
            LocalProtocolError: it is one; the message says which.
        """
        propid = propid_of(change, self.known)
        if propid in self.fixed:
            raise LocalProtocolError(f"property {propid} will not change")
        if isinstance(change, ReceiveBufferStructure | DerivedStructure):
            raise LocalProtocolError("Receives keep their structure as long as a connection lasts")
        self._require_possible(self.own.changed(change))

    def __post_init__(self) -> None:
        """Refuse what the documents rule out or a message cannot say."""
        for operation in OPERATIONS:
            for needed in operation.needs:
                self._require(operation, BY_NAME[needed])
        if self.announced and ROPT_CONNPROP not in self.operations:
            raise LocalProtocolError("properties cannot be announced without ROPT_CONNPROP")
        self._require_possible(self.own)
        self._require_structure()
        unknown = sorted(self.fixed - self.known.by_code.keys())
        if unknown:
            raise LocalProtocolError(f"properties without a value cannot be fixed: {unknown}")

    def _require_possible(self, own: PropertyValues) -> None:
        """Refuse values that no end of this kind can have."""
        if not 1 <= own.receive_buffer <= _WORD_MAXIMUM:
            raise LocalProtocolError(f"a Receive cannot have {own.receive_buffer} octets")
        for count in (own.request_limit, own.response_limit):
            if not 1 <= count <= _WORD_MAXIMUM:
                raise LocalProtocolError(f"a message cannot have {count} transmissions")
        if untrue := own.rtr_support & ~_support_bits(self.operations):
            raise LocalProtocolError(f"RTR Support has bits of no supported operation: {untrue:#x}")

    def _require_structure(self) -> None:
        """Refuse a structure that is not that of the Receives (D-101)."""
        structure = self.own.buffer_structure
        if structure is None:
            return
        lengths = structure.xmrbuf_length, structure_octets(structure), self.own.receive_buffer
        if len(set(lengths)) > 1:
            said, there_are, size = lengths
            raise LocalProtocolError(
                f"the structure of Receives says {said} octets, its segments have {there_are}, and"
                f" the receive buffer size is {size}"
            )

    def _require(self, operation: OptionalOperation, needed: OptionalOperation) -> None:
        """Refuse an operation without another that it needs (xcharext 4, after table 2)."""
        if operation.code in self.operations and needed.code not in self.operations:
            raise LocalProtocolError(f"operation {operation.name} needs operation {needed.name}")


def _support_bits(operations: Collection[int]) -> int:
    """RTR Support of an end that tells of all that it supports (rtrext 8.2)."""
    return sum(one.support_bit for one in among(operations).values())


class Disposition(Enum):
    """What became of one requested change (xcharext 4.3)."""

    DONE = "changed as requested"
    REJECTED = "not changed"
    OTHER = "changed to another value"


@dataclass(frozen=True, slots=True)
class PropertyOutcome:
    """The peer's answer about one property.

    Attributes:
        propid: its code.
        disposition: what became of the request.
        value: the peer's new value; None if it has none or the property is not known here.
    """

    propid: int
    disposition: Disposition
    value: KnownProperty | None = None
