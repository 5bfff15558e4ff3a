"""NFSv3 for a tester: building calls, reading their results.

    RFC 1813 section 3.3   the procedures

A call begins as an `Ask`, which `call` makes a complete payload of:
`call(xid, read(handle, 0, 4096))`.  The binding to a transport is `rpcrdma.ulp.nfs3_binding`; the
server behind it is `rpcrdma.ulp.nfs3_server`.  The first file handle is from the MOUNT protocol
(`rpcrdma.ulp.mount3`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.ulp.nfs3_attributes import KEEP
from rpcrdma.wire import _generated_nfs3 as wire

if TYPE_CHECKING:
    from rpcrdma.ulp.cursor import Decoder

__all__ = [
    "AS_IT_IS",
    "ROOT_USER",
    "Ask",
    "call",
    "create",
    "get_attributes",
    "lookup",
    "null",
    "parse",
    "read",
    "read_directory",
    "read_directory_plus",
    "read_link",
    "remove",
    "symbolic_link",
    "write",
]

R = TypeVar("R")

ROOT_USER: Final = rpc.auth_sys(0, 0)
"""User and group 0, which an export with no_root_squash lets read and write everything."""

AS_IT_IS: Final = wire.NewAttributes(None, None, None, None, KEEP, KEEP)
"""No attribute is to be set."""

_V3: Final = wire.NFS_V3
_FIRST: Final = bytes(wire.NFS3_COOKIEVERFSIZE)
"""The verifier that goes with the cookie of the beginning."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A procedure and its encoded arguments."""

    procedure: int
    arguments: bytes = b""


def call(xid: int, ask: Ask, *, credential: rpc.Authentication = ROOT_USER) -> bytes:
    """A complete, unreduced call payload."""
    program, version = wire.NFS_PROGRAM, wire.NFS3_VERSION
    return rpc.encode_call(
        xid, program, version, ask.procedure, ask.arguments, credential=credential
    )


def parse(reply: bytes, decode: Decoder[R]) -> R:
    """The results of an unreduced, successful reply.

    Args:
        reply: unreduced.
        decode: of the procedure's results, `wire.decode_read_result`.

    Raises:
        DecodeError: the reply is not that.
    """
    header, start = rpc.decode_reply(reply)
    if not header.succeeded:
        raise DecodeError(start, "results", Reason.TRUNCATED, header.outcome.value)
    result, end = decode(reply, start)
    if end != len(reply):
        raise DecodeError(end, "results", Reason.TRAILING, f"{len(reply) - end} octets")
    return result


def null() -> Ask:
    """NULL."""
    return Ask(_V3.NFSPROC3_NULL)


def get_attributes(handle: bytes) -> Ask:
    """GETATTR."""
    arguments = wire.GetattrArguments(wire.FileHandle(handle))
    return Ask(_V3.NFSPROC3_GETATTR, wire.encode_getattr_arguments(arguments))


def lookup(directory: bytes, name: bytes) -> Ask:
    """LOOKUP."""
    arguments = wire.LookupArguments(_name(directory, name))
    return Ask(_V3.NFSPROC3_LOOKUP, wire.encode_lookup_arguments(arguments))


def read_link(handle: bytes) -> Ask:
    """READLINK; its path is DDP-eligible."""
    arguments = wire.ReadlinkArguments(wire.FileHandle(handle))
    return Ask(_V3.NFSPROC3_READLINK, wire.encode_readlink_arguments(arguments))


def read(handle: bytes, offset: int, count: int) -> Ask:
    """READ; its data are DDP-eligible."""
    arguments = wire.ReadArguments(wire.FileHandle(handle), offset, count)
    return Ask(_V3.NFSPROC3_READ, wire.encode_read_arguments(arguments))


def write(
    handle: bytes,
    offset: int,
    data: bytes,
    stable: wire.StableHow = wire.StableHow.FILE_SYNC,
) -> Ask:
    """WRITE; its data are DDP-eligible."""
    arguments = wire.WriteArguments(wire.FileHandle(handle), offset, len(data), stable, data)
    return Ask(_V3.NFSPROC3_WRITE, wire.encode_write_arguments(arguments))


def create(directory: bytes, name: bytes) -> Ask:
    """CREATE of a file that may be there already."""
    how = wire.CreateUnchecked(AS_IT_IS)
    arguments = wire.CreateArguments(_name(directory, name), how)
    return Ask(_V3.NFSPROC3_CREATE, wire.encode_create_arguments(arguments))


def symbolic_link(directory: bytes, name: bytes, target: bytes) -> Ask:
    """SYMLINK; its path is DDP-eligible."""
    link = wire.SymlinkData(AS_IT_IS, target)
    arguments = wire.SymlinkArguments(_name(directory, name), link)
    return Ask(_V3.NFSPROC3_SYMLINK, wire.encode_symlink_arguments(arguments))


def remove(directory: bytes, name: bytes) -> Ask:
    """REMOVE."""
    arguments = wire.RemoveArguments(_name(directory, name))
    return Ask(_V3.NFSPROC3_REMOVE, wire.encode_remove_arguments(arguments))


def read_directory(
    directory: bytes, count: int, *, cookie: int = 0, verifier: bytes = _FIRST
) -> Ask:
    """READDIR of at most `count` octets of results."""
    arguments = wire.ReaddirArguments(wire.FileHandle(directory), cookie, verifier, count)
    return Ask(_V3.NFSPROC3_READDIR, wire.encode_readdir_arguments(arguments))


def read_directory_plus(
    directory: bytes, maximum: int, *, cookie: int = 0, verifier: bytes = _FIRST
) -> Ask:
    """READDIRPLUS of at most `maximum` octets of results."""
    arguments = wire.ReaddirPlusArguments(
        wire.FileHandle(directory), cookie, verifier, maximum, maximum
    )
    return Ask(_V3.NFSPROC3_READDIRPLUS, wire.encode_readdir_plus_arguments(arguments))


def _name(directory: bytes, name: bytes) -> wire.DirectoryName:
    return wire.DirectoryName(wire.FileHandle(directory), name)
