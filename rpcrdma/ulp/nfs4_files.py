"""Operations of an NFSv4 server on file handles, names and attributes.

    RFC 7530 section 16, RFC 5661 section 18   the operations; each error here is listed there

Everything here is without state: what is open or by whom plays no role.  Credentials are not
looked at, and mode bits are kept but hold nobody back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_node import FileKind
from rpcrdma.ulp.nfs4_attribute_table import ATTRIBUTES
from rpcrdma.ulp.nfs4_attributes import encode_attributes, numbers_in
from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused, change_of, name_from
from rpcrdma.ulp.nfs4_operations import success
from rpcrdma.ulp.nfs4_setattr import apply_attributes
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.wire._generated_nfs4 import ResultOperation

__all__ = [
    "COOKIE_VERIFIER",
    "access",
    "create",
    "get_attributes",
    "get_handle",
    "link",
    "lookup",
    "lookup_parent",
    "not_verify",
    "put_handle",
    "put_public",
    "put_root",
    "read_directory",
    "read_link",
    "remove",
    "rename",
    "restore_handle",
    "save_handle",
    "security",
    "security_without_name",
    "set_attributes",
    "verify",
]

COOKIE_VERIFIER: Final = b"fixedset"
"""Of directory cookies: the store never gives one twice, so they stay good."""

RESERVED_COOKIES: Final = (1, 2)
"""RFC 7530 16.24.4: no server gives them."""

FLAVORS: Final = (wire.PlainFlavor(wire.AUTH_SYS), wire.PlainFlavor(wire.AUTH_NONE))
"""What clients may authenticate with, the best first."""

EXECUTABLE: Final = 0o111


def put_root(compound: Compound, _arguments: wire.PutrootfhArguments) -> ResultOperation:
    """PUTROOTFH: the root becomes the current file."""
    compound.move(compound.store.root)
    return success(Operation.OP_PUTROOTFH)


def put_public(compound: Compound, _arguments: wire.PutpubfhArguments) -> ResultOperation:
    """PUTPUBFH: there is no public file handle but the root's (RFC 7530 16.21.5)."""
    compound.move(compound.store.root)
    return success(Operation.OP_PUTPUBFH)


def put_handle(compound: Compound, arguments: wire.PutfhArguments) -> ResultOperation:
    """PUTFH."""
    compound.move(compound.store.find(arguments.object))
    return success(Operation.OP_PUTFH)


def get_handle(compound: Compound, _arguments: wire.GetfhArguments) -> ResultOperation:
    """GETFH."""
    return wire.GetfhResult(wire.GetfhDone(compound.node().handle))


def save_handle(compound: Compound, _arguments: wire.SavefhArguments) -> ResultOperation:
    """SAVEFH."""
    compound.saved = compound.node()
    compound.saved_stateid = compound.stateid
    return success(Operation.OP_SAVEFH)


def restore_handle(compound: Compound, _arguments: wire.RestorefhArguments) -> ResultOperation:
    """RESTOREFH."""
    if compound.saved is None:
        missing = Status.NFS4ERR_NOFILEHANDLE if compound.minor else Status.NFS4ERR_RESTOREFH
        raise Nfs4Refused(missing)
    compound.current = compound.saved
    compound.stateid = compound.saved_stateid
    return success(Operation.OP_RESTOREFH)


def lookup(compound: Compound, arguments: wire.LookupArguments) -> ResultOperation:
    """LOOKUP."""
    directory = compound.directory()
    compound.move(directory.child(name_from(arguments.objname)))
    return success(Operation.OP_LOOKUP)


def lookup_parent(compound: Compound, _arguments: wire.LookuppArguments) -> ResultOperation:
    """LOOKUPP; the root has no parent (RFC 7530 16.14.4)."""
    directory = compound.directory()
    if directory is compound.store.root or directory.parent is None:
        raise Nfs4Refused(Status.NFS4ERR_NOENT)
    compound.move(directory.parent)
    return success(Operation.OP_LOOKUPP)


def access(compound: Compound, arguments: wire.AccessArguments) -> ResultOperation:
    """ACCESS: everybody may do everything, but write to what is not writable."""
    node = compound.node()
    granted = wire.ACCESS4_READ | wire.ACCESS4_XAREAD | wire.ACCESS4_XALIST
    if node.kind is FileKind.DIRECTORY:
        granted |= wire.ACCESS4_LOOKUP | wire.ACCESS4_DELETE
    if node.kind is FileKind.FILE and node.mode & EXECUTABLE:
        granted |= wire.ACCESS4_EXECUTE
    if node.writable or node.kind is FileKind.DIRECTORY:
        granted |= wire.ACCESS4_MODIFY | wire.ACCESS4_EXTEND | wire.ACCESS4_XAWRITE
    return wire.AccessResult(wire.AccessDone(arguments.access, arguments.access & granted))


def get_attributes(compound: Compound, arguments: wire.GetattrArguments) -> ResultOperation:
    """GETATTR."""
    attributes = encode_attributes(compound.node(), arguments.attr_request)
    return wire.GetattrResult(wire.GetattrDone(attributes))


def set_attributes(compound: Compound, arguments: wire.SetattrArguments) -> ResultOperation:
    """SETATTR; the stateid matters for the size alone, and opens are not asked for it."""
    changed = apply_attributes(compound.node(), arguments.obj_attributes)
    return wire.SetattrResult(Status.NFS4_OK, changed)


def verify(compound: Compound, arguments: wire.VerifyArguments) -> ResultOperation:
    """VERIFY: go on if the attributes are the same."""
    if not _same(compound.node(), arguments.obj_attributes):
        raise Nfs4Refused(Status.NFS4ERR_NOT_SAME)
    return success(Operation.OP_VERIFY)


def not_verify(compound: Compound, arguments: wire.NverifyArguments) -> ResultOperation:
    """NVERIFY: go on if any attribute differs."""
    if _same(compound.node(), arguments.obj_attributes):
        raise Nfs4Refused(Status.NFS4ERR_SAME)
    return success(Operation.OP_NVERIFY)


def _same(node: FileNode, attributes: wire.FileAttributes) -> bool:
    numbers = numbers_in(attributes.attrmask)
    if wire.FATTR4_RDATTR_ERROR in numbers:
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    if any(number not in ATTRIBUTES for number in numbers):
        raise Nfs4Refused(Status.NFS4ERR_ATTRNOTSUPP)
    return encode_attributes(node, attributes.attrmask).attr_vals == attributes.attr_vals


def create(compound: Compound, arguments: wire.CreateArguments) -> ResultOperation:
    """CREATE of a directory or a symbolic link; regular files are made by OPEN."""
    directory = compound.directory()
    name = name_from(arguments.objname)
    before = directory.change
    match arguments.objtype:
        case wire.LinkType(linkdata=target):
            if not target:
                raise Nfs4Refused(Status.NFS4ERR_INVAL)
            node = compound.store.make(directory, name, FileKind.LINK, target)
        case wire.PlainType(type=wire.FileType.NF4DIR):
            node = compound.store.make(directory, name, FileKind.DIRECTORY)
        case wire.PlainType() | wire.DeviceType():
            raise Nfs4Refused(
                Status.NFS4ERR_NOTSUPP
            )  # nothing that is not a file, directory or link
        case _:
            raise Nfs4Refused(Status.NFS4ERR_BADTYPE)
    changed = apply_attributes(node, arguments.createattrs)
    compound.move(node)
    return wire.CreateResult(wire.CreateDone(change_of(directory, before), changed))


def remove(compound: Compound, arguments: wire.RemoveArguments) -> ResultOperation:
    """REMOVE of anything; one operation for files and directories."""
    directory = compound.directory()
    name = name_from(arguments.target)
    before = directory.change
    is_directory = directory.child(name).kind is FileKind.DIRECTORY
    compound.store.remove(directory, name, directory=is_directory)
    return wire.RemoveResult(wire.RemoveDone(change_of(directory, before)))


def rename(compound: Compound, arguments: wire.RenameArguments) -> ResultOperation:
    """RENAME, from the saved directory into the current one."""
    source, target = compound.saved_node(), compound.directory()
    before = source.change, target.change
    old, new = name_from(arguments.oldname), name_from(arguments.newname)
    compound.store.rename(source, old, target, new)
    return wire.RenameResult(
        wire.RenameDone(change_of(source, before[0]), change_of(target, before[1]))
    )


def link(compound: Compound, arguments: wire.LinkArguments) -> ResultOperation:
    """LINK: one more name in the current directory for the saved file."""
    directory = compound.directory()
    before = directory.change
    compound.store.link(compound.saved_node(), directory, name_from(arguments.newname))
    return wire.LinkResult(wire.LinkDone(change_of(directory, before)))


def read_link(compound: Compound, _arguments: wire.ReadlinkArguments) -> ResultOperation:
    """READLINK."""
    node = compound.node()
    if node.kind is not FileKind.LINK:
        raise Nfs4Refused(Status.NFS4ERR_WRONG_TYPE if compound.minor else Status.NFS4ERR_INVAL)
    return wire.ReadlinkResult(wire.ReadlinkDone(bytes(node.content)))


def read_directory(compound: Compound, arguments: wire.ReaddirArguments) -> ResultOperation:
    """READDIR: as many entries as `maxcount` has room for."""
    directory = compound.directory()
    if arguments.cookie in RESERVED_COOKIES:
        raise Nfs4Refused(Status.NFS4ERR_BAD_COOKIE)
    if arguments.cookie and arguments.cookieverf != COOKIE_VERIFIER:
        raise Nfs4Refused(Status.NFS4ERR_NOT_SAME)
    entries: list[wire.DirectoryEntry] = []
    done = wire.ReaddirDone(COOKIE_VERIFIER, wire.DirectoryList((), eof=True))
    room = arguments.maxcount - len(wire.encode_readdir_done(done))
    for cookie, name, node in directory.listing(arguments.cookie):
        entry = wire.DirectoryEntry(
            cookie,
            name.encode("utf-8", "surrogateescape"),
            encode_attributes(node, arguments.attr_request),
        )
        room -= len(wire.encode_directory_entry(entry)) + 4  # and the word that says "another one"
        if room < 0:
            break
        entries.append(entry)
    if room < 0 and not entries:
        raise Nfs4Refused(Status.NFS4ERR_TOOSMALL)
    listing = wire.DirectoryList(tuple(entries), eof=room >= 0)
    return wire.ReaddirResult(wire.ReaddirDone(COOKIE_VERIFIER, listing))


def security(compound: Compound, arguments: wire.SecinfoArguments) -> ResultOperation:
    """SECINFO; in NFSv4.1 it consumes the current file handle (RFC 5661 18.29.3)."""
    compound.directory().child(name_from(arguments.name))
    if compound.minor:
        compound.move(None)
    return wire.SecinfoResult(wire.SecinfoDone(FLAVORS))


def security_without_name(
    compound: Compound, arguments: wire.SecinfoNoNameArguments
) -> ResultOperation:
    """SECINFO_NO_NAME, of the current file or of its parent."""
    if arguments.style is wire.SecinfoStyle.SECINFO_STYLE4_PARENT:
        directory = compound.directory()
        if directory is compound.store.root:
            raise Nfs4Refused(Status.NFS4ERR_NOENT)
    else:
        compound.node()
    compound.move(None)
    return wire.SecinfoNoNameResult(wire.SecinfoDone(FLAVORS))
