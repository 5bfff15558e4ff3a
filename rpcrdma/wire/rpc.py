"""RPC message headers (rfc5531 sections 8.2 and 9, appendix A): generated codec, short ways in.

A header ends where the procedure's own arguments or results begin; `decode_message` says where.
Calls are `RpcMessage(xid, CallBody(...))`; replies `RpcMessage(xid, ReplyBody(...))` around an
`AcceptedReply` or a `RejectedReply`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire._generated_rpc import (
    AcceptedData,
    AcceptedReply,
    AcceptStatus,
    AuthError,
    AuthFlavor,
    AuthStatus,
    AuthSys,
    CallBody,
    GarbageArgs,
    MessageType,
    OpaqueAuth,
    ProcUnavail,
    ProgMismatch,
    ProgUnavail,
    RejectedReply,
    RejectStatus,
    ReplyBody,
    ReplyStatus,
    RpcMessage,
    RpcMismatch,
    Success,
    SystemErr,
    decode_auth_sys,
    decode_rpc_message,
    encode_auth_sys,
)
from rpcrdma.wire._generated_rpc import encode_rpc_message as encode_message
from rpcrdma.xdr.runtime import word_at

if TYPE_CHECKING:
    from rpcrdma.xdr.runtime import Buffer

__all__ = [
    "NO_AUTH",
    "RPC_VERSION",
    "AcceptStatus",
    "AcceptedData",
    "AcceptedReply",
    "AuthError",
    "AuthFlavor",
    "AuthStatus",
    "AuthSys",
    "CallBody",
    "GarbageArgs",
    "MessageType",
    "OpaqueAuth",
    "ProcUnavail",
    "ProgMismatch",
    "ProgUnavail",
    "RejectStatus",
    "RejectedReply",
    "ReplyBody",
    "ReplyStatus",
    "RpcMessage",
    "RpcMismatch",
    "Success",
    "SystemErr",
    "accepted",
    "auth_sys",
    "call",
    "decode_auth_sys",
    "decode_message",
    "encode_auth_sys",
    "encode_message",
    "message_type_of",
    "parse_auth_sys",
    "rejected",
    "xid_of",
]

RPC_VERSION: Final = 2
"""rfc5531 9: the version that these headers belong to."""

_MSG_TYPE: Final = 4
"""Offset of the msg_type: after the XID."""

NO_AUTH: Final = OpaqueAuth(AuthFlavor.AUTH_NONE, b"")
"""rfc5531 10.1: no identity, with the empty body that is recommended."""


def call(
    xid: int,
    program: int,
    version: int,
    procedure: int,
    *,
    cred: OpaqueAuth = NO_AUTH,
    verf: OpaqueAuth = NO_AUTH,
) -> RpcMessage:
    """A Call header of RPC version 2."""
    return RpcMessage(xid, CallBody(RPC_VERSION, program, version, procedure, cred, verf))


def accepted(
    xid: int, data: AcceptedData | None = None, *, verf: OpaqueAuth = NO_AUTH
) -> RpcMessage:
    """A Reply header that accepts the Call; without `data` the procedure succeeded."""
    return RpcMessage(xid, ReplyBody(AcceptedReply(verf, Success() if data is None else data)))


def rejected(xid: int, reason: RpcMismatch | AuthError) -> RpcMessage:
    """A Reply header that rejects the Call."""
    return RpcMessage(xid, ReplyBody(RejectedReply(reason)))


_SUCCESS: Final = b"\0\0\0\1" + bytes(16)
"""A Reply that accepts a Call, without a verifier, and whose procedure succeeded, after its XID."""

_SUCCEEDED: Final = ReplyBody(AcceptedReply(OpaqueAuth(0, b""), Success()))


def decode_message(payload: Buffer) -> tuple[RpcMessage, int]:
    """The header with which a payload begins, and the offset after it.

    Raises:
        DecodeError: there is none.
    """
    # Nearly every Reply is this one, and the generated codec is slow with one without results: its
    # first unpack is as long as the shortest Call.
    if payload[4:24] == _SUCCESS:
        return RpcMessage(word_at(payload, 0), _SUCCEEDED), 24
    return decode_rpc_message(payload)


def xid_of(payload: bytes) -> int:
    """The XID with which an RPC message of at least four octets begins (rfc5531 9)."""
    return word_at(payload, 0)


def message_type_of(payload: bytes) -> int | None:
    """The msg_type of an RPC message, which may be no valid one; None if it is too short for it."""
    return word_at(payload, _MSG_TYPE) if len(payload) >= _MSG_TYPE + 4 else None


def auth_sys(parameters: AuthSys) -> OpaqueAuth:
    """The credential that carries these parameters (rfc5531 appendix A)."""
    return OpaqueAuth(AuthFlavor.AUTH_SYS, encode_auth_sys(parameters))


def parse_auth_sys(credential: OpaqueAuth) -> AuthSys:
    """The parameters of an AUTH_SYS credential.

    Raises:
        DecodeError: the body is not exactly such parameters; offsets count from its start.
    """
    body: Buffer = credential.body
    parameters, end = decode_auth_sys(body)
    if end != len(body):
        raise DecodeError(end, "", Reason.TRAILING, f"{len(body) - end} octets")
    return parameters
