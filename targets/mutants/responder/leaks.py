"""Mutants of the server: Receives that are lost over messages that it does not serve.

rfc8166 section 3.3.1  RPC-over-RDMA Credits (a grant is backed by Receives)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import RdmaRead, Send
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire import Procedure
from rpcrdma.wire.rpc import MessageType, message_type_of
from targets.mutants.base import mutant
from targets.mutants.losing import (
    ERR_CHUNK,
    ERR_VERS,
    is_procedure,
    sends_error,
    without_receives,
)

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action

TRANSACTIONS: Final = "rfc8166.3.3.1.credit-is-one-transaction"

UNRECEIVED: Final = {
    "rfc8166.4.5.bad-call-header-answered": "what comes when no Receive is left is not answered"
}

_SHORTEST: Final = 28
_HEADER: Final = 28


@mutant(breaks=TRANSACTIONS, also_trips=UNRECEIVED)
class LosesReceivesByErrChunk(Responder):
    """Posts no Receive again for a call that it answers by ERR_CHUNK."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        return without_receives(actions) if sends_error(actions, ERR_CHUNK) else actions


@mutant(breaks=TRANSACTIONS, also_trips=UNRECEIVED)
class LosesReceivesByErrVers(Responder):
    """Posts no Receive again for a message that it answers by ERR_VERS."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        return without_receives(actions) if sends_error(actions, ERR_VERS) else actions


@mutant(breaks=TRANSACTIONS)
class LosesReceivesByErrors(Responder):
    """Posts no Receive again for an RDMA_ERROR that it drops."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        is_error = is_procedure(event.data, Procedure.RDMA_ERROR)
        return without_receives(actions) if is_error else actions


@mutant(breaks=TRANSACTIONS)
class LosesReceivesByDone(Responder):
    """Posts no Receive again for every third RDMA_DONE that it drops."""

    _count = 0

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        if not is_procedure(event.data, Procedure.RDMA_DONE):
            return actions
        self._count += 1
        return actions if self._count % 3 else without_receives(actions)


@mutant(breaks=TRANSACTIONS)
class LosesReceivesByRunts(Responder):
    """Posts no Receive again for a message of fewer than 28 octets."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        return without_receives(actions) if len(event.data) < _SHORTEST else actions


@mutant(breaks=TRANSACTIONS)
class LosesEverySecondReceiveByGarbage(Responder):
    """Posts a Receive again for every second call only whose arguments it cannot decode."""

    _odd = False

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        if not any(isinstance(one, Send) and _is_garbage(one.data) for one in actions):
            return actions
        self._odd = not self._odd
        return without_receives(actions) if self._odd else actions


@mutant(breaks=TRANSACTIONS)
class LosesReceivesByMsgp(Responder):
    """Posts no Receive again for an RDMA_MSGP."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        is_msgp = is_procedure(event.data, Procedure.RDMA_MSGP)
        return without_receives(actions) if is_msgp else actions


@mutant(breaks=TRANSACTIONS)
class LosesReceivesByReplies(Responder):
    """Posts no Receive again for a Reply that nobody awaits."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        is_reply = message_type_of(event.data[_HEADER:]) == MessageType.REPLY
        return without_receives(actions) if is_reply else actions


@mutant(breaks=TRANSACTIONS)
class LosesEveryFourthReceiveByReads(Responder):
    """Posts no Receive again for every fourth call whose arguments it has to read."""

    _count = 0

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        if not any(isinstance(one, RdmaRead) for one in actions):
            return actions
        self._count += 1
        return actions if self._count % 4 else without_receives(actions)


@mutant(breaks=TRANSACTIONS)
class LosesReceivesByRpcErrors(Responder):
    """Posts no Receive again for a call of a program or a procedure that it does not have."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        sent = [one.data for one in actions if isinstance(one, Send)]
        refused = any(_status(data) in _NOT_THERE for data in sent)
        return without_receives(actions) if refused else actions


_NOT_THERE: Final = (
    rpc.RpcOutcome.PROG_UNAVAIL,
    rpc.RpcOutcome.PROG_MISMATCH,
    rpc.RpcOutcome.PROC_UNAVAIL,
)


def _status(message: bytes) -> rpc.RpcOutcome | None:
    """The status of a short Reply without chunks, in either version; None of anything else."""
    for header in (_HEADER, _HEADER + 4):
        try:
            return rpc.decode_reply(message[header:])[0].outcome
        except DecodeError:
            continue
    return None


def _is_garbage(message: bytes) -> bool:
    return _status(message) is rpc.RpcOutcome.GARBAGE_ARGS
