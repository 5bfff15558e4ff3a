"""Asks a server's MOUNT service, by TCP, for the file handle of an export.

RFC 1813 section 5      Appendix I: Mount protocol
RFC 8267 section 5.1    a server of NFSv3 over RDMA has MOUNT by TCP
"""

from __future__ import annotations

import socket
from typing import Final

from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.ulp.mount3 import mount_call
from rpcrdma.ulp.record_marking import RecordError, RecordReader, encode_record
from rpcrdma.wire import _generated_mount3 as wire
from targets.base import TargetError

__all__ = ["MountRefused", "export_handle", "mount_request", "mounted_handle"]

_XID: Final = 0x4D4E5433
_CHUNK: Final = 65536

_REMEDY: Final = (
    "set `extra.mount_port` to the TCP port of its MOUNT service and `extra.export` to the path of"
    " the export, or `extra.root_handle` to its file handle"
)


class MountRefused(Exception):
    """The server answers, but not with a handle."""


def export_handle(
    address: str, port: int, path: str, credential: rpc.Authentication, deadline: float
) -> bytes:
    """The file handle of an export's root.

    Args:
        address: of the server.
        port: of its MOUNT service, by TCP.
        path: of the export, as the server calls it.
        credential: of the call.
        deadline: seconds for each step.

    Raises:
        TargetError: it cannot be got, and what to do about it.
    """
    where = f"the MOUNT service at TCP {address}:{port}"
    call = mount_request(path, credential)
    try:
        with socket.create_connection((address, port), timeout=deadline) as stream:
            stream.sendall(encode_record(call))
            reply = _message(stream)
        return mounted_handle(reply)
    except (OSError, RecordError, DecodeError, MountRefused) as error:
        raise TargetError(f"{where} does not mount `{path}`: {error}; {_REMEDY}") from error


def _message(stream: socket.socket) -> bytes:
    reader = RecordReader()
    while octets := stream.recv(_CHUNK):
        if found := reader.feed(octets):
            return found[0]
    raise MountRefused("it closed the connection without a reply")


def mount_request(path: str, credential: rpc.Authentication) -> bytes:
    """The call that asks for an export by its path."""
    return mount_call(_XID, path.encode(), credential=credential)


def mounted_handle(reply: bytes) -> bytes:
    """The file handle in the reply.

    Raises:
        MountRefused: there is none.
        DecodeError: it is no reply.
    """
    header, start = rpc.decode_reply(reply)
    if not header.succeeded:
        raise MountRefused(header.outcome.value)
    result, _ = wire.decode_mount_result(reply, start)
    if isinstance(result, wire.MountFailed):
        raise MountRefused(f"status {result.fhs_status.name}")
    return result.fhandle
