"""What one end has told the other of itself: the values that hold because messages said so.

    xcharext section 3    defaults are assumed by those who receive no information
    v2 section 3.1        Optional Features (an operation that is not supported gets an error)

A message that the peer refuses has told it nothing, so what it said is taken back; what earlier
and later messages said still holds.  Nothing acknowledges a message that is not refused: the last
few are remembered, older ones count as understood.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.properties.values import NOTHING_TOLD, PropertyValues
from rpcrdma.wire.operations import ROPT_RESPROP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.wire.properties import KnownProperty

__all__ = ["REMEMBERED", "ToldValues"]

REMEMBERED: Final = 32
"""Messages that can still be taken back.  With one unacknowledged at a time (D-54) a refusal is
at most a few messages late."""


@dataclass(frozen=True, slots=True)
class _Told:
    """One optional message that was sent; an answer has its XID from the peer."""

    xid: int
    opttype: int
    changes: tuple[KnownProperty, ...]


class ToldValues:
    """The values of one end as far as its peer has been told of them."""

    def __init__(self) -> None:
        self._base = NOTHING_TOLD
        self._told: deque[_Told] = deque()

    @property
    def now(self) -> PropertyValues:
        """What the peer has been told and has not refused."""
        values = self._base
        for told in self._told:
            values = values.changed(*told.changes)
        return values

    @property
    def xids(self) -> frozenset[int]:
        """XIDs of remembered messages, of those that this end made."""
        return frozenset(told.xid for told in self._told if told.opttype != ROPT_RESPROP)

    def tell(self, xid: int, opttype: int, changes: Iterable[KnownProperty] = ()) -> None:
        """A message was sent that says this."""
        self._told.append(_Told(xid, opttype, tuple(changes)))
        if len(self._told) > REMEMBERED:
            self._base = self._base.changed(*self._told.popleft().changes)

    def take_back(self, xid: int) -> int | None:
        """The peer refused the message with this XID.

        Returns:
            The operation, or None if no remembered message has the XID.  Of two with one XID it is
            the one whose XID this end chose.
        """
        refused = sorted(
            (told for told in self._told if told.xid == xid),
            key=lambda told: told.opttype == ROPT_RESPROP,
        )
        if not refused:
            return None
        first = refused[0]
        # What the peer asked for was done, even if it does not understand the answer.
        if first.opttype != ROPT_RESPROP:
            self._told.remove(first)
        return first.opttype
