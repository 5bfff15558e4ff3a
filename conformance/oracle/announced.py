"""What an end has told of the round-trip reductions: by it its peer sends, and is judged.

    rtrext section 8    Transport Properties (table 3: what holds for an end that told nothing)
    rtrext section 8.3  Receive Buffer Structure Property (with the Receive Buffer Size, D-101)

Of the tester this says what it announces; of a device what its CONNPROP and UPDPROPs said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.sizes import THRESHOLD_TWO
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.properties import (
    ADOPTED,
    DefaultValue,
    DerivedStructure,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    properties_of,
    property_values,
    structure_octets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.wire.properties import (
        BufferStructure,
        Property,
        PropertyNumbers,
        PropertyValue,
    )

__all__ = ["NOTHING_TOLD", "Announced", "announced_in"]


@dataclass(frozen=True, slots=True)
class Announced:
    """The properties of one end that its peer's groups go by.

    Attributes:
        support: RTR Support.
        structure: of its Receives; None: one segment that is no target.
        octets: the Receive Buffer Size; None if it has told none.
        request_limit: transmissions of the longest request that it takes.
        response_limit: transmissions of the longest response that it sends.
    """

    support: int = 0
    structure: BufferStructure | None = None
    octets: int | None = None
    request_limit: int = 1
    response_limit: int = 1

    @property
    def layout(self) -> BufferLayout:
        """How its buffers are laid out, by all that it has told."""
        octets = self.octets
        if octets is None:
            # rtrext 8.3: a size that was not told follows from the structure.
            octets = THRESHOLD_TWO if self.structure is None else structure_octets(self.structure)
        return BufferLayout.of(self.structure, octets)

    def takes(self, operation: int) -> bool:
        """Whether it has told that it understands the operation with this opttype (D-107)."""
        return bool(self.support & BY_CODE[operation].support_bit)

    def values(self, known: PropertyNumbers = ADOPTED) -> tuple[PropertyValue, ...]:
        """A propvalset that says all of it; what was not told is left out.

        Args:
            known: the properties that its reader knows, and their codes (D-91).
        """
        told: list[Property] = [
            RtrSupport(self.support),
            RequestTransmissionReceiveLimit(self.request_limit),
            ResponseTransmissionSendLimit(self.response_limit),
        ]
        if self.octets is not None:
            told.append(ReceiveBufferSize(self.octets))
        if self.structure is not None:
            told.append(ReceiveBufferStructure(self.structure))
        return property_values(*told, known=known)


NOTHING_TOLD: Final = Announced()
"""An end that has said nothing."""


def announced_in(
    values: Iterable[PropertyValue],
    before: Announced = NOTHING_TOLD,
    known: PropertyNumbers = ADOPTED,
) -> Announced:
    """What an end has told, by the values of one more CONNPROP or UPDPROP.

    Args:
        values: what came; a value without octets is the default (xcharext 2.1), and others than
            those of an `Announced` are passed over.
        before: what it had told until then.
        known: the properties, and their codes (D-91).

    Raises:
        DecodeError: a value is not of its property's type.
    """
    told = before
    for value in properties_of(values, known):
        if isinstance(value, DefaultValue):
            told = _with(told, known.by_code[value.propid].default)
        else:
            told = _with(told, value)
    return told


def _with(told: Announced, value: Property) -> Announced:
    match value:
        case ReceiveBufferSize(octets=octets):
            return replace(told, octets=octets)
        case RtrSupport(operations=support):
            return replace(told, support=support)
        case ReceiveBufferStructure(buffer=structure):
            return replace(told, structure=structure)
        case DerivedStructure():
            return replace(told, structure=None)
        case RequestTransmissionReceiveLimit(transmissions=limit):
            return replace(told, request_limit=limit)
        case ResponseTransmissionSendLimit(transmissions=limit):
            return replace(told, response_limit=limit)
        case _:
            return told
