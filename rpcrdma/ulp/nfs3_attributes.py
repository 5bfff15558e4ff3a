"""File attributes of NFSv3: those of a node, and what SETATTR and CREATE change of them.

    RFC 1813 section 2.6     fattr3, wcc_data, sattr3
    RFC 1813 section 3.3.2   SETATTR - Set file attributes

A `Subject` is the file or directory that a procedure is about, with what weak cache consistency
data want to know of it as it was before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_node import FileError, FileKind, FileProblem
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status, TimeHow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.file_node import FileNode

__all__ = [
    "KEEP",
    "NOBODY",
    "Nfs3Refused",
    "Subject",
    "attributes_of",
    "change_attributes",
    "status_of",
]

NANOSECONDS: Final = 10**9

FILE_SYSTEM: Final = 0x8166
"""The fsid of every file: there is one file system."""

NO_DEVICE: Final = wire.DeviceNumbers(0, 0)

KEEP: Final = wire.KeepOrServerTime(TimeHow.DONT_CHANGE)
"""A time that is not to be set."""

FILE_TYPES: Final[Mapping[FileKind, wire.FileType]] = {
    FileKind.FILE: wire.FileType.NF3REG,
    FileKind.DIRECTORY: wire.FileType.NF3DIR,
    FileKind.LINK: wire.FileType.NF3LNK,
}


class Nfs3Refused(Exception):
    """A procedure ends with this status."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


def status_of(error: FileError | Nfs3Refused) -> Status:
    """The status by which NFSv3 says that something cannot be done."""
    return (
        error.status if isinstance(error, Nfs3Refused) else Status[f"NFS3ERR_{error.problem.name}"]
    )


def attributes_of(node: FileNode) -> wire.FileAttributes:
    """What GETATTR tells of a node."""
    size = len(node.content)
    return wire.FileAttributes(
        FILE_TYPES[node.kind],
        node.mode,
        node.links,
        node.user,
        node.group,
        size,
        size,
        NO_DEVICE,
        FILE_SYSTEM,
        node.number,
        _time(node.accessed),
        _time(node.modified),
        _time(node.changed),
    )


def change_attributes(node: FileNode, wanted: wire.NewAttributes) -> None:
    """Set what a client wants set.

    Raises:
        Refused: the content of a file that is not writable would change (ACCES).
        FileError: the size cannot be (ISDIR, INVAL, FBIG); nothing is changed then.
    """
    if wanted.size is not None:
        if node.kind is FileKind.FILE and not node.writable:
            raise Nfs3Refused(Status.NFS3ERR_ACCES)
        node.resize(wanted.size)
    node.mode = node.mode if wanted.mode is None else wanted.mode & 0o7777
    node.user = node.user if wanted.uid is None else wanted.uid
    node.group = node.group if wanted.gid is None else wanted.gid
    node.touch()
    node.accessed = _chosen(wanted.atime, node.accessed, node.changed)
    node.modified = _chosen(wanted.mtime, node.modified, node.changed)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a procedure is about.

    Attributes:
        found: the file or directory; None if its handle is of none.
        before: what weak cache consistency data say of it as it was.
    """

    found: FileNode | None
    before: wire.AttributesBefore | None = None

    @classmethod
    def of(cls, node: FileNode) -> Subject:
        """A node before anything is changed."""
        before = wire.AttributesBefore(len(node.content), _time(node.modified), _time(node.changed))
        return cls(node, before)

    @property
    def node(self) -> FileNode:
        """The file or directory, which must be there.

        Raises:
            FileError: it is not (STALE).
        """
        if self.found is None:
            raise FileError(FileProblem.STALE)
        return self.found

    @property
    def attributes(self) -> wire.FileAttributes | None:
        """Its attributes as they are now."""
        return None if self.found is None else attributes_of(self.found)

    @property
    def change(self) -> wire.WeakCacheConsistency:
        """What was, and what is now."""
        return wire.WeakCacheConsistency(self.before, self.attributes)


NOBODY: Final = Subject(None)
"""The subject of a handle that is of no file."""


def _time(nanoseconds: int) -> wire.Time:
    return wire.Time(*divmod(nanoseconds, NANOSECONDS))


def _chosen(wanted: wire.SetTime, present: int, now: int) -> int:
    if isinstance(wanted, wire.Time):
        return wanted.seconds * NANOSECONDS + wanted.nseconds
    return now if wanted.set_it is TimeHow.SET_TO_SERVER_TIME else present
