"""Every file attribute of NFSv4 that is known here: its number, its shape, and its value.

    RFC 7530 section 5    File Attributes (the values of NFSv4.0)
    RFC 5661 section 5.8.1.14   suppattr_exclcreat

Each row gives the largest encoded size in octets, how the value is made from a node, and how it is
read.  Attributes of the file system are the same for every node; limits are those of the store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from rpcrdma.ulp.file_node import MAXIMUM_FILE_SIZE, FileKind
from rpcrdma.ulp.file_store import NAME_MAXIMUM, NODES_MAXIMUM
from rpcrdma.wire import _generated_nfs4 as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rpcrdma.ulp.file_node import FileNode

__all__ = [
    "ATTRIBUTES",
    "BITMAP_WORDS",
    "LEASE_SECONDS",
    "SETTABLE",
    "TRANSFER_MAXIMUM",
    "Attribute",
    "AttributeValue",
    "bitmap_of",
]

WORD_BITS: Final = 32
BITMAP_WORDS: Final = 3
"""Words of the largest bitmap that servers of any minor version return."""

LEASE_SECONDS: Final = 90
"""What clients are told; there is no clock here, and no lease ever ends."""

TRANSFER_MAXIMUM: Final = 1024 * 1024
"""Octets that one READ or WRITE moves at most."""

OWNER_MAXIMUM: Final = 128
"""Octets provided for the name of an owner; ours are numbers in digits (RFC 7530 5.9)."""

NANOSECONDS: Final = 10**9
BLOCK: Final = 4096
SPACE: Final = NODES_MAXIMUM * BLOCK
"""Octets that the file system claims to have, used or not."""

ACL_MAXIMUM: Final = 64 * 1024
"""Octets provided for an access control list, which no document limits: what Linux provides."""

ALLOWING_ENTRIES: Final = 1
"""ACL4_SUPPORT_ALLOW_ACL (RFC 7530 section 6.2.1.2)."""

AttributeValue: TypeAlias = int | bytes | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: largest encoded size, and its codec."""

    maximum: int
    encode: Callable[[FileNode], bytes]
    decode: Callable[[bytes, int], tuple[AttributeValue, int]]


def bitmap_of(numbers: Iterable[int]) -> tuple[int, ...]:
    """The bitmap4 with these attribute numbers; no trailing zero words."""
    words: list[int] = []
    for number in numbers:
        index, bit = divmod(number, WORD_BITS)
        words += [0] * (index + 1 - len(words))
        words[index] |= 1 << bit
    return tuple(words)


def _bitmap(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_bitmap(buffer, offset)
    return value.value, end


def _word(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_word(buffer, offset)
    return value.value, end


def _hyper(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_hyper(buffer, offset)
    return value.value, end


def _handle(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_handle(buffer, offset)
    return value.value, end


def _text(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_attribute_text(buffer, offset)
    return value.value, end


def _file_system(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_file_system_id(buffer, offset)
    return (value.major, value.minor), end


def _device(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_device_numbers(buffer, offset)
    return (value.specdata1, value.specdata2), end


def _time(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    value, end = wire.decode_time(buffer, offset)
    return value.seconds * NANOSECONDS + value.nseconds, end


def _time_setting(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    setting, end = wire.decode_attribute_time_set(buffer, offset)
    value = setting.value
    if isinstance(value, wire.ServerTime):
        return (), end
    return (value.seconds * NANOSECONDS + value.nseconds,), end


def _access_list(buffer: bytes, offset: int) -> tuple[AttributeValue, int]:
    """RFC 7530 section 6.2.1: entries of type, flags, mask and whom it concerns."""
    count, end = wire.decode_attribute_word(buffer, offset)
    for _ in range(count.value):
        for _word in ("type", "flag", "access_mask"):
            _, end = wire.decode_attribute_word(buffer, end)
        _, end = wire.decode_attribute_text(buffer, end)
    return buffer[offset:end], end


def _word_of(value: Callable[[FileNode], int]) -> Attribute:
    return Attribute(
        4, lambda node: wire.encode_attribute_word(wire.AttributeWord(value(node))), _word
    )


def _hyper_of(value: Callable[[FileNode], int]) -> Attribute:
    return Attribute(
        8, lambda node: wire.encode_attribute_hyper(wire.AttributeHyper(value(node))), _hyper
    )


def _time_of(value: Callable[[FileNode], int]) -> Attribute:
    return Attribute(
        12,
        lambda node: wire.encode_time(wire.Time(*divmod(value(node), NANOSECONDS))),
        _time,
    )


def _owner_of(value: Callable[[FileNode], int]) -> Attribute:
    return Attribute(
        4 + OWNER_MAXIMUM,
        lambda node: wire.encode_attribute_text(wire.AttributeText(b"%d" % value(node))),
        _text,
    )


def _bitmap_of(numbers: Callable[[], Iterable[int]]) -> Attribute:
    return Attribute(
        4 + 4 * BITMAP_WORDS,
        lambda _node: wire.encode_attribute_bitmap(wire.AttributeBitmap(bitmap_of(numbers()))),
        _bitmap,
    )


def _constant(value: int) -> Attribute:
    return _word_of(lambda _node: value)


def _large_constant(value: int) -> Attribute:
    return _hyper_of(lambda _node: value)


def _not_readable(_node: FileNode) -> bytes:
    raise LookupError("an attribute that can only be set")


FILE_TYPES: Final[Mapping[FileKind, wire.FileType]] = {
    FileKind.FILE: wire.FileType.NF4REG,
    FileKind.DIRECTORY: wire.FileType.NF4DIR,
    FileKind.LINK: wire.FileType.NF4LNK,
}

NO_EXPIRY: Final = 0
"""FH4_PERSISTENT: file handles do not expire."""

ATTRIBUTES: Final[Mapping[int, Attribute]] = {
    wire.FATTR4_SUPPORTED_ATTRS: _bitmap_of(lambda: (*ATTRIBUTES, *SETTABLE)),
    wire.FATTR4_TYPE: _word_of(lambda node: FILE_TYPES[node.kind]),
    wire.FATTR4_FH_EXPIRE_TYPE: _constant(NO_EXPIRY),
    wire.FATTR4_CHANGE: _hyper_of(lambda node: node.change),
    wire.FATTR4_SIZE: _hyper_of(lambda node: len(node.content)),
    wire.FATTR4_LINK_SUPPORT: _constant(1),
    wire.FATTR4_SYMLINK_SUPPORT: _constant(1),
    wire.FATTR4_NAMED_ATTR: _constant(0),
    wire.FATTR4_FSID: Attribute(
        16, lambda _node: wire.encode_file_system_id(wire.FileSystemId(0, 0)), _file_system
    ),
    wire.FATTR4_UNIQUE_HANDLES: _constant(1),
    wire.FATTR4_LEASE_TIME: _constant(LEASE_SECONDS),
    wire.FATTR4_RDATTR_ERROR: _constant(wire.Status.NFS4_OK),
    # Any list is taken: a client's only call that is long and has nothing to reduce.
    wire.FATTR4_ACL: Attribute(ACL_MAXIMUM, lambda node: node.access_list, _access_list),
    wire.FATTR4_ACLSUPPORT: _constant(ALLOWING_ENTRIES),
    wire.FATTR4_CANSETTIME: _constant(1),
    wire.FATTR4_CASE_INSENSITIVE: _constant(0),
    wire.FATTR4_CASE_PRESERVING: _constant(1),
    wire.FATTR4_CHOWN_RESTRICTED: _constant(0),
    wire.FATTR4_FILEHANDLE: Attribute(
        4 + wire.NFS4_FHSIZE,
        lambda node: wire.encode_attribute_handle(wire.AttributeHandle(node.handle)),
        _handle,
    ),
    wire.FATTR4_FILEID: _hyper_of(lambda node: node.number),
    wire.FATTR4_FILES_AVAIL: _large_constant(NODES_MAXIMUM // 2),
    wire.FATTR4_FILES_FREE: _large_constant(NODES_MAXIMUM // 2),
    wire.FATTR4_FILES_TOTAL: _large_constant(NODES_MAXIMUM),
    wire.FATTR4_HOMOGENEOUS: _constant(1),
    wire.FATTR4_MAXFILESIZE: _large_constant(MAXIMUM_FILE_SIZE),
    wire.FATTR4_MAXLINK: _constant(NODES_MAXIMUM),
    wire.FATTR4_MAXNAME: _constant(NAME_MAXIMUM),
    wire.FATTR4_MAXREAD: _large_constant(TRANSFER_MAXIMUM),
    wire.FATTR4_MAXWRITE: _large_constant(TRANSFER_MAXIMUM),
    wire.FATTR4_MODE: _word_of(lambda node: node.mode),
    wire.FATTR4_NO_TRUNC: _constant(1),
    wire.FATTR4_NUMLINKS: _word_of(lambda node: node.links),
    wire.FATTR4_OWNER: _owner_of(lambda node: node.user),
    wire.FATTR4_OWNER_GROUP: _owner_of(lambda node: node.group),
    wire.FATTR4_RAWDEV: Attribute(
        8, lambda _node: wire.encode_device_numbers(wire.DeviceNumbers(0, 0)), _device
    ),
    wire.FATTR4_SPACE_AVAIL: _large_constant(SPACE // 2),
    wire.FATTR4_SPACE_FREE: _large_constant(SPACE // 2),
    wire.FATTR4_SPACE_TOTAL: _large_constant(SPACE),
    wire.FATTR4_SPACE_USED: _hyper_of(lambda node: len(node.content)),
    wire.FATTR4_TIME_ACCESS: _time_of(lambda node: node.accessed),
    wire.FATTR4_TIME_DELTA: _time_of(lambda _node: 1),
    wire.FATTR4_TIME_METADATA: _time_of(lambda node: node.changed),
    wire.FATTR4_TIME_MODIFY: _time_of(lambda node: node.modified),
    wire.FATTR4_MOUNTED_ON_FILEID: _hyper_of(lambda node: node.number),
    wire.FATTR4_SUPPATTR_EXCLCREAT: _bitmap_of(lambda: SET_AT_EXCLUSIVE_CREATION),
    wire.FATTR4_XATTR_SUPPORT: _constant(1),
}
"""Every attribute that can be asked for, by number."""

SETTABLE: Final[Mapping[int, Attribute]] = {
    wire.FATTR4_TIME_ACCESS_SET: Attribute(16, _not_readable, _time_setting),
    wire.FATTR4_TIME_MODIFY_SET: Attribute(16, _not_readable, _time_setting),
}
"""Those that can be set and never be asked for: an empty tuple is the server's time, one of one
element the client's, in nanoseconds since 1970."""

SET_AT_EXCLUSIVE_CREATION: Final[tuple[int, ...]] = (
    wire.FATTR4_SIZE,
    wire.FATTR4_MODE,
    wire.FATTR4_OWNER,
    wire.FATTR4_OWNER_GROUP,
    wire.FATTR4_TIME_ACCESS_SET,
    wire.FATTR4_TIME_MODIFY_SET,
)
