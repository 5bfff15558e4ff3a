"""The states of one connection as connection management sees it, and the table of all its moves.

    InfiniBand Architecture volume 1, 12.9.7 (active and passive states), 12.9.8 (their transitions)
    InfiniBand Architecture volume 1, 12.6 (messages), 12.4.1 and 12.9.8.3.1 (stale connections)

Theory of operation.  Whatever happens to a connection is a `CmInput`: an act of the side that this
manager serves, a message of the peer, or time.  `MOVES` says for a state and an input which state
follows, and what is done on the way, in that order.  A pair that is absent means: a message is
passed over, a time-out is void, and an act is refused, or void where the connection is over.

Three choices that the standard leaves, or where Linux is followed:

- A Disconnect Request is answered before the side is asked (the state "DREQ Rcvd" of 12.9.7 is
  passed through), since nothing that the side may say can keep the connection.
- A wait that a MRA has prolonged ends by the message once more, while tries are left.
- A Reject that ends a request which has not been answered leads to IDLE: nothing of the connection
  can still be under way.  Whoever has sent or seen a REP goes through the time wait.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ACTS",
    "HALF_OPEN",
    "MOVES",
    "OVER",
    "TIMED",
    "CmAction",
    "CmInput",
    "CmMove",
    "CmState",
]


class CmState(Enum):
    """How far a connection is (12.9.7.1 and 12.9.7.2)."""

    IDLE = auto()  # not begun, or over and forgotten
    # active side
    REQ_SENT = auto()
    REP_WAIT = auto()  # the peer asked for time by a MRA
    REP_RCVD = auto()
    MRA_REP_SENT = auto()  # asked the peer for time
    # passive side
    REQ_RCVD = auto()
    MRA_REQ_SENT = auto()
    REP_SENT = auto()
    RTU_WAIT = auto()  # the peer asked for time by a MRA
    # both
    ESTABLISHED = auto()
    DREQ_SENT = auto()
    TIME_WAIT = auto()  # over, and still known: late messages are not mistaken for others


OVER: Final = frozenset({CmState.IDLE, CmState.TIME_WAIT})
"""States in which the connection is no more."""

HALF_OPEN: Final = frozenset(
    {CmState.REQ_RCVD, CmState.MRA_REQ_SENT, CmState.REP_SENT, CmState.RTU_WAIT}
)
"""States of requests of others that have not become connections."""


TIMED: Final = frozenset(
    {
        CmState.REQ_SENT,
        CmState.REP_WAIT,
        CmState.REP_SENT,
        CmState.RTU_WAIT,
        CmState.DREQ_SENT,
        CmState.TIME_WAIT,
    }
)
"""States that end by themselves; in the others the side or the peer has to act."""


class CmInput(Enum):
    """What can happen to a connection."""

    # acts of this side
    CONNECT = auto()
    ACCEPT = auto()
    REJECT = auto()
    READY = auto()
    COMMUNICATION_ESTABLISHED = auto()  # a packet came before the RTU (12.9.8, the verbs' event)
    DISCONNECT = auto()
    ABANDON = auto()
    # messages of the peer
    REQ = auto()  # of a new connection, or once more
    REP = auto()
    RTU = auto()
    REJ = auto()
    REJ_STALE = auto()  # with the reason "stale connection"
    MRA = auto()
    DREQ = auto()
    DREP = auto()
    LAP = auto()
    REP_STALE = auto()  # its queue pair is that of another connection
    STALE = auto()  # a REQ or REP of another connection has this one's queue pair
    # time
    TIMEOUT = auto()  # no answer; tries are left
    EXHAUSTED = auto()  # no answer, and none are left; or the time wait is over


ACTS: Final = frozenset(
    {
        CmInput.CONNECT,
        CmInput.ACCEPT,
        CmInput.REJECT,
        CmInput.READY,
        CmInput.COMMUNICATION_ESTABLISHED,
        CmInput.DISCONNECT,
        CmInput.ABANDON,
    }
)
"""Inputs that come from this side."""


class CmAction(Enum):
    """What is done on a move."""

    SEND_REQ = auto()
    SEND_REP = auto()
    SEND_RTU = auto()
    SEND_MRA = auto()
    SEND_REJ = auto()  # with the reason and private data that this side gave
    SEND_REJ_TIMEOUT = auto()
    SEND_REJ_STALE = auto()
    SEND_REJ_UNKNOWN = auto()  # with the reason "invalid communication id"
    SEND_DREQ = auto()
    SEND_DREP = auto()
    SEND_APR = auto()
    SEND_AGAIN = auto()  # the message that an answer is awaited for
    LEARN_REP = auto()  # keep what it says of the peer
    PROLONG = auto()
    # notices to this side
    TELL_REQUEST = auto()
    TELL_REPLY = auto()
    TELL_ESTABLISHED = auto()
    TELL_REJECTED = auto()
    TELL_DISCONNECTED = auto()
    TELL_UNREACHABLE = auto()


class CmMove(NamedTuple):
    """What follows a pair of state and input: the next state, and what is done before."""

    target: CmState
    actions: tuple[CmAction, ...] = ()


def _table() -> dict[tuple[CmState, CmInput], CmMove]:
    """The parts of the table, put together; a pair that two parts have is a mistake."""
    table: dict[tuple[CmState, CmInput], CmMove] = {}
    for part in (_ACTIVE, _PASSIVE, _ESTABLISHED, _ENDING, _HANGING_UP):
        for pair, move in part.items():
            if pair in table:
                raise RuntimeError(f"{pair} is twice in the table")
            table[pair] = move
    return table


_S = CmState
_I = CmInput
_A = CmAction

_ACTIVE: Final = {
    (_S.IDLE, _I.CONNECT): CmMove(_S.REQ_SENT, (_A.SEND_REQ,)),
    (_S.REQ_SENT, _I.TIMEOUT): CmMove(_S.REQ_SENT, (_A.SEND_AGAIN,)),
    (_S.REQ_SENT, _I.MRA): CmMove(_S.REP_WAIT, (_A.PROLONG,)),
    (_S.REP_WAIT, _I.TIMEOUT): CmMove(_S.REQ_SENT, (_A.SEND_AGAIN,)),
    **{
        (state, arrived): move
        for state in (_S.REQ_SENT, _S.REP_WAIT)
        for arrived, move in {
            _I.REP: CmMove(_S.REP_RCVD, (_A.LEARN_REP, _A.TELL_REPLY)),
            _I.REP_STALE: CmMove(_S.TIME_WAIT, (_A.SEND_REJ_STALE, _A.TELL_REJECTED)),
            _I.REJ: CmMove(_S.IDLE, (_A.TELL_REJECTED,)),
            _I.REJ_STALE: CmMove(_S.TIME_WAIT, (_A.TELL_REJECTED,)),
            # The REP of a slow peer may still come: see TIME_WAIT.
            _I.EXHAUSTED: CmMove(_S.TIME_WAIT, (_A.SEND_REJ_TIMEOUT, _A.TELL_UNREACHABLE)),
        }.items()
    },
    (_S.REP_RCVD, _I.REP): CmMove(_S.MRA_REP_SENT, (_A.SEND_MRA,)),
    (_S.MRA_REP_SENT, _I.REP): CmMove(_S.MRA_REP_SENT, (_A.SEND_MRA,)),
    **{
        (state, happened): move
        for state in (_S.REP_RCVD, _S.MRA_REP_SENT)
        for happened, move in {
            _I.READY: CmMove(_S.ESTABLISHED, (_A.SEND_RTU,)),
            _I.REJ: CmMove(_S.TIME_WAIT, (_A.TELL_REJECTED,)),
            _I.REJ_STALE: CmMove(_S.TIME_WAIT, (_A.TELL_REJECTED,)),
            _I.DREQ: CmMove(_S.TIME_WAIT, (_A.SEND_DREP, _A.TELL_DISCONNECTED)),
            _I.STALE: CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
        }.items()
    },
}
"""12.9.7.1, from the request to the RTU."""

_PASSIVE: Final = {
    (_S.IDLE, _I.REQ): CmMove(_S.REQ_RCVD, (_A.TELL_REQUEST,)),
    # The duplicate shows that the peer's patience is at its end.
    (_S.REQ_RCVD, _I.REQ): CmMove(_S.MRA_REQ_SENT, (_A.SEND_MRA,)),
    (_S.MRA_REQ_SENT, _I.REQ): CmMove(_S.MRA_REQ_SENT, (_A.SEND_MRA,)),
    **{
        (state, happened): move
        for state in (_S.REQ_RCVD, _S.MRA_REQ_SENT)
        for happened, move in {
            _I.ACCEPT: CmMove(_S.REP_SENT, (_A.SEND_REP,)),
            _I.REJ: CmMove(_S.IDLE, (_A.TELL_REJECTED,)),
            _I.REJ_STALE: CmMove(_S.IDLE, (_A.TELL_REJECTED,)),
            _I.STALE: CmMove(_S.IDLE, (_A.TELL_REJECTED,)),
        }.items()
    },
    (_S.REP_SENT, _I.TIMEOUT): CmMove(_S.REP_SENT, (_A.SEND_AGAIN,)),
    (_S.REP_SENT, _I.MRA): CmMove(_S.RTU_WAIT, (_A.PROLONG,)),
    (_S.RTU_WAIT, _I.TIMEOUT): CmMove(_S.REP_SENT, (_A.SEND_AGAIN,)),
    (_S.REP_SENT, _I.REQ): CmMove(_S.REP_SENT, (_A.SEND_AGAIN,)),
    **{
        (state, happened): move
        for state in (_S.REP_SENT, _S.RTU_WAIT)
        for happened, move in {
            _I.RTU: CmMove(_S.ESTABLISHED, (_A.TELL_ESTABLISHED,)),
            _I.COMMUNICATION_ESTABLISHED: CmMove(_S.ESTABLISHED, (_A.TELL_ESTABLISHED,)),
            _I.REJ: CmMove(_S.TIME_WAIT, (_A.TELL_REJECTED,)),
            _I.REJ_STALE: CmMove(_S.TIME_WAIT, (_A.TELL_REJECTED,)),
            # The peer's RTU was lost, and it has already had enough.
            _I.DREQ: CmMove(_S.TIME_WAIT, (_A.SEND_DREP, _A.TELL_DISCONNECTED)),
            _I.STALE: CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
            _I.EXHAUSTED: CmMove(_S.TIME_WAIT, (_A.SEND_REJ_TIMEOUT, _A.TELL_UNREACHABLE)),
        }.items()
    },
}
"""12.9.7.2, from the request to the RTU."""

_ESTABLISHED: Final = {
    (_S.ESTABLISHED, _I.REP): CmMove(_S.ESTABLISHED, (_A.SEND_RTU,)),
    (_S.ESTABLISHED, _I.LAP): CmMove(_S.ESTABLISHED, (_A.SEND_APR,)),
    (_S.ESTABLISHED, _I.DISCONNECT): CmMove(_S.DREQ_SENT, (_A.SEND_DREQ,)),
    (_S.ESTABLISHED, _I.DREQ): CmMove(_S.TIME_WAIT, (_A.SEND_DREP, _A.TELL_DISCONNECTED)),
    # The peer never saw the RTU, and has given up.
    (_S.ESTABLISHED, _I.REJ): CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
    (_S.ESTABLISHED, _I.REJ_STALE): CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
    # 12.9.8.3.1: DREQ until the DREP comes, or as often as may be.
    (_S.ESTABLISHED, _I.STALE): CmMove(_S.DREQ_SENT, (_A.SEND_DREQ, _A.TELL_DISCONNECTED)),
}

_ENDING: Final = {
    (_S.DREQ_SENT, _I.TIMEOUT): CmMove(_S.DREQ_SENT, (_A.SEND_AGAIN,)),
    (_S.DREQ_SENT, _I.EXHAUSTED): CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
    (_S.DREQ_SENT, _I.DREP): CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
    (_S.DREQ_SENT, _I.DREQ): CmMove(_S.TIME_WAIT, (_A.SEND_DREP, _A.TELL_DISCONNECTED)),
    (_S.DREQ_SENT, _I.REJ): CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
    (_S.DREQ_SENT, _I.REJ_STALE): CmMove(_S.TIME_WAIT, (_A.TELL_DISCONNECTED,)),
    (_S.TIME_WAIT, _I.DREQ): CmMove(_S.TIME_WAIT, (_A.SEND_DREP,)),
    # Of a request that was given up, or rejected: the peer need not wait for the RTU.
    (_S.TIME_WAIT, _I.REP): CmMove(_S.TIME_WAIT, (_A.SEND_REJ_UNKNOWN,)),
    # A request that the peer still repeats although its connection is over here.
    (_S.TIME_WAIT, _I.REQ): CmMove(_S.TIME_WAIT, (_A.SEND_REJ_STALE,)),
    (_S.TIME_WAIT, _I.EXHAUSTED): CmMove(_S.IDLE),
}

_HANGING_UP: Final = {
    # 12.6.7.2: who gives up waiting says "timeout", who does not want says why.
    **{
        (state, act): CmMove(_S.IDLE, (_A.SEND_REJ_TIMEOUT,))
        for state in (_S.REQ_SENT, _S.REP_WAIT)
        for act in (_I.REJECT, _I.DISCONNECT, _I.ABANDON)
    },
    **{
        (state, act): CmMove(_S.IDLE, (_A.SEND_REJ,))
        for state in (*HALF_OPEN, _S.REP_RCVD, _S.MRA_REP_SENT)
        for act in (_I.REJECT, _I.DISCONNECT, _I.ABANDON)
    },
    (_S.ESTABLISHED, _I.ABANDON): CmMove(_S.IDLE, (_A.SEND_DREQ,)),
    (_S.DREQ_SENT, _I.ABANDON): CmMove(_S.IDLE),
    (_S.TIME_WAIT, _I.ABANDON): CmMove(_S.IDLE),
}
"""How this side ends a connection, in whatever state it is."""

MOVES: Final[Mapping[tuple[CmState, CmInput], CmMove]] = _table()
"""Every legal move of either side."""
