"""What an application wants done about transport properties, until the connection can do it.

    xcharext section 4.2  ROPT_REQPROP: Request Modification of Properties
    xcharext section 4.4  ROPT_UPDPROP: Update Transport Properties

Whoever runs an endpoint puts wishes here at any time; they are fulfilled, in their order, after
whatever the endpoint does next.  A request waits for the one before it to be answered.  A wish that
the rules do not allow (to ask for what the peer left out, to change what was said to stay) ends
there: it is the rules' word, not a fault.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire.properties import UnknownProperty

if TYPE_CHECKING:
    from rpcrdma.endpoint.properties.exchange import Outgoing, PropertyExchange
    from rpcrdma.wire.properties import DefaultValue, KnownProperty, Property

__all__ = ["PropertyWishes"]


@dataclass(frozen=True, slots=True)
class _Asked:
    values: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class _Changed:
    values: tuple[KnownProperty | DefaultValue, ...]


class PropertyWishes:
    """Wishes for one connection after the other; those of a connection that is lost go on.

    Attributes:
        denied: what the rules did not allow.
    """

    def __init__(self) -> None:
        self.denied: list[Property] = []
        self._waiting: deque[_Asked | _Changed] = deque()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def ask(self, *wanted: Property) -> None:
        """Have the peer asked for these values."""
        self._waiting.append(_Asked(wanted))

    def change(self, *values: Property) -> None:
        """Have own properties changed; an unknown one cannot be."""
        known = tuple(value for value in values if not isinstance(value, UnknownProperty))
        self._waiting.append(_Changed(known))

    def fulfil(self, exchange: PropertyExchange) -> list[Outgoing]:
        """Do what can be done now; Version Two is agreed."""
        outgoing: list[Outgoing] = []
        while self._waiting:
            wish = self._waiting[0]
            if isinstance(wish, _Asked) and exchange.is_pending:
                break
            self._waiting.popleft()
            try:
                outgoing += _do(wish, exchange)
            except LocalProtocolError:
                self.denied += wish.values
        return outgoing


def _do(wish: _Asked | _Changed, exchange: PropertyExchange) -> list[Outgoing]:
    match wish:
        case _Asked(values=wanted):
            return exchange.request(*wanted)
        case _Changed(values=values):
            return exchange.update(*values)
