"""A small NFSv3 server in memory, which a kernel client can mount.

    RFC 1813 section 3.3   the procedures; each error here is one that its section lists

It serves `rpcrdma.ulp.file_store.FileStore` to anybody: credentials are not looked at.  The first
file handle of a client is that of the store's root, which `rpcrdma.ulp.mount3` gives away.

The procedures themselves are in `nfs3_files` and `nfs3_directories`; here is the table that says,
for each, how arguments and results are encoded, what it is about, and how it says that it failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rpcrdma.ulp import nfs3_binding as binding
from rpcrdma.ulp import nfs3_directories as directories
from rpcrdma.ulp import nfs3_files as files
from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_node import FileError
from rpcrdma.ulp.nfs3_attributes import NOBODY, Nfs3Refused, Subject, status_of
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_nfs3 as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.ulp.cursor import Decoder, PayloadCursor
    from rpcrdma.ulp.file_store import FileStore
    from rpcrdma.wire._generated_nfs3 import Status

__all__ = ["Nfs3Program"]

# Each row has its own types of arguments and results, which only the row looks at: hence Any.
Nfs3Execute: TypeAlias = "Callable[[FileStore, Subject, Any], Any]"
Failed: TypeAlias = "Callable[[Status, Subject], Any]"
Maximum: TypeAlias = "Callable[[Any], tuple[int, tuple[int, ...]]]"
Items: TypeAlias = "Callable[[bytes, Any, int], tuple[DataItem, ...]]"


@dataclass(frozen=True, slots=True)
class ProcedureRow:
    """One procedure.

    Attributes:
        decode: its arguments.  encode: its results.
        handle: from the arguments, the file handle of what it is about.
        execute: does it.
        failed: the results that say that it was not done.
        maximum: see `ProgramProcedure.results_maximum`; None if no part of the results varies.
        items: see `ProgramProcedure.items`.
        walk: see `ProgramProcedure.walk`.
    """

    decode: Decoder[Any]
    encode: Callable[[Any], bytes]
    handle: Callable[[Any], wire.FileHandle]
    execute: Nfs3Execute
    failed: Failed
    maximum: Maximum | None = None
    items: Items = lambda _call, _arguments, _start: ()
    walk: Callable[[PayloadCursor, Any], None] | None = None

    def run(self, store: FileStore, arguments: object) -> bytes:
        """Execute the procedure; returns its encoded results, good or bad."""
        subject = NOBODY
        try:
            subject = Subject.of(store.find(self.handle(arguments).data))
            result = self.execute(store, subject, arguments)
        except (FileError, Nfs3Refused) as error:
            result = self.failed(status_of(error), subject)
        return self.encode(result)


_V3: Final = wire.NFS_V3

_UNKNOWN: Final = wire.WeakCacheConsistency(None, None)


def _make_failed(status: Status, subject: Subject) -> wire.MakeResult:
    return wire.MakeFailed(status, subject.change)


def _remove_failed(status: Status, subject: Subject) -> wire.RemoveResult:
    return wire.RemoveFailed(status, subject.change)


ROWS: Final[Mapping[wire.NFS_V3, ProcedureRow]] = {
    _V3.NFSPROC3_GETATTR: ProcedureRow(
        wire.decode_getattr_arguments,
        wire.encode_getattr_result,
        lambda arguments: arguments.object,
        files.get_attributes,
        lambda status, _subject: wire.GetattrFailed(status),
    ),
    _V3.NFSPROC3_SETATTR: ProcedureRow(
        wire.decode_setattr_arguments,
        wire.encode_setattr_result,
        lambda arguments: arguments.object,
        files.set_attributes,
        lambda status, subject: wire.SetattrFailed(status, subject.change),
    ),
    _V3.NFSPROC3_LOOKUP: ProcedureRow(
        wire.decode_lookup_arguments,
        wire.encode_lookup_result,
        lambda arguments: arguments.what.dir,
        directories.lookup,
        lambda status, subject: wire.LookupFailed(status, subject.attributes),
    ),
    _V3.NFSPROC3_ACCESS: ProcedureRow(
        wire.decode_access_arguments,
        wire.encode_access_result,
        lambda arguments: arguments.object,
        files.access,
        lambda status, subject: wire.AccessFailed(status, subject.attributes),
    ),
    _V3.NFSPROC3_READLINK: ProcedureRow(
        wire.decode_readlink_arguments,
        wire.encode_readlink_result,
        lambda arguments: arguments.symlink,
        files.read_link,
        lambda status, subject: wire.ReadlinkFailed(status, subject.attributes),
        maximum=binding.read_link_maximum,
        walk=binding.walk_read_link,
    ),
    _V3.NFSPROC3_READ: ProcedureRow(
        wire.decode_read_arguments,
        wire.encode_read_result,
        lambda arguments: arguments.file,
        files.read,
        lambda status, subject: wire.ReadFailed(status, subject.attributes),
        maximum=binding.read_maximum,
        walk=binding.walk_read,
    ),
    _V3.NFSPROC3_WRITE: ProcedureRow(
        wire.decode_write_arguments,
        wire.encode_write_result,
        lambda arguments: arguments.file,
        files.write,
        lambda status, subject: wire.WriteFailed(status, subject.change),
        items=binding.write_items,
    ),
    _V3.NFSPROC3_CREATE: ProcedureRow(
        wire.decode_create_arguments,
        wire.encode_make_result,
        lambda arguments: arguments.where.dir,
        directories.create,
        _make_failed,
    ),
    _V3.NFSPROC3_MKDIR: ProcedureRow(
        wire.decode_mkdir_arguments,
        wire.encode_make_result,
        lambda arguments: arguments.where.dir,
        directories.make_directory,
        _make_failed,
    ),
    _V3.NFSPROC3_SYMLINK: ProcedureRow(
        wire.decode_symlink_arguments,
        wire.encode_make_result,
        lambda arguments: arguments.where.dir,
        directories.make_symbolic_link,
        _make_failed,
        items=binding.symlink_items,
    ),
    _V3.NFSPROC3_MKNOD: ProcedureRow(
        wire.decode_mknod_arguments,
        wire.encode_make_result,
        lambda arguments: arguments.where.dir,
        directories.make_node,
        _make_failed,
    ),
    _V3.NFSPROC3_REMOVE: ProcedureRow(
        wire.decode_remove_arguments,
        wire.encode_remove_result,
        lambda arguments: arguments.object.dir,
        directories.remove,
        _remove_failed,
    ),
    _V3.NFSPROC3_RMDIR: ProcedureRow(
        wire.decode_remove_arguments,
        wire.encode_remove_result,
        lambda arguments: arguments.object.dir,
        directories.remove_directory,
        _remove_failed,
    ),
    _V3.NFSPROC3_RENAME: ProcedureRow(
        wire.decode_rename_arguments,
        wire.encode_rename_result,
        lambda arguments: arguments.from_.dir,
        directories.rename,
        lambda status, subject: wire.RenameFailed(
            status, wire.RenameFailedData(subject.change, _UNKNOWN)
        ),
    ),
    _V3.NFSPROC3_LINK: ProcedureRow(
        wire.decode_link_arguments,
        wire.encode_link_result,
        lambda arguments: arguments.file,
        directories.link,
        lambda status, subject: wire.LinkFailed(
            status, wire.LinkFailedData(subject.attributes, _UNKNOWN)
        ),
    ),
    _V3.NFSPROC3_READDIR: ProcedureRow(
        wire.decode_readdir_arguments,
        wire.encode_readdir_result,
        lambda arguments: arguments.dir,
        directories.read_directory,
        lambda status, subject: wire.ReaddirFailed(status, subject.attributes),
        maximum=binding.read_directory_maximum,
    ),
    _V3.NFSPROC3_READDIRPLUS: ProcedureRow(
        wire.decode_readdir_plus_arguments,
        wire.encode_readdir_plus_result,
        lambda arguments: arguments.dir,
        directories.read_directory_plus,
        lambda status, subject: wire.ReaddirPlusFailed(status, subject.attributes),
        maximum=binding.read_directory_plus_maximum,
    ),
    _V3.NFSPROC3_FSSTAT: ProcedureRow(
        wire.decode_file_system_arguments,
        wire.encode_fsstat_result,
        lambda arguments: arguments.object,
        files.file_system_status,
        lambda status, subject: wire.FsstatFailed(status, subject.attributes),
    ),
    _V3.NFSPROC3_FSINFO: ProcedureRow(
        wire.decode_file_system_arguments,
        wire.encode_fsinfo_result,
        lambda arguments: arguments.object,
        files.file_system_information,
        lambda status, subject: wire.FsinfoFailed(status, subject.attributes),
    ),
    _V3.NFSPROC3_PATHCONF: ProcedureRow(
        wire.decode_file_system_arguments,
        wire.encode_pathconf_result,
        lambda arguments: arguments.object,
        files.path_configuration,
        lambda status, subject: wire.PathconfFailed(status, subject.attributes),
    ),
    _V3.NFSPROC3_COMMIT: ProcedureRow(
        wire.decode_commit_arguments,
        wire.encode_commit_result,
        lambda arguments: arguments.file,
        files.commit,
        lambda status, subject: wire.CommitFailed(status, subject.change),
    ),
}
"""Every procedure but NULL."""


class Nfs3Program(ProcedureTable):
    """NFSv3 of a file store; it keeps nothing of a connection."""

    def __init__(self, store: FileStore) -> None:
        procedures = {number.value: _procedure(number, row, store) for number, row in ROWS.items()}
        procedures[_V3.NFSPROC3_NULL.value] = ProgramProcedure(
            no_arguments, lambda call, _arguments: [rpc.accepted(call.xid)], lambda _: (0, ())
        )
        super().__init__(wire.NFS_PROGRAM, wire.NFS3_VERSION, procedures)


def _procedure(number: wire.NFS_V3, row: ProcedureRow, store: FileStore) -> ProgramProcedure[Any]:
    largest = binding.LARGEST_FIXED.get(number, 0)
    return ProgramProcedure(
        row.decode,
        lambda call, arguments: [rpc.accepted(call.xid, row.run(store, arguments))],
        row.maximum or (lambda _arguments: (largest, ())),
        items=row.items,
        walk=row.walk,
    )
