"""Runs sequences at a Responder in this process: each gets a server that is as new."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.oracle.memory import held_by
from conformance.oracle.outcome import (
    Answered,
    Called,
    Disconnected,
    ErrChunk,
    ErrVers,
    InvalidOption,
    Silent,
)
from fuzz.executor import Execution
from fuzz.invariant import BrokenInvariant
from fuzz.results import written_by
from fuzz.snapshot import Kept
from fuzz.world import World
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.oracle.outcome import Outcome
    from fuzz.results import Written
    from rpcrdma.endpoint.core.thresholds import InlineThresholds
    from rpcrdma.endpoint.responder.responder import Responder

    Start = Callable[[], Callable[[], Responder | Duplex]]

__all__ = ["Delivered", "ResponderExecutor", "good_call", "xid_of"]

_GOOD_XID: Final = 0x600D_CA11


def good_call(xid: int = _GOOD_XID) -> bytes:
    """A NULL call that nobody may refuse."""
    header = TransportHeader(xid, 1, 1, RdmaMsg((), (), None))
    return encode_header(header) + calls.null(xid)


_GOOD_CALL: Final = good_call()
_SILENT: Final = Silent(0.0)
_WITH_XID: Final = (Answered, ErrVers, ErrChunk, InvalidOption)


class Delivered(msgspec.Struct, frozen=True):
    """What became of one message; a struct, since one is made for each.

    Attributes:
        message: as much of it as the Receive holds; no wire delivers more.
        xid: its first word.
        answers: what the Responder sent while it handled it.
        calls: what a server called back then (bidir 2.5).
        outcome: the first answer under its XID, else the end of the connection, or silence.
        held: what the Reply chunk of that answer held then; None if there is none.
        written: what its Write chunks held; None if nobody can say.
        deferred: whether the program keeps the call, to answer it by a later message.
        ended: whether the connection has ended.
        thresholds: of the connection.
    """

    message: bytes
    xid: int
    answers: tuple[Outcome, ...]
    calls: tuple[Called, ...]
    outcome: Outcome
    held: bytes | None
    written: Written | None
    deferred: bool
    ended: bool
    thresholds: InlineThresholds


class ResponderExecutor:
    """Runs sequences; `start` starts a server, which makes the role of each connection."""

    def __init__(self, start: Start) -> None:
        self._server = Kept(partial(_served, start))

    def run(self, sequence: Sequence[bytes]) -> Execution[Delivered]:
        """Deliver the messages to a server as new; one after the end of a connection opens another.

        Raises:
            BrokenInvariant: the Responder asked for what `fuzz.world` refuses.
        """
        connect, world = self._server.fresh()
        outcomes = []
        for sent in sequence:
            if world.disconnected:
                world = World(connect())
            outcomes.append(_deliver(world, sent))
        return Execution(
            tuple(outcomes), _unserved(World(connect()) if world.disconnected else world)
        )


def _served(start: Start) -> tuple[Callable[[], Responder | Duplex], World]:
    """A server, and its first connection."""
    connect = start()
    return connect, World(connect())


def _deliver(world: World, sent: bytes) -> Delivered:
    forward = world.forward
    message = sent[: forward.receive_length]
    xid = int.from_bytes(message[:4], "big")
    deferred = world.deferred
    answers = world.deliver(message)
    called: list[Called] = []
    if isinstance(world.role, Duplex):  # none else calls back
        called = [item for item in answers if isinstance(item, Called)]
        answers = [item for item in answers if not isinstance(item, Called)]
    outcome = _outcome(answers, xid, world)
    world.deferred = forward.deferred
    return Delivered(
        message,
        xid,
        tuple(answers),
        tuple(called),
        outcome,
        held_by(outcome, world.memory),
        written_by(outcome, world.memory),
        world.deferred > deferred,
        bool(world.disconnected),
        forward.options.thresholds,
    )


def _outcome(answers: list[Outcome], xid: int, world: World) -> Outcome:
    for answer in answers:
        if xid_of(answer) == xid:
            return answer
    return Disconnected(world.disconnected) if world.disconnected else _SILENT


def _unserved(world: World) -> str:
    answers = world.deliver(_GOOD_CALL)
    answers = [item for item in answers if not isinstance(item, Called)]
    got = [item for item in answers if xid_of(item) == _GOOD_XID]
    served = [item for item in got if isinstance(item, Answered) and item.rpc]
    if len(served) != 1 or len(got) != 1 or served[0].rpc is None:
        return f"a good call got {[str(item) for item in got]}"
    outcome = served[0].rpc.outcome
    return "" if outcome is RpcOutcome.SUCCESS else f"a good call got {outcome.value}"


def xid_of(outcome: Outcome) -> int:
    """The XID of what a Responder sent.

    Raises:
        BrokenInvariant: it has none.
    """
    if isinstance(outcome, _WITH_XID):
        return outcome.xid
    raise BrokenInvariant("garbage-sent", str(outcome))
