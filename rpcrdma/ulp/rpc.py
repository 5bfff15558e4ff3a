"""RPC version 2 messages: the call and reply headers around a program's arguments and results.

    rfc5531 section 8    The RPC Message Protocol (ONC RPC version 2)
    rfc5531 section 9    Authentication Protocol Specification (AUTH_NONE, AUTH_SYS)

`RpcCall` and `RpcReply` flatten the nested unions of the XDR into what a caller wants to know; the
octets are made and read by the generated codec alone.  Arguments and results are octets here:
programs encode their own.

AUTH_SHORT and RPCSEC_GSS travel as opaque credentials and are not interpreted.

The headers are frozen msgspec structs, for the reason given in `rpcrdma.wire.versions`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import rpc as wire

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AUTH_NONE",
    "AUTH_SYS_FLAVOR",
    "REPLY_HEADER_LENGTH",
    "REPLY_MAXIMUM_LENGTH",
    "RPC_VERSION",
    "Authentication",
    "RpcCall",
    "RpcOutcome",
    "RpcReply",
    "accepted",
    "auth_error",
    "auth_sys",
    "decode_call",
    "decode_reply",
    "encode_call",
    "encode_reply",
    "garbage_args",
    "procedure_unavailable",
    "program_mismatch",
    "program_unavailable",
    "rpc_mismatch",
    "system_error",
]

RPC_VERSION: Final = 2

REPLY_HEADER_LENGTH: Final = 24
"""Octets of a successful reply before its results: XID, REPLY, MSG_ACCEPTED, an empty verifier
(flavour and count), SUCCESS."""

REPLY_MAXIMUM_LENGTH: Final = 32
"""Octets of the largest reply without results, which is PROG_MISMATCH with its two versions.

A server that answers AUTH_SYS with an AUTH_SHORT verifier would need up to 400 more; none of those
tested here does.
"""


class Authentication(msgspec.Struct, frozen=True):
    """A credential or verifier: flavour number and body (at most 400 octets)."""

    flavor: int
    body: bytes = b""


AUTH_NONE: Final = Authentication(0)
AUTH_SYS_FLAVOR: Final = 1


class RpcCall(msgspec.Struct, frozen=True):
    """The header of an RPC call."""

    xid: int
    program: int
    version: int
    procedure: int
    credential: Authentication = AUTH_NONE
    verifier: Authentication = AUTH_NONE
    rpc_version: int = RPC_VERSION


class RpcOutcome(Enum):
    """How a call ended: the accept_stat and reject_stat of RFC 5531 in one list."""

    SUCCESS = "success"
    PROG_UNAVAIL = "program unavailable"
    PROG_MISMATCH = "program version unavailable"
    PROC_UNAVAIL = "procedure unavailable"
    GARBAGE_ARGS = "arguments could not be decoded"
    SYSTEM_ERR = "system error"
    RPC_MISMATCH = "RPC version unavailable"
    AUTH_ERROR = "authentication failed"


class RpcReply(msgspec.Struct, frozen=True):
    """The header of an RPC reply.

    Attributes:
        xid: of the call that it answers.
        outcome: how the call ended; results follow only SUCCESS.
        versions: lowest and highest version supported, for the two mismatches; else (0, 0).
        auth_status: RFC 5531's auth_stat, for AUTH_ERROR; else 0.
        verifier: the server's, for every outcome but RPC_MISMATCH and AUTH_ERROR.
    """

    xid: int
    outcome: RpcOutcome
    versions: tuple[int, int] = (0, 0)
    auth_status: int = 0
    verifier: Authentication = AUTH_NONE

    @property
    def succeeded(self) -> bool:
        """Whether results follow."""
        return self.outcome is RpcOutcome.SUCCESS


_VOID_OUTCOMES: Final[
    Mapping[
        RpcOutcome,
        wire.Success | wire.ProgUnavail | wire.ProcUnavail | wire.GarbageArgs | wire.SystemErr,
    ]
] = {
    RpcOutcome.SUCCESS: wire.Success(),
    RpcOutcome.PROG_UNAVAIL: wire.ProgUnavail(),
    RpcOutcome.PROC_UNAVAIL: wire.ProcUnavail(),
    RpcOutcome.GARBAGE_ARGS: wire.GarbageArgs(),
    RpcOutcome.SYSTEM_ERR: wire.SystemErr(),
}
"""The accepted outcomes that carry nothing in the header."""

_OUTCOME_OF: Final = {type(body): outcome for outcome, body in _VOID_OUTCOMES.items()}


def auth_sys(
    user: int, group: int, groups: tuple[int, ...] = (), machine: str = "tester", stamp: int = 0
) -> Authentication:
    """An AUTH_SYS credential, which NFS servers exported with sec=sys want.

    Args:
        user: the numeric user id.
        group: the numeric id of the user's first group.
        groups: ids of up to 16 further groups.
        machine: the caller's name, at most 255 octets of ASCII.
        stamp: an arbitrary number.

    Raises:
        EncodeError: a value does not fit.
    """
    body = wire.encode_auth_sys(wire.AuthSys(stamp, machine, user, group, groups))
    return Authentication(AUTH_SYS_FLAVOR, body)


def encode_call(
    xid: int,
    program: int,
    version: int,
    procedure: int,
    arguments: bytes = b"",
    *,
    credential: Authentication = AUTH_NONE,
    verifier: Authentication = AUTH_NONE,
    rpc_version: int = RPC_VERSION,
) -> bytes:
    """A complete call payload around encoded arguments.

    Raises:
        EncodeError: a value does not fit its field.
    """
    body = wire.CallBody(
        rpc_version, program, version, procedure, _to_wire(credential), _to_wire(verifier)
    )
    return wire.encode_message(wire.RpcMessage(xid, body)) + arguments


def decode_call(payload: bytes) -> tuple[RpcCall, int]:
    """The header of a call payload, and the offset of its arguments.

    The RPC version is not judged.

    Raises:
        DecodeError: the octets do not begin with a call header.
    """
    message, end = wire.decode_message(payload)
    body = message.body
    if not isinstance(body, wire.CallBody):
        raise DecodeError(4, "body.mtype", Reason.BAD_DISCRIMINANT, "a reply, not a call")
    call = RpcCall(
        message.xid,
        body.prog,
        body.vers,
        body.proc,
        _from_wire(body.cred),
        _from_wire(body.verf),
        body.rpcvers,
    )
    return call, end


def encode_reply(reply: RpcReply, results: bytes = b"") -> bytes:
    """A complete reply payload; `results` are appended as they are.

    Raises:
        EncodeError: a value does not fit its field.
    """
    message = wire.RpcMessage(reply.xid, wire.ReplyBody(_reply_body(reply)))
    return wire.encode_message(message) + results


def decode_reply(payload: bytes) -> tuple[RpcReply, int]:
    """The header of a reply payload, and the offset of its results.

    Raises:
        DecodeError: the octets do not begin with a reply header.
    """
    message, end = wire.decode_message(payload)
    if not isinstance(message.body, wire.ReplyBody):
        raise DecodeError(4, "body.mtype", Reason.BAD_DISCRIMINANT, "a call, not a reply")
    body = message.body.reply
    if isinstance(body, wire.RejectedReply):
        return _rejected(message.xid, body.reason), end
    verifier = _from_wire(body.verf)
    data = body.reply_data
    if isinstance(data, wire.ProgMismatch):
        versions = (data.low, data.high)
        return RpcReply(message.xid, RpcOutcome.PROG_MISMATCH, versions, verifier=verifier), end
    return RpcReply(message.xid, _OUTCOME_OF[type(data)], verifier=verifier), end


def accepted(xid: int, results: bytes = b"") -> bytes:
    """A successful reply."""
    return encode_reply(RpcReply(xid, RpcOutcome.SUCCESS), results)


def garbage_args(xid: int) -> bytes:
    """The reply to arguments that cannot be decoded."""
    return encode_reply(RpcReply(xid, RpcOutcome.GARBAGE_ARGS))


def program_unavailable(xid: int) -> bytes:
    """The reply to a call of a program that is not served."""
    return encode_reply(RpcReply(xid, RpcOutcome.PROG_UNAVAIL))


def program_mismatch(xid: int, low: int, high: int) -> bytes:
    """The reply to a call of a program in a version that is not served."""
    return encode_reply(RpcReply(xid, RpcOutcome.PROG_MISMATCH, versions=(low, high)))


def procedure_unavailable(xid: int) -> bytes:
    """The reply to a call of a procedure that the program does not have."""
    return encode_reply(RpcReply(xid, RpcOutcome.PROC_UNAVAIL))


def system_error(xid: int) -> bytes:
    """The reply to a call that could not be executed for reasons of the server's own."""
    return encode_reply(RpcReply(xid, RpcOutcome.SYSTEM_ERR))


def rpc_mismatch(xid: int, low: int = RPC_VERSION, high: int = RPC_VERSION) -> bytes:
    """The reply to a call in another version of RPC itself."""
    return encode_reply(RpcReply(xid, RpcOutcome.RPC_MISMATCH, versions=(low, high)))


def auth_error(xid: int, status: int) -> bytes:
    """The reply to a call whose credential is refused; `status` is RFC 5531's auth_stat."""
    return encode_reply(RpcReply(xid, RpcOutcome.AUTH_ERROR, auth_status=status))


def _rejected(xid: int, reason: wire.RpcMismatch | wire.AuthError) -> RpcReply:
    if isinstance(reason, wire.RpcMismatch):
        return RpcReply(xid, RpcOutcome.RPC_MISMATCH, versions=(reason.low, reason.high))
    return RpcReply(xid, RpcOutcome.AUTH_ERROR, auth_status=reason.stat)


def _reply_body(reply: RpcReply) -> wire.AcceptedReply | wire.RejectedReply:
    match reply.outcome:
        case RpcOutcome.RPC_MISMATCH:
            return wire.RejectedReply(wire.RpcMismatch(*reply.versions))
        case RpcOutcome.AUTH_ERROR:
            return wire.RejectedReply(wire.AuthError(reply.auth_status))
        case RpcOutcome.PROG_MISMATCH:
            data = wire.ProgMismatch(*reply.versions)
            return wire.AcceptedReply(_to_wire(reply.verifier), data)
        case _:
            return wire.AcceptedReply(_to_wire(reply.verifier), _VOID_OUTCOMES[reply.outcome])


def _to_wire(authentication: Authentication) -> wire.OpaqueAuth:
    return wire.OpaqueAuth(authentication.flavor, authentication.body)


def _from_wire(authentication: wire.OpaqueAuth) -> Authentication:
    return Authentication(authentication.flavor, authentication.body)
