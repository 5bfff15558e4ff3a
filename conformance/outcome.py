"""What a device did in answer to one message.

An outcome is what was seen, before anybody judges it: `verify` and the oracle compare it with what
is allowed.  `ErrVers` and `ErrChunk` here are whole answers (`rpcrdma.wire` has the two arms of the
error union under these names).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from rpcrdma import wire
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaError, RdmaMsg, RdmaNomsg, TransportHeader, decode_header, rpc

__all__ = [
    "Answered",
    "Discarded",
    "Disconnected",
    "ErrChunk",
    "ErrVers",
    "Outcome",
    "RpcStatus",
    "Silent",
    "Strange",
    "classify",
    "describe",
    "rpc_status",
]


class RpcStatus(Enum):
    """How an RPC ended: accept_stat and reject_stat of RFC 5531 in one list."""

    SUCCESS = "SUCCESS"
    PROG_UNAVAIL = "PROG_UNAVAIL"
    PROG_MISMATCH = "PROG_MISMATCH"
    PROC_UNAVAIL = "PROC_UNAVAIL"
    GARBAGE_ARGS = "GARBAGE_ARGS"
    SYSTEM_ERR = "SYSTEM_ERR"
    RPC_MISMATCH = "RPC_MISMATCH"
    AUTH_ERROR = "AUTH_ERROR"


@dataclass(frozen=True, slots=True)
class Discarded:
    """No answer, and the device still serves: a later Call was answered."""


@dataclass(frozen=True, slots=True)
class Silent:
    """No answer, and none to a later Call either: the device hangs, or is gone unnoticed."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection was lost or closed; `detail` says how it was noticed."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class ErrVers:
    """RDMA_ERROR with ERR_VERS: the range, and the fixed words of the answer."""

    xid: int
    version: int
    credits: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ErrChunk:
    """RDMA_ERROR with ERR_CHUNK: the fixed words of the answer."""

    xid: int
    version: int
    credits: int


@dataclass(frozen=True, slots=True)
class Answered:
    """RDMA_MSG or RDMA_NOMSG: the header, and the Payload stream as far as it could be had."""

    header: TransportHeader
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class Strange:
    """A message that is none of the above, with what is wrong about it."""

    octets: bytes
    problem: str


Outcome: TypeAlias = Discarded | Silent | Disconnected | ErrVers | ErrChunk | Answered | Strange


def classify(message: bytes, reply_chunk: bytes | None = None) -> Outcome:
    """What kind of answer a received message is.

    Args:
        message: as received.
        reply_chunk: content of the memory offered as Reply chunk, as far as it was filled: the
            Payload stream of an RDMA_NOMSG.
    """
    try:
        header, end = decode_header(message)
    except DecodeError as error:
        return Strange(message, str(error))
    body = header.rdma_body
    words = (header.rdma_xid, header.rdma_vers, header.rdma_credit)
    if isinstance(body, RdmaError):
        if end != len(message):
            return Strange(message, f"{len(message) - end} octets behind the error")
        if isinstance(body.error, wire.ErrVers):
            return ErrVers(*words, body.error.rdma_vers_low, body.error.rdma_vers_high)
        return ErrChunk(*words)
    if isinstance(body, RdmaMsg):
        return Answered(header, message[end:])
    if isinstance(body, RdmaNomsg):
        return Answered(header, reply_chunk)
    return Strange(message, f"{type(body).__name__} is never sent")


def rpc_status(payload: bytes) -> RpcStatus | None:
    """How the RPC ended that a Payload stream answers; None if it is no Reply."""
    try:
        message, _ = rpc.decode_message(payload)
    except DecodeError:
        return None
    if not isinstance(message.body, rpc.ReplyBody):
        return None
    reply = message.body.reply
    arm = reply.reason if isinstance(reply, rpc.RejectedReply) else reply.reply_data
    return _STATUS[type(arm)]


_STATUS = {
    rpc.Success: RpcStatus.SUCCESS,
    rpc.ProgUnavail: RpcStatus.PROG_UNAVAIL,
    rpc.ProgMismatch: RpcStatus.PROG_MISMATCH,
    rpc.ProcUnavail: RpcStatus.PROC_UNAVAIL,
    rpc.GarbageArgs: RpcStatus.GARBAGE_ARGS,
    rpc.SystemErr: RpcStatus.SYSTEM_ERR,
    rpc.RpcMismatch: RpcStatus.RPC_MISMATCH,
    rpc.AuthError: RpcStatus.AUTH_ERROR,
}


def describe(outcome: Outcome) -> str:
    """The outcome as one clause for a report."""
    match outcome:
        case Discarded():
            return "no answer, and a later Call was served"
        case Silent():
            return "no answer, and none to a later Call"
        case Disconnected(detail):
            return f"loss of the connection ({detail})" if detail else "loss of the connection"
        case ErrVers():
            return (
                f"ERR_VERS {outcome.low}..{outcome.high}, xid {outcome.xid:#x}, "
                f"version {outcome.version}"
            )
        case ErrChunk():
            return f"ERR_CHUNK, xid {outcome.xid:#x}, version {outcome.version}"
        case Answered():
            return _describe_answer(outcome)
        case Strange(_, problem):
            return f"a message that cannot be an answer: {problem}"


def _describe_answer(answer: Answered) -> str:
    status = None if answer.payload is None else rpc_status(answer.payload)
    word = "no readable status" if status is None else status.value
    return f"a Reply ({word}), xid {answer.header.rdma_xid:#x}"
