"""Setting the attributes of a file, for SETATTR, CREATE and OPEN.

RFC 7530 section 16.32   SETATTR - Set Attributes
RFC 7530 section 5.9     owners as names; a number in digits is one of AUTH_SYS
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError
from rpcrdma.ulp.file_node import FileKind
from rpcrdma.ulp.nfs4_attribute_table import ATTRIBUTES, SETTABLE
from rpcrdma.ulp.nfs4_attributes import decode_attributes, numbers_in
from rpcrdma.ulp.nfs4_compound import Nfs4Refused
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.ulp.nfs4_attributes import AttributeValue

__all__ = ["apply_attributes"]

PERMISSIONS: Final = 0o7777
LARGEST_USER: Final = 2**32 - 1


def apply_attributes(node: FileNode, attributes: wire.FileAttributes) -> tuple[int, ...]:
    """Set attributes of a file; returns the bitmap of those that were set, which is all of them.

    Raises:
        Refused: one of them cannot be set or has no such value; nothing was changed.
        FileError: the file cannot have that size.
    """
    values = _values(attributes)
    size = values.get(wire.FATTR4_SIZE)
    if isinstance(size, int):
        if node.kind is FileKind.FILE and not node.writable:
            raise Nfs4Refused(Status.NFS4ERR_ACCESS)
        node.resize(size)
    for number, value in values.items():
        if number != wire.FATTR4_SIZE:
            SETTERS[number](node, value)
    if values:
        node.touch()
    for number, value in values.items():
        if number in SETTABLE and value == ():
            SETTERS[number](node, (node.changed,))  # the server's own time: that of this change
    return attributes.attrmask


def _values(attributes: wire.FileAttributes) -> Mapping[int, AttributeValue]:
    for number in numbers_in(attributes.attrmask):
        if number in SETTERS or number == wire.FATTR4_SIZE:
            continue
        known = number in ATTRIBUTES
        raise Nfs4Refused(Status.NFS4ERR_INVAL if known else Status.NFS4ERR_ATTRNOTSUPP)
    try:
        values = decode_attributes(attributes)
    except DecodeError as error:
        raise Nfs4Refused(Status.NFS4ERR_BADXDR) from error
    for number in (wire.FATTR4_OWNER, wire.FATTR4_OWNER_GROUP):
        if number in values:
            _user(values[number])
    return values


def _user(value: AttributeValue) -> int:
    if isinstance(value, bytes) and value.isdigit() and int(value) <= LARGEST_USER:
        return int(value)
    raise Nfs4Refused(Status.NFS4ERR_BADOWNER)


def _set_mode(node: FileNode, value: AttributeValue) -> None:
    if isinstance(value, int):
        node.mode = value & PERMISSIONS


def _set_user(node: FileNode, value: AttributeValue) -> None:
    node.user = _user(value)


def _set_group(node: FileNode, value: AttributeValue) -> None:
    node.group = _user(value)


def _set_accessed(node: FileNode, value: AttributeValue) -> None:
    if isinstance(value, tuple) and value:
        node.accessed = value[0]


def _set_modified(node: FileNode, value: AttributeValue) -> None:
    if isinstance(value, tuple) and value:
        node.modified = value[0]


def _set_access_list(node: FileNode, value: AttributeValue) -> None:
    """Whoever may do what is kept, and not looked at."""
    if isinstance(value, bytes):
        node.access_list = value


SETTERS: Final[Mapping[int, Callable[[FileNode, AttributeValue], None]]] = {
    wire.FATTR4_ACL: _set_access_list,
    wire.FATTR4_MODE: _set_mode,
    wire.FATTR4_OWNER: _set_user,
    wire.FATTR4_OWNER_GROUP: _set_group,
    wire.FATTR4_TIME_ACCESS_SET: _set_accessed,
    wire.FATTR4_TIME_MODIFY_SET: _set_modified,
}
"""What sets each attribute but SIZE, which can fail."""
