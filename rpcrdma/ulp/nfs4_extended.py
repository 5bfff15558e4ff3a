"""Extended attributes of files: what a program has written down about a file, by name.

    RFC 8276 section 8.4   GETXATTR, SETXATTR, LISTXATTRS, REMOVEXATTR

No value is DDP-eligible: RFC 8267 does not know of them, and RFC 8276 says nothing of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused, change_of
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import AttributeOption, Status

if TYPE_CHECKING:
    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.wire._generated_nfs4 import ResultOperation

__all__ = ["VALUE_MAXIMUM", "get", "keep", "names", "remove"]

VALUE_MAXIMUM: Final = 65536
"""Octets of a value; what is more is refused."""


def get(compound: Compound, arguments: wire.GetxattrArguments) -> ResultOperation:
    """GETXATTR."""
    node = compound.node()
    return wire.GetxattrResult(wire.GetxattrDone(_value(node, arguments.gxa_name)))


def keep(compound: Compound, arguments: wire.SetxattrArguments) -> ResultOperation:
    """SETXATTR."""
    node, name = compound.node(), arguments.sxa_key
    if arguments.sxa_option is AttributeOption.SETXATTR4_CREATE and name in node.extended:
        raise Nfs4Refused(Status.NFS4ERR_EXIST)
    if arguments.sxa_option is AttributeOption.SETXATTR4_REPLACE:
        _value(node, name)
    if len(arguments.sxa_value) > VALUE_MAXIMUM:
        raise Nfs4Refused(Status.NFS4ERR_XATTR2BIG)
    before = node.change
    node.extended[name] = arguments.sxa_value
    node.touch()
    return wire.SetxattrResult(wire.SetxattrDone(change_of(node, before)))


def names(compound: Compound, arguments: wire.ListxattrsArguments) -> ResultOperation:
    """LISTXATTRS: as many names as `lxa_maxcount` has room for; a cookie counts those before it."""
    listed = sorted(compound.node().extended)[arguments.lxa_cookie :]
    room = arguments.lxa_maxcount - len(wire.encode_listxattrs_done(_listing(0, (), eof=True)))
    taken: list[bytes] = []
    for name in listed:
        room -= 4 + len(name) + -len(name) % 4
        if room < 0:
            break
        taken.append(name)
    if room < 0 and not taken:
        raise Nfs4Refused(Status.NFS4ERR_TOOSMALL)
    end = arguments.lxa_cookie + len(taken)
    return wire.ListxattrsResult(_listing(end, tuple(taken), eof=len(taken) == len(listed)))


def remove(compound: Compound, arguments: wire.RemovexattrArguments) -> ResultOperation:
    """REMOVEXATTR."""
    node = compound.node()
    _value(node, arguments.rxa_name)
    before = node.change
    del node.extended[arguments.rxa_name]
    node.touch()
    return wire.RemovexattrResult(wire.RemovexattrDone(change_of(node, before)))


def _listing(cookie: int, found: tuple[bytes, ...], *, eof: bool) -> wire.ListxattrsDone:
    return wire.ListxattrsDone(cookie, found, eof)


def _value(node: FileNode, name: bytes) -> bytes:
    try:
        return node.extended[name]
    except KeyError:
        raise Nfs4Refused(Status.NFS4ERR_NOXATTR) from None
