"""The Upper-Layer Binding of NFSv3: what may be moved apart, and how large replies get.

    RFC 8267 section 3    Reply Size Estimation
    RFC 8267 section 4    Upper-Layer Binding for NFS Versions 2 and 3

Eligible are the data of WRITE, the path of SYMLINK, the data of READ and the path of READLINK: one
item at most in any call or reply.  The largest results are those with the longest file handles and
with every optional attribute; only READ, READDIR and READDIRPLUS (whose call says how much) and
READLINK (for which a client has to provide) have more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.bindings import DataItem, padded
from rpcrdma.wire import _generated_nfs3 as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.ulp.cursor import PayloadCursor

__all__ = [
    "ENTRY_FIXED",
    "ENTRY_PLUS_FIXED",
    "LARGEST_FIXED",
    "LINK_MAXIMUM",
    "read_directory_maximum",
    "read_directory_plus_maximum",
    "read_link_maximum",
    "read_maximum",
    "symlink_items",
    "walk_read",
    "walk_read_link",
    "write_items",
]

LINK_MAXIMUM: Final = 4096
"""Octets of the longest symbolic link that is provided for; the protocol states no limit."""

WORD: Final = 4

_TIME: Final = wire.Time(0, 0)
_HANDLE: Final = wire.FileHandle(bytes(wire.NFS3_FHSIZE))
_ATTRIBUTES: Final = wire.FileAttributes(
    wire.FileType.NF3REG, 0, 0, 0, 0, 0, 0, wire.DeviceNumbers(0, 0), 0, 0, _TIME, _TIME, _TIME
)
_CHANGE: Final = wire.WeakCacheConsistency(wire.AttributesBefore(0, _TIME, _TIME), _ATTRIBUTES)
_VERIFIER: Final = bytes(wire.NFS3_WRITEVERFSIZE)

_V3: Final = wire.NFS_V3

_MADE: Final = len(wire.encode_make_result(wire.MakeDone(_HANDLE, _ATTRIBUTES, _CHANGE)))
_REMOVED: Final = len(wire.encode_remove_result(wire.RemoveDone(_CHANGE)))

LARGEST_FIXED: Final[Mapping[wire.NFS_V3, int]] = {
    _V3.NFSPROC3_NULL: 0,
    _V3.NFSPROC3_GETATTR: len(wire.encode_getattr_result(wire.GetattrDone(_ATTRIBUTES))),
    _V3.NFSPROC3_SETATTR: len(wire.encode_setattr_result(wire.SetattrDone(_CHANGE))),
    _V3.NFSPROC3_LOOKUP: len(
        wire.encode_lookup_result(wire.LookupDone(_HANDLE, _ATTRIBUTES, _ATTRIBUTES))
    ),
    _V3.NFSPROC3_ACCESS: len(wire.encode_access_result(wire.AccessDone(_ATTRIBUTES, 0))),
    _V3.NFSPROC3_READLINK: len(wire.encode_readlink_result(wire.ReadlinkDone(_ATTRIBUTES, b""))),
    _V3.NFSPROC3_READ: len(
        wire.encode_read_result(wire.ReadDone(_ATTRIBUTES, 0, eof=True, data=b""))
    ),
    _V3.NFSPROC3_WRITE: len(
        wire.encode_write_result(wire.WriteDone(_CHANGE, 0, wire.StableHow.FILE_SYNC, _VERIFIER))
    ),
    _V3.NFSPROC3_CREATE: _MADE,
    _V3.NFSPROC3_MKDIR: _MADE,
    _V3.NFSPROC3_SYMLINK: _MADE,
    _V3.NFSPROC3_MKNOD: _MADE,
    _V3.NFSPROC3_REMOVE: _REMOVED,
    _V3.NFSPROC3_RMDIR: _REMOVED,
    _V3.NFSPROC3_RENAME: len(wire.encode_rename_result(wire.RenameDone(_CHANGE, _CHANGE))),
    _V3.NFSPROC3_LINK: len(wire.encode_link_result(wire.LinkDone(_ATTRIBUTES, _CHANGE))),
    _V3.NFSPROC3_FSSTAT: len(
        wire.encode_fsstat_result(wire.FsstatDone(_ATTRIBUTES, 0, 0, 0, 0, 0, 0, 0))
    ),
    _V3.NFSPROC3_FSINFO: len(
        wire.encode_fsinfo_result(wire.FsinfoDone(_ATTRIBUTES, 0, 0, 0, 0, 0, 0, 0, 0, _TIME, 0))
    ),
    _V3.NFSPROC3_PATHCONF: len(
        wire.encode_pathconf_result(
            wire.PathconfDone(
                _ATTRIBUTES,
                0,
                0,
                no_trunc=True,
                chown_restricted=True,
                case_insensitive=True,
                case_preserving=True,
            )
        )
    ),
    _V3.NFSPROC3_COMMIT: len(wire.encode_commit_result(wire.CommitDone(_CHANGE, _VERIFIER))),
}
"""Octets of the largest results, without the data of READ and the path of READLINK.

READDIR and READDIRPLUS are not here: their calls say how large the results may be.
"""

_NEXT: Final = WORD
"""Before every entry of a listing: that there is one."""

ENTRY_FIXED: Final = _NEXT + len(wire.encode_directory_entry(wire.DirectoryEntry(0, b"", 0)))
"""Octets of an entry of READDIR without its name."""

ENTRY_PLUS_FIXED: Final = _NEXT + len(
    wire.encode_directory_entry_plus(
        wire.DirectoryEntryPlus(0, b"", 0, _ATTRIBUTES, wire.FileHandle(b""))
    )
)
"""Octets of an entry of READDIRPLUS without its name and the octets of its handle."""


def read_maximum(arguments: wire.ReadArguments) -> tuple[int, tuple[int, ...]]:
    """The largest results of READ: the data are at most what was asked for."""
    count = arguments.count
    return LARGEST_FIXED[_V3.NFSPROC3_READ] + padded(count), (count,)


def read_link_maximum(_arguments: wire.ReadlinkArguments) -> tuple[int, tuple[int, ...]]:
    """The largest results of READLINK."""
    return LARGEST_FIXED[_V3.NFSPROC3_READLINK] + LINK_MAXIMUM, (LINK_MAXIMUM,)


def read_directory_maximum(arguments: wire.ReaddirArguments) -> tuple[int, tuple[int, ...]]:
    """The largest results of READDIR: `count` is that of all of READDIR3resok (RFC 1813 3.3.16)."""
    return WORD + max(arguments.count, _SMALLEST_LISTING), ()


def read_directory_plus_maximum(
    arguments: wire.ReaddirPlusArguments,
) -> tuple[int, tuple[int, ...]]:
    """The largest results of READDIRPLUS: likewise, `maxcount` (RFC 1813 3.3.17)."""
    return WORD + max(arguments.maxcount, _SMALLEST_LISTING), ()


_SMALLEST_LISTING: Final = WORD + len(wire.encode_file_attributes(_ATTRIBUTES))
"""What a refusal has, however little the call allows for."""


def write_items(call: bytes, arguments: wire.WriteArguments, _start: int) -> tuple[DataItem, ...]:
    """The data of WRITE, which are the last of its arguments."""
    return _last(call, arguments.data)


def symlink_items(
    call: bytes, arguments: wire.SymlinkArguments, _start: int
) -> tuple[DataItem, ...]:
    """The path of SYMLINK, which is the last of its arguments."""
    return _last(call, arguments.symlink.symlink_data)


def walk_read(cursor: PayloadCursor, _arguments: wire.ReadArguments) -> None:
    """Go over the results of READ."""
    _walk(cursor, _over_count_and_end)


def walk_read_link(cursor: PayloadCursor, _arguments: wire.ReadlinkArguments) -> None:
    """Go over the results of READLINK."""
    _walk(cursor, None)


def _walk(cursor: PayloadCursor, before_item: Callable[[PayloadCursor], None] | None) -> None:
    succeeded = cursor.word() == wire.Status.NFS3_OK
    if cursor.flag():
        cursor.take(wire.decode_file_attributes)
    if not succeeded:
        cursor.no_item()
        return
    if before_item is not None:
        before_item(cursor)
    cursor.item()


def _over_count_and_end(cursor: PayloadCursor) -> None:
    cursor.word()  # count
    cursor.flag()  # end of file


def _last(call: bytes, data: bytes) -> tuple[DataItem, ...]:
    return (DataItem(len(call) - padded(len(data)), len(data)),)
