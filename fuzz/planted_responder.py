"""Bugs planted in a Responder: in its checks, in what it remembers, in its second connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules, IncomingCall
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import ReadChunk, chunk_length
from targets.reference.server_parts import Parts, responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import TransportHeader, WriteChunk

    Start = Callable[[], Callable[[], Responder]]

__all__ = [
    "IN_RESPONDERS",
    "confused_by_errors",
    "faulty_when_connected_again",
    "reads_backwards",
    "room_for_one_less",
    "takes_any_length",
]


class _ReadsBackwards(CallRules):
    @override
    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        return ReadChunk(chunk.position, chunk.target[::-1])


class _TakesAnyLength(CallRules):
    @override
    def judge_size(self, chunks: tuple[ReadChunk, ...], inline: int, limit: int) -> None:
        """Nothing is asked of the sum of the lengths."""


class _RoomForOneLess(ReplyRules):
    @override
    def judge_room(self, chunk: WriteChunk, item: DataItem) -> None:
        if chunk_length(chunk) + 1 < item.length:
            raise FaultFound(Fault.WRITE_CHUNK_TOO_SHORT, "shorter by more than one")


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


def reads_backwards() -> Start:
    """Starts servers that read the segments of a chunk from the last to the first (order)."""
    return lambda: responder_factory(Parts(calls=_ReadsBackwards))


def takes_any_length() -> Start:
    """Starts servers that pull as much as a Call says (unbounded list)."""
    return lambda: responder_factory(Parts(calls=_TakesAnyLength))


def room_for_one_less() -> Start:
    """Starts servers that take a Write chunk which lacks one octet (off by one)."""
    return lambda: responder_factory(Parts(replies=_RoomForOneLess))


def confused_by_errors() -> Start:
    """Starts servers whose next Reply has the XID of the Call that was refused (state)."""
    return lambda: responder_factory(Parts(replies=_ConfusedByErrors))


def faulty_when_connected_again() -> Start:
    """Starts servers that answer nothing from their second connection on."""

    def start() -> Callable[[], Responder]:
        makers = [responder_factory(Parts(responder=_Silent)), responder_factory()]

        def connect() -> Responder:
            make = makers.pop() if len(makers) > 1 else makers[0]
            return make()

        return connect

    return start


IN_RESPONDERS: Final = {
    "segment-order": ("v1-responder", "fuzz.planted_responder:reads_backwards"),
    "read-limit": ("v1-responder", "fuzz.planted_responder:takes_any_length"),
    "room-by-one": ("v1-responder", "fuzz.planted_responder:room_for_one_less"),
    "after-error": ("v1-responder", "fuzz.planted_responder:confused_by_errors"),
    "second-connection": ("v1-responder", "fuzz.planted_responder:faulty_when_connected_again"),
}
"""Name -> harness that must find it, and the implementation that has it."""
