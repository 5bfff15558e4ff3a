"""Operations of an NFSv4 server that move the data of files.

RFC 7530 section 16.23, 16.36, 16.3   READ, WRITE, COMMIT
RFC 7530 section 9.1.4.3              the special stateids, which need no OPEN
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.nfs4 import ANONYMOUS
from rpcrdma.ulp.nfs4_attribute_table import TRANSFER_MAXIMUM
from rpcrdma.ulp.nfs4_compound import CURRENT, Compound, Nfs4Refused
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

if TYPE_CHECKING:
    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.wire._generated_nfs4 import ResultOperation

__all__ = ["READ_MAXIMUM", "commit", "read", "write"]

READ_MAXIMUM: Final = TRANSFER_MAXIMUM
"""Octets that one READ returns at most."""

BYPASS: Final = wire.StateId(0xFFFFFFFF, b"\xff" * wire.NFS4_OTHER_SIZE)
"""The other special stateid that needs no OPEN (RFC 7530 9.1.4.3)."""

VERIFIER: Final = b"one-life"
"""Of written data: this server never loses any while it runs."""


def read(compound: Compound, arguments: wire.ReadArguments) -> ResultOperation:
    """READ."""
    node = _opened(compound, arguments.stateid, wire.OPEN4_SHARE_ACCESS_READ)
    data, at_end = node.read(arguments.offset, min(arguments.count, READ_MAXIMUM))
    return wire.ReadResult(wire.ReadDone(at_end, data))


def write(compound: Compound, arguments: wire.WriteArguments) -> ResultOperation:
    """WRITE; everything is stable at once."""
    node = _opened(compound, arguments.stateid, wire.OPEN4_SHARE_ACCESS_WRITE)
    if not node.writable:
        raise Nfs4Refused(Status.NFS4ERR_ACCESS)
    if not node.write(arguments.offset, arguments.data):
        raise Nfs4Refused(Status.NFS4ERR_FBIG)
    done = wire.WriteDone(len(arguments.data), wire.StableHow.FILE_SYNC4, VERIFIER)
    return wire.WriteResult(done)


def commit(compound: Compound, _arguments: wire.CommitArguments) -> ResultOperation:
    """COMMIT of what is stable already."""
    compound.file()
    return wire.CommitResult(wire.CommitDone(VERIFIER))


def _opened(compound: Compound, stateid: wire.StateId, access: int) -> FileNode:
    """The current file, if the stateid is good for this access to it."""
    node = compound.file()
    if stateid in (ANONYMOUS, BYPASS):
        return node
    if compound.minor and stateid == CURRENT:
        if compound.stateid is None:
            raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
        stateid = compound.stateid
    if stateid.other in compound.state.delegations:
        held = compound.state.find_delegation(stateid, compound.minor)
        allowed, of = wire.OPEN4_SHARE_ACCESS_READ, held.node
    else:
        entry = compound.state.find_open(stateid, compound.minor)
        # RFC 7530 16.23.4: an open for writing alone may read as well, since clients fill pages.
        allowed, of = entry.access | wire.OPEN4_SHARE_ACCESS_READ, entry.node
    if of is not node:
        raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
    if not allowed & access:
        raise Nfs4Refused(Status.NFS4ERR_OPENMODE)
    return node
