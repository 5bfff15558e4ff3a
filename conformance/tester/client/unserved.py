"""Messages that a Responder does not serve, by name: each costs it a Receive all the same.

    message = unserved.ONE["err-chunk"](peer)

    rfc8166 section 3.3.1  RPC-over-RDMA Credits
    rfc8166 section 4.5    Error Handling
    v2 section 3.1         Optional Features
    v2 section 4.2.3       Transport Errors

What may come of each is for the oracle to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.client import build, mutate
from rpcrdma.wire import ErrChunk, ErrVers, Procedure, RdmaMsgp, RdmaNomsg, v2
from rpcrdma.wire.operations import ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message

__all__ = ["ONE", "TWO"]

_NO_VERSION: Final = 99
_NO_PROCEDURE: Final = 7
_NO_ERROR: Final = 9
_RUNT: Final = 20
_ERROR_CODE: Final = 16
"""Offset of rdma_err."""
_MSG_TYPE: Final = 4
"""Offset of the msg_type in an RPC message."""
_PROGRAM: Final = 12
"""Offset of the program's number, likewise."""
_NO_PROGRAM: Final = 0x3FFFFFFF
_DATA: Final = bytes(64)


def _unknown_version(peer: Peer) -> Call:
    return mutate.version(build.null_call(peer), _NO_VERSION)


def _unknown_procedure(peer: Peer) -> Call:
    return mutate.procedure(build.null_call(peer), _NO_PROCEDURE)


def _msgp(peer: Peer) -> Call:
    return mutate.body(build.null_call(peer), RdmaMsgp(4, 1024, (), (), None))


def _old_msgp(peer: Peer) -> Call:
    return mutate.procedure(build.null_call(peer), Procedure.RDMA_MSGP)


def _done(peer: Peer) -> Call:
    return mutate.procedure(build.null_call(peer), Procedure.RDMA_DONE)


def _runt(peer: Peer) -> Call:
    return mutate.truncate(build.null_call(peer), _RUNT)


def _without_lists(peer: Peer) -> Call:
    return mutate.body(build.null_call(peer), RdmaNomsg((), (), None))


def _two_xids(peer: Peer) -> Call:
    call = build.null_call(peer)
    other = (call.xid ^ 0xFFFF).to_bytes(4)
    return mutate.payload(call, other + call.payload[4:])


def _reply(peer: Peer) -> Call:
    call = build.null_call(peer)
    reply = call.payload[:_MSG_TYPE] + MessageType.REPLY.to_bytes(4) + bytes(16)
    return mutate.payload(call, reply)


def _garbage(peer: Peer) -> Call:
    return build.short(peer, peer.workload.garbage())


def _no_program(peer: Peer) -> Call:
    call = build.null_call(peer)
    end = _PROGRAM + 4
    payload = call.payload
    return mutate.payload(call, payload[:_PROGRAM] + _NO_PROGRAM.to_bytes(4) + payload[end:])


def _bad_position(peer: Peer) -> Call:
    call = build.with_read_chunks(peer, peer.workload.store(_DATA))
    return mutate.read_segment(call, 0, position=call.body.rdma_reads[0].position + 4)


def _bad_error(peer: Peer) -> Message:
    return mutate.word(build.error(peer, ErrChunk()), _ERROR_CODE, _NO_ERROR, "rdma_err")


def _request(peer: Peer) -> Message:
    return build.option(peer, ReqProp(()))


def _stray_answer(peer: Peer) -> Message:
    return build.option(peer, RespProp((), (), ()), direction=MessageType.REPLY)


def _announcement(peer: Peer) -> Message:
    return build.option(peer, UpdProp(()))


ONE: Final[Mapping[str, Callable[[Peer], Call | Message]]] = {
    "unknown-version": _unknown_version,
    "unknown-procedure": _unknown_procedure,
    "no-lists": _without_lists,
    "bad-position": _bad_position,
    "two-xids": _two_xids,
    "garbage": _garbage,
    "no-program": _no_program,
    "msgp": _msgp,
    "done": _done,
    "err-chunk": lambda peer: build.error(peer, ErrChunk()),
    "err-vers": lambda peer: build.error(peer, ErrVers(1, 1)),
    "bad-error": _bad_error,
    "runt": _runt,
    "reply": _reply,
}
"""Those of Version One."""

TWO: Final[Mapping[str, Callable[[Peer], Call | Message]]] = {
    "unknown-version": _unknown_version,
    "unknown-procedure": _unknown_procedure,
    "no-lists": _without_lists,
    "bad-position": _bad_position,
    "two-xids": _two_xids,
    "garbage": _garbage,
    "no-program": _no_program,
    "old-msgp": _old_msgp,
    "old-done": _done,
    "bad-header": lambda peer: build.error(peer, v2.ErrBadHeader()),
    "invalid-option": lambda peer: build.error(peer, v2.ErrInvalidOption()),
    "bad-error": _bad_error,
    "runt": _runt,
    "direction": lambda peer: mutate.direction(build.null_call(peer), _NO_PROCEDURE),
    "reply": lambda peer: mutate.direction(build.null_call(peer), MessageType.REPLY),
    "unknown-operation": lambda peer: build.option(peer, UnknownOption(77, b"")),
    "unknown-answer": lambda peer: build.option(
        peer, UnknownOption(77, b""), direction=MessageType.REPLY
    ),
    "request": _request,
    "stray-answer": _stray_answer,
    "announcement": _announcement,
}
"""Those of Version Two."""
