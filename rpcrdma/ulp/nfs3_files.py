"""What the embedded NFSv3 server does with one file: attributes, content, its file system.

    RFC 1813 section 3.3    GETATTR, SETATTR, ACCESS, READLINK, READ, WRITE, FSSTAT, FSINFO,
                            PATHCONF, COMMIT

Each function executes one procedure on a subject that was found, and returns its results or raises
`Nfs3Refused` or `FileError`.  Credentials are not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_node import CHANGE_INTERVAL, MAXIMUM_FILE_SIZE, FileKind
from rpcrdma.ulp.file_store import NAME_MAXIMUM, NODES_MAXIMUM
from rpcrdma.ulp.nfs3_attributes import Nfs3Refused, attributes_of, change_attributes
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status

if TYPE_CHECKING:
    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.ulp.file_store import FileStore
    from rpcrdma.ulp.nfs3_attributes import Subject

__all__ = [
    "DIRECTORY_PREFERRED",
    "READ_MAXIMUM",
    "access",
    "commit",
    "file_system_information",
    "file_system_status",
    "get_attributes",
    "path_configuration",
    "read",
    "read_link",
    "set_attributes",
    "write",
]

READ_MAXIMUM: Final = 1024 * 1024
"""Octets that one READ or WRITE moves at most."""

DIRECTORY_PREFERRED: Final = 64 * 1024
"""Octets of a READDIR reply that clients should ask for: far beyond any inline threshold."""

LINKS_MAXIMUM: Final = 32_000
"""What PATHCONF says; nothing here depends on it."""

VERIFIER: Final = b"one-life"
"""Of written data: this server never loses any while it runs."""

_BLOCK: Final = 4096
"""The multiple in which to read and write; nothing here depends on it."""

_SIZE: Final = 2**30
"""Octets of the file system, as FSSTAT tells; a small part of it is what `file_store` bounds."""

_CHANGES: Final = wire.ACCESS3_MODIFY | wire.ACCESS3_EXTEND


def get_attributes(
    _store: FileStore, subject: Subject, _arguments: wire.GetattrArguments
) -> wire.GetattrResult:
    """GETATTR."""
    return wire.GetattrDone(attributes_of(subject.node))


def set_attributes(
    _store: FileStore, subject: Subject, arguments: wire.SetattrArguments
) -> wire.SetattrResult:
    """SETATTR; the guard is the time of the last change."""
    if arguments.guard is not None and arguments.guard != attributes_of(subject.node).ctime:
        raise Nfs3Refused(Status.NFS3ERR_NOT_SYNC)
    change_attributes(subject.node, arguments.new_attributes)
    return wire.SetattrDone(subject.change)


def access(
    _store: FileStore, subject: Subject, arguments: wire.AccessArguments
) -> wire.AccessResult:
    """ACCESS: everybody may do everything that can be done."""
    return wire.AccessDone(subject.attributes, arguments.access & _possible(subject.node))


def read_link(
    _store: FileStore, subject: Subject, _arguments: wire.ReadlinkArguments
) -> wire.ReadlinkResult:
    """READLINK."""
    if subject.node.kind is not FileKind.LINK:
        raise Nfs3Refused(Status.NFS3ERR_INVAL)
    return wire.ReadlinkDone(subject.attributes, bytes(subject.node.content))


def read(_store: FileStore, subject: Subject, arguments: wire.ReadArguments) -> wire.ReadResult:
    """READ."""
    node = _file(subject.node)
    data, at_end = node.read(arguments.offset, min(arguments.count, READ_MAXIMUM))
    return wire.ReadDone(subject.attributes, len(data), at_end, data)


def write(_store: FileStore, subject: Subject, arguments: wire.WriteArguments) -> wire.WriteResult:
    """WRITE: as stable as was asked, so that clients that want to COMMIT do."""
    node = _file(subject.node)
    if not node.writable:
        raise Nfs3Refused(Status.NFS3ERR_ACCES)
    if arguments.count != len(arguments.data):
        raise Nfs3Refused(Status.NFS3ERR_INVAL)
    if not node.write(arguments.offset, arguments.data):
        raise Nfs3Refused(Status.NFS3ERR_FBIG)
    return wire.WriteDone(subject.change, arguments.count, arguments.stable, VERIFIER)


def commit(
    _store: FileStore, subject: Subject, _arguments: wire.CommitArguments
) -> wire.CommitResult:
    """COMMIT: there is nothing to be done."""
    _file(subject.node)
    return wire.CommitDone(subject.change, VERIFIER)


def file_system_status(
    store: FileStore, subject: Subject, _arguments: wire.FileSystemArguments
) -> wire.FsstatResult:
    """FSSTAT."""
    free = NODES_MAXIMUM - len(store)
    return wire.FsstatDone(
        subject.attributes, _SIZE, _SIZE, _SIZE, NODES_MAXIMUM, free, free, invarsec=0
    )


def file_system_information(
    _store: FileStore, subject: Subject, _arguments: wire.FileSystemArguments
) -> wire.FsinfoResult:
    """FSINFO."""
    return wire.FsinfoDone(
        subject.attributes,
        rtmax=READ_MAXIMUM,
        rtpref=READ_MAXIMUM,
        rtmult=_BLOCK,
        wtmax=READ_MAXIMUM,
        wtpref=READ_MAXIMUM,
        wtmult=_BLOCK,
        dtpref=DIRECTORY_PREFERRED,
        maxfilesize=MAXIMUM_FILE_SIZE,
        time_delta=wire.Time(0, CHANGE_INTERVAL),
        properties=(
            wire.FSF3_LINK | wire.FSF3_SYMLINK | wire.FSF3_HOMOGENEOUS | wire.FSF3_CANSETTIME
        ),
    )


def path_configuration(
    _store: FileStore, subject: Subject, _arguments: wire.FileSystemArguments
) -> wire.PathconfResult:
    """PATHCONF."""
    return wire.PathconfDone(
        subject.attributes,
        LINKS_MAXIMUM,
        NAME_MAXIMUM,
        no_trunc=True,
        chown_restricted=True,
        case_insensitive=False,
        case_preserving=True,
    )


def _file(node: FileNode) -> FileNode:
    if node.kind is FileKind.DIRECTORY:
        raise Nfs3Refused(Status.NFS3ERR_ISDIR)
    if node.kind is not FileKind.FILE:
        raise Nfs3Refused(Status.NFS3ERR_INVAL)
    return node


def _possible(node: FileNode) -> int:
    """The bits of ACCESS that mean something for a node."""
    match node.kind:
        case FileKind.DIRECTORY:
            return wire.ACCESS3_READ | wire.ACCESS3_LOOKUP | wire.ACCESS3_DELETE | _CHANGES
        case FileKind.LINK:
            return wire.ACCESS3_READ
        case FileKind.FILE:
            changes = _CHANGES if node.writable else 0
            execute = wire.ACCESS3_EXECUTE if node.mode & 0o111 else 0
            return wire.ACCESS3_READ | changes | execute
