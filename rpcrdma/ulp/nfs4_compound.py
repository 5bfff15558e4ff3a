"""One COMPOUND in execution: what its operations share, and how they refuse.

RFC 7530 section 14.2   COMPOUND: the current and the saved file handle
RFC 5661 section 16.2.3.1.2   current and saved stateid
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_node import FileKind, FileNode
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

if TYPE_CHECKING:
    from rpcrdma.ulp.file_store import FileStore
    from rpcrdma.ulp.nfs4_slots import Slot
    from rpcrdma.ulp.nfs4_state import ConnectionBinding, Nfs4Session, Nfs4State

__all__ = ["CURRENT", "Compound", "Nfs4Refused", "change_of", "name_from"]

CURRENT: Final = wire.StateId(1, bytes(wire.NFS4_OTHER_SIZE))
"""RFC 5661 8.2.3: stands for the stateid that an operation before this one returned."""


class Nfs4Refused(Exception):
    """An operation ends with this status."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


@dataclass(slots=True)
class Compound:
    """What the operations of one COMPOUND share.

    Attributes:
        store: the files.
        state: clients, opens and sessions, which all connections share.
        binding: what belongs to this connection.
        minor: the minor version.
        operations: how many there are.
        size: octets of the whole call.
        current: the node of the current file handle.  saved: of the saved one.
        stateid: the current stateid of NFSv4.1.  saved_stateid: the saved one.
        digest: tells this COMPOUND from another one.
        session: of the SEQUENCE that began this, if one did.  slot: likewise.
        repeats: whether it is a retry whose results were not kept.
    """

    store: FileStore
    state: Nfs4State
    binding: ConnectionBinding
    minor: int = 0
    operations: int = 0
    size: int = 0
    digest: int = 0
    current: FileNode | None = None
    saved: FileNode | None = None
    stateid: wire.StateId | None = None
    saved_stateid: wire.StateId | None = None
    session: Nfs4Session | None = None
    slot: Slot | None = field(default=None, repr=False)
    repeats: bool = False

    def node(self) -> FileNode:
        """The current file, of any kind."""
        if self.current is None:
            raise Nfs4Refused(Status.NFS4ERR_NOFILEHANDLE)
        return self.current

    def saved_node(self) -> FileNode:
        """The saved file, of any kind."""
        if self.saved is None:
            raise Nfs4Refused(Status.NFS4ERR_NOFILEHANDLE)
        return self.saved

    def directory(self) -> FileNode:
        """The current file, which must be a directory."""
        node = self.node()
        if node.kind is FileKind.LINK:
            raise Nfs4Refused(Status.NFS4ERR_SYMLINK)
        if node.kind is not FileKind.DIRECTORY:
            raise Nfs4Refused(Status.NFS4ERR_NOTDIR)
        return node

    def file(self) -> FileNode:
        """The current file, which must be a regular one."""
        node = self.node()
        if node.kind is FileKind.DIRECTORY:
            raise Nfs4Refused(Status.NFS4ERR_ISDIR)
        if node.kind is FileKind.LINK:
            raise Nfs4Refused(Status.NFS4ERR_SYMLINK if self.minor else Status.NFS4ERR_INVAL)
        return node

    def move(self, node: FileNode | None) -> None:
        """Make another file the current one; the current stateid does not go with it."""
        self.current = node
        self.stateid = None


def name_from(octets: bytes) -> str:
    """A name as the store keeps it; octets that are not UTF-8 survive both ways.

    Raises:
        Refused: it is empty.
    """
    if not octets:
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    return octets.decode("utf-8", "surrogateescape")


def change_of(directory: FileNode, before: int) -> wire.ChangeInformation:
    """What an operation did to a directory whose change number was `before`."""
    return wire.ChangeInformation(atomic=True, before=before, after=directory.change)
