"""What an end goes by when its peer asks for a change of a property, and what it decides.

xcharext section 4.2  ROPT_REQPROP: Request Modification of Properties
xcharext section 4.3  ROPT_RESPROP: Respond to Request to Modify Transport Properties
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.properties.values import Disposition

if TYPE_CHECKING:
    from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
    from rpcrdma.endpoint.properties.values import PropertyLimits, PropertyValues
    from rpcrdma.wire.properties import KnownProperty

__all__ = ["REJECTED", "PropertyJudgement", "Standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an end stands when its peer asks for a change.

    Attributes:
        own: the values that the peer has been told.
        fixed: codes of what will not change.
        limits: how far requests are followed.
        receives: what is posted.
        may_update: whether a change that takes time can be told later.
    """

    own: PropertyValues
    fixed: frozenset[int]
    limits: PropertyLimits
    receives: ReceiveSizes
    may_update: bool


@dataclass(frozen=True, slots=True)
class PropertyJudgement:
    """What is done about one requested property.

    Attributes:
        disposition: what the answer says.
        value: the new value; None if it stays.
        later: octets of longer Receives that are posted now and told of by ROPT_UPDPROP.
    """

    disposition: Disposition
    value: KnownProperty | None = None
    later: int | None = None


REJECTED: Final = PropertyJudgement(Disposition.REJECTED)
"""The property stays as it is."""
