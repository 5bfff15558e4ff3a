"""NFS version 4 for a tester: building COMPOUND calls, reading their replies.

    RFC 7530 section 14.2  Procedure 1: COMPOUND
    RFC 7530 section 16    the operations

A call is a sequence of operations around a current file handle, for example
`compound(xid, *at("size-4096"), read(0, 4096))`.  The binding to a transport is
`rpcrdma.ulp.nfs4_binding`; the server behind it on loopback is `rpcrdma.ulp.nfs4_server`.

Reads and writes use the anonymous stateid (RFC 7530 9.1.4.3) unless another is given.  What needs a
session of NFSv4.1 is put together by `rpcrdma.ulp.nfs4_session_client`.
"""

from __future__ import annotations

from typing import Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.ulp.nfs4_attributes import bitmap_of
from rpcrdma.wire import _generated_nfs4 as wire

__all__ = [
    "ANONYMOUS",
    "ROOT_USER",
    "at",
    "close",
    "compound",
    "get_attributes",
    "get_handle",
    "lookup",
    "null",
    "open_file",
    "parse",
    "put_handle",
    "put_root",
    "read",
    "read_directory",
    "read_link",
    "return_delegation",
    "write",
]

ANONYMOUS: Final = wire.StateId(0, bytes(wire.NFS4_OTHER_SIZE))
"""The stateid of nobody's OPEN."""

EXISTING: Final = wire.OpenNoCreate(wire.OpenType.OPEN4_NOCREATE)
"""An OPEN that creates nothing."""

ROOT_USER: Final = rpc.auth_sys(0, 0)
"""User and group 0, which an export with no_root_squash lets read and write everything."""


def null(xid: int) -> bytes:
    """A call of the NULL procedure."""
    return rpc.encode_call(xid, wire.NFS4_PROGRAM, wire.NFS4_VERSION, wire.NFS_V4.NFSPROC4_NULL)


def compound(
    xid: int,
    *operations: wire.ArgumentOperation,
    tag: bytes = b"",
    minor: int = 0,
    credential: rpc.Authentication = ROOT_USER,
) -> bytes:
    """A complete, unreduced COMPOUND call payload."""
    arguments = wire.encode_compound_arguments(wire.CompoundArguments(tag, minor, operations))
    return rpc.encode_call(
        xid,
        wire.NFS4_PROGRAM,
        wire.NFS4_VERSION,
        wire.NFS_V4.NFSPROC4_COMPOUND,
        arguments,
        credential=credential,
    )


def parse(reply: bytes) -> wire.CompoundResult:
    """The results of an unreduced, successful COMPOUND reply.

    Raises:
        DecodeError: the reply is not that.
    """
    header, start = rpc.decode_reply(reply)
    if not header.succeeded:
        raise DecodeError(start, "results", Reason.TRUNCATED, header.outcome.value)
    result, end = wire.decode_compound_result(reply, start)
    if end != len(reply):
        raise DecodeError(end, "results", Reason.TRAILING, f"{len(reply) - end} octets")
    return result


def at(path: str) -> tuple[wire.ArgumentOperation, ...]:
    """Operations that make the file of a path, from the server's root, the current one."""
    names = [name for name in path.split("/") if name]
    return (put_root(), *(lookup(name) for name in names))


def put_root() -> wire.ArgumentOperation:
    """PUTROOTFH: the root becomes the current file."""
    return wire.PutrootfhArguments()


def lookup(name: str) -> wire.ArgumentOperation:
    """LOOKUP: an entry of the current directory becomes the current file."""
    return wire.LookupArguments(name.encode())


def get_handle() -> wire.ArgumentOperation:
    """GETFH."""
    return wire.GetfhArguments()


def put_handle(handle: bytes) -> wire.ArgumentOperation:
    """PUTFH."""
    return wire.PutfhArguments(handle)


def get_attributes(*numbers: int) -> wire.ArgumentOperation:
    """GETATTR of these attribute numbers (`FATTR4_*`)."""
    return wire.GetattrArguments(bitmap_of(numbers))


def read(offset: int, count: int, stateid: wire.StateId = ANONYMOUS) -> wire.ArgumentOperation:
    """READ; its data is DDP-eligible."""
    return wire.ReadArguments(stateid, offset, count)


def write(
    offset: int,
    data: bytes,
    stable: wire.StableHow = wire.StableHow.FILE_SYNC4,
    stateid: wire.StateId = ANONYMOUS,
) -> wire.ArgumentOperation:
    """WRITE; its data is DDP-eligible."""
    return wire.WriteArguments(stateid, offset, stable, data)


def open_file(
    name: str,
    owner: wire.StateOwner,
    *,
    access: int = wire.OPEN4_SHARE_ACCESS_READ,
    how: wire.OpenHow = EXISTING,
    sequence: int = 0,
) -> wire.ArgumentOperation:
    """OPEN of an entry of the current directory, denying nothing to others.

    Args:
        name: of the file.
        owner: who opens it, and its client id.
        access: OPEN4_SHARE_ACCESS_READ, _WRITE or _BOTH, and in NFSv4.1 which delegation is wanted.
        how: whether and how it may be created.
        sequence: the owner's seqid, in NFSv4.0.
    """
    deny = wire.OPEN4_SHARE_DENY_NONE
    return wire.OpenArguments(sequence, access, deny, owner, how, wire.ClaimName(name.encode()))


def close(stateid: wire.StateId, sequence: int = 0) -> wire.ArgumentOperation:
    """CLOSE of the current file; `sequence` is the owner's seqid, in NFSv4.0."""
    return wire.CloseArguments(sequence, stateid)


def return_delegation(stateid: wire.StateId) -> wire.ArgumentOperation:
    """DELEGRETURN of the current file."""
    return wire.DelegreturnArguments(stateid)


def read_directory(
    maximum: int,
    *numbers: int,
    cookie: int = 0,
    verifier: bytes = bytes(wire.NFS4_VERIFIER_SIZE),
) -> wire.ArgumentOperation:
    """READDIR of at most `maximum` octets of results, with these attributes of each entry."""
    return wire.ReaddirArguments(cookie, verifier, maximum, maximum, bitmap_of(numbers))


def read_link() -> wire.ArgumentOperation:
    """READLINK; its link is DDP-eligible."""
    return wire.ReadlinkArguments()
