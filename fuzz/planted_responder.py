"""Bugs planted in a Responder: in what it remembers of an error, and of a connection before."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from targets.reference.server_parts import Parts, responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import TransportHeader

    Start = Callable[[], Callable[[], Responder]]

__all__ = ["IN_RESPONDERS", "confused_by_errors", "faulty_when_connected_again"]


class _ConfusedByErrors(ReplyRules):
    _failed: int | None = None

    @override
    def encode_error(self, header: TransportHeader) -> bytes:
        self._failed = header.rdma_xid
        return super().encode_error(header)

    @override
    def reply_xid(self, call: IncomingCall) -> int:
        failed, self._failed = self._failed, None
        return super().reply_xid(call) if failed is None else failed


class _Silent(Responder):
    @override
    def execute(self, payload: bytes) -> list[bytes]:
        super().execute(payload)
        return []


def confused_by_errors() -> Start:
    """Starts servers whose next Reply has the XID of the Call that was refused (state)."""
    return lambda: responder_factory(Parts(replies=_ConfusedByErrors))


def faulty_when_connected_again() -> Start:
    """Starts servers that answer nothing from their second connection on."""

    def start() -> Callable[[], Responder]:
        first, later = responder_factory(), responder_factory(Parts(responder=_Silent))
        makers = chain((first,), repeat(later))

        def connect() -> Responder:
            make = next(makers)
            return make()

        return connect

    return start


IN_RESPONDERS: Final = {
    "after-error": ("v1-responder", "fuzz.planted_responder:confused_by_errors"),
    "second-connection": ("v1-responder", "fuzz.planted_responder:faulty_when_connected_again"),
}
"""Name -> harness that must find it, and the implementation that has it."""
