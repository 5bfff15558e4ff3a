"""One request for changes of the peer's properties, until its answer is here.

xcharext section 3.1  Receive Buffer Size (the bound while a request is pending)
xcharext section 4.2  ROPT_REQPROP: Request Modification of Properties
xcharext section 4.3  ROPT_RESPROP: Respond to Request to Modify Transport Properties
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.properties.values import Disposition, PropertyOutcome
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.properties import ReceiveBufferSize, propid_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rpcrdma.endpoint.properties.rules import PropertyRules
    from rpcrdma.wire.properties import KnownProperty, Property, PropertyNumbers

__all__ = ["PropertyRequest", "require_set"]


def require_set(values: Sequence[Property], known: PropertyNumbers) -> None:
    """Refuse what is no set of properties.

    Raises:
        LocalProtocolError: there is none, or one is there twice, or has no code.
    """
    codes = [propid_of(value, known) for value in values]
    if not codes or len(set(codes)) < len(codes):
        raise LocalProtocolError(f"not a set of properties: {codes}")


class PropertyRequest:
    """What was asked for.

    Attributes:
        wanted: the values, each property once.
        xid: of the message; None while it waits to be sent.
        receive_buffer: octets that the peer's Receives are to have; None if not asked for.
    """

    def __init__(self, wanted: Sequence[Property], rules: PropertyRules) -> None:
        self.wanted = tuple(wanted)
        self.xid: int | None = None
        self._rules = rules
        self._meanings = {propid_of(value, rules.known): rules.meaning(value) for value in wanted}
        sizes = [
            value.octets
            for value in self._meanings.values()
            if isinstance(value, ReceiveBufferSize)
        ]
        self.receive_buffer = sizes[0] if sizes else None

    def outcomes(
        self,
        done: Collection[int],
        rejected: Collection[int],
        other: Collection[int],
        values: Iterable[KnownProperty],
    ) -> tuple[PropertyOutcome, ...]:
        """What an answer says of each requested property.

        Args:
            done: positions.
            rejected: positions.
            other: codes in `optrespr_other`.
            values: those of them that are known here; of several for one the last counts (D-76).
        """
        others = {propid_of(value, self._rules.known): value for value in values}
        codes = tuple(self._meanings)
        found = self._rules.dispositions(codes, done, rejected, other)

        def value(propid: int, disposition: Disposition) -> KnownProperty | None:
            match disposition:
                case Disposition.DONE:
                    return self._meanings[propid]
                case Disposition.OTHER:
                    return others.get(propid)
                case Disposition.REJECTED:
                    return None

        return tuple(
            PropertyOutcome(propid, disposition, value(propid, disposition))
            for propid, disposition in zip(codes, found, strict=True)
        )
