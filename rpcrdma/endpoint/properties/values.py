"""The transport properties of one end of a connection, and how it deals with them.

    xcharext section 3    Basic Transport Properties (table 1)
    xcharext section 4    New Operations (what support of one demands)
    xcharext section 4.3  ROPT_RESPROP: what can become of a request

Values only: what is sent, and when, is the business of `rpcrdma.endpoint.properties.exchange`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.operations import BY_NAME, ROPT_CONNPROP, XCHAREXT, operations_of
from rpcrdma.wire.properties import (
    DEFAULTS,
    BackwardRequestSupport,
    BackwardSupport,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
)

if TYPE_CHECKING:
    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.properties import KnownProperty

__all__ = [
    "DEFAULT_RECEIVE_BUFFER",
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
    """The basic properties of one end; the defaults are those of table 1.

    Attributes:
        receive_buffer: octets that every Receive of this end takes at least (xcharext 3.1).
        remote_invalidation: whether replies to this end may invalidate its memory (xcharext 3.2).
        backward: which backward messages this end takes (xcharext 3.3, D-75).
    """

    receive_buffer: int = DEFAULT_RECEIVE_BUFFER
    remote_invalidation: bool = False
    backward: BackwardSupport = BackwardSupport.BKREQSUP_INLINE

    def properties(self) -> tuple[KnownProperty, ...]:
        """Every property, in the order of the table."""
        return (
            ReceiveBufferSize(self.receive_buffer),
            RequesterRemoteInvalidation(self.remote_invalidation),
            BackwardRequestSupport(self.backward),
        )

    def changed(self, *properties: KnownProperty) -> PropertyValues:
        """These values with some replaced; of several for one property the last counts (D-76)."""
        values = self
        for item in properties:
            match item:
                case ReceiveBufferSize(octets=octets):
                    values = replace(values, receive_buffer=octets)
                case RequesterRemoteInvalidation(allowed=allowed):
                    values = replace(values, remote_invalidation=allowed)
                case BackwardRequestSupport(level=level):
                    values = replace(values, backward=level)
        return values


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
    """

    own: PropertyValues = field(default_factory=PropertyValues)
    announced: bool = True
    fixed: frozenset[int] = frozenset()
    operations: frozenset[int] = PROPERTY_OPERATIONS
    limits: PropertyLimits = field(default_factory=PropertyLimits)
    high_bit_first: bool = False

    def supporting(self, operations: frozenset[int]) -> PropertyOptions:
        """The same with these operations alone."""
        announced = self.announced and ROPT_CONNPROP in operations
        return replace(self, operations=operations, announced=announced)

    def without_invalidation(self) -> PropertyOptions:
        """The same of an end whose memory the peer cannot invalidate: neither told nor granted."""
        own = self.own.changed(RequesterRemoteInvalidation(allowed=False))
        limits = replace(self.limits, remote_invalidation=False)
        return replace(self, own=own, limits=limits)

    def __post_init__(self) -> None:
        """Refuse what the document rules out or a message cannot say."""
        for operation in operations_of(XCHAREXT):
            for needed in operation.needs:
                self._require(operation, BY_NAME[needed])
        if self.announced and ROPT_CONNPROP not in self.operations:
            raise LocalProtocolError("properties cannot be announced without ROPT_CONNPROP")
        if not 1 <= self.own.receive_buffer <= _WORD_MAXIMUM:
            raise LocalProtocolError(f"a Receive cannot have {self.own.receive_buffer} octets")
        unknown = sorted(self.fixed - DEFAULTS.keys())
        if unknown:
            raise LocalProtocolError(f"properties without a value cannot be fixed: {unknown}")

    def _require(self, operation: OptionalOperation, needed: OptionalOperation) -> None:
        """Refuse an operation without another that it needs (xcharext 4, after table 2)."""
        if operation.code in self.operations and needed.code not in self.operations:
            raise LocalProtocolError(f"operation {operation.name} needs operation {needed.name}")


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
