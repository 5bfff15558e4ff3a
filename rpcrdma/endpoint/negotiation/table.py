"""Which version a client speaks on a connection, and what it remembers of its server.

    v2 section 5    Protocol Version Negotiation
    v2 section 5.1  Responder Does Support RPC-over-RDMA Version Two
    v2 section 5.2  Responder Does Not Support RPC-over-RDMA Version Two

Theory of operation.  A client offers Version Two by its first Call.  What comes back, or does not,
is a `Signal`; `TRANSITIONS` says what it leads to.  A version that is settled stays so for the life
of the connection.  `KnownServer` outlives connections: a server that refused Version Two, or on
which an offer was lost, is spoken to in Version One from then on, so that no negotiation goes round
in circles.

Nothing here has I/O or knows of messages but their fixed words and ERR_VERS.

Hooks of `NegotiationRules` (methods that a mutant may override, one each):

    choose                  which version of a range is spoken
    assume                  what is assumed of a server after a lost connection
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire import ErrVers

__all__ = [
    "TRANSITIONS",
    "KnownServer",
    "Negotiation",
    "NegotiationRules",
    "NegotiationState",
    "Signal",
]

ONE: Final = 1
TWO: Final = 2


class NegotiationState(Enum):
    """How far the negotiation of a connection is."""

    FRESH = auto()  # nothing has been sent
    OFFERING = auto()  # Version Two, by the first Call
    TWO = auto()
    ONE = auto()
    NONE = auto()  # no version that both speak
    LOST = auto()


class Signal(Enum):
    """What can settle it."""

    OFFERED = auto()  # the first Call is on its way
    UNSENT = auto()  # it could not be sent
    ANSWERED = auto()  # a message in Version Two that is no error
    ERRED = auto()  # an error of Version Two, which only that version has
    REFUSED = auto()  # ERR_VERS with a range that holds Version One
    EXCLUDED = auto()  # ERR_VERS with a range that holds nothing of ours
    LOST = auto()  # the connection


TRANSITIONS: Final[Mapping[tuple[NegotiationState, Signal], NegotiationState]] = {
    (NegotiationState.FRESH, Signal.OFFERED): NegotiationState.OFFERING,
    (NegotiationState.OFFERING, Signal.UNSENT): NegotiationState.FRESH,
    (NegotiationState.FRESH, Signal.LOST): NegotiationState.LOST,
    (NegotiationState.OFFERING, Signal.ANSWERED): NegotiationState.TWO,
    (NegotiationState.OFFERING, Signal.ERRED): NegotiationState.TWO,  # D-62
    (NegotiationState.OFFERING, Signal.REFUSED): NegotiationState.ONE,
    (NegotiationState.OFFERING, Signal.EXCLUDED): NegotiationState.NONE,
    (NegotiationState.OFFERING, Signal.LOST): NegotiationState.LOST,
    (NegotiationState.TWO, Signal.ANSWERED): NegotiationState.TWO,
    (NegotiationState.TWO, Signal.ERRED): NegotiationState.TWO,
    (NegotiationState.TWO, Signal.REFUSED): NegotiationState.TWO,  # D-64: fails its Call only
    (NegotiationState.TWO, Signal.EXCLUDED): NegotiationState.TWO,
    (NegotiationState.TWO, Signal.LOST): NegotiationState.LOST,
    (NegotiationState.ONE, Signal.LOST): NegotiationState.LOST,
    (NegotiationState.NONE, Signal.LOST): NegotiationState.LOST,
}
"""Every legal move.  In ONE and NONE nothing of Version Two has a meaning any more."""


class NegotiationRules:
    """The decisions of the reference endpoint."""

    def choose(self, versions: ErrVers) -> Signal:
        """What an ERR_VERS in answer to an offer of Version Two means (v2 5.2, D-64)."""
        if versions.rdma_vers_low <= ONE <= versions.rdma_vers_high:
            return Signal.REFUSED
        return Signal.EXCLUDED

    def assume(self, state: NegotiationState) -> bool:
        """Whether a server is taken for one without Version Two when a connection ends.

        v2 5.2: if the offer was lost, or refused and nothing came after it.
        """
        return state in (NegotiationState.OFFERING, NegotiationState.ONE)


@dataclass(slots=True, eq=False, weakref_slot=True)
class KnownServer:
    """What a client knows of a server, over all connections.

    Attributes:
        speaks_two: False once it is assumed not to.
    """

    speaks_two: bool = True


@dataclass(slots=True)
class Negotiation:
    """The negotiation of one connection.

    Attributes:
        server: what is known of it, and noted for the next connection.
        rules: the decisions.
        state: how far it is.
    """

    server: KnownServer
    rules: NegotiationRules = field(default_factory=NegotiationRules)
    state: NegotiationState = NegotiationState.FRESH

    def __post_init__(self) -> None:
        """Offer nothing to a server that does not want it."""
        if not self.server.speaks_two:
            self.state = NegotiationState.ONE

    def signal(self, signal: Signal) -> NegotiationState:
        """Note a signal; returns the state that it led to."""
        before = self.state
        self.state = TRANSITIONS.get((before, signal), before)
        if self.state is NegotiationState.LOST and self.rules.assume(before):
            self.server.speaks_two = False
        return self.state
