"""Operations of an NFSv4 server that open files and give delegations back.

    RFC 7530 section 16.16   OPEN, and 16.2 CLOSE, 16.18 OPEN_CONFIRM, 16.19 OPEN_DOWNGRADE
    RFC 5661 section 18.16   OPEN in NFSv4.1: claims by handle, EXCLUSIVE4_1, wanted delegations
    RFC 7530 section 10.4    Open Delegation

Delegations are for reading, in NFSv4.1 only, and only where the options of the server say so and
the session has a backchannel: what cannot be recalled is not given.  Nothing can be reclaimed,
since nothing survives the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.file_node import FileKind
from rpcrdma.ulp.nfs4_compound import CURRENT, Compound, Nfs4Refused, change_of, name_from
from rpcrdma.ulp.nfs4_operations import success
from rpcrdma.ulp.nfs4_setattr import apply_attributes
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from rpcrdma.ulp.file_node import FileNode
    from rpcrdma.ulp.nfs4_state import Nfs4Client, Open, OpenOwner
    from rpcrdma.wire._generated_nfs4 import ResultOperation

__all__ = [
    "close",
    "delegation_purge",
    "delegation_return",
    "free_stateid",
    "open_confirm",
    "open_downgrade",
    "open_file",
    "remember",
    "repeated",
    "test_stateids",
]

NOBODY: Final = wire.AccessControlEntry(0, 0, 0, b"")
"""Nobody is spared an ACCESS call by a delegation."""

NO_CHANGE: Final = wire.ChangeInformation(atomic=True, before=0, after=0)

CLOSED: Final = wire.StateId(2**32 - 1, bytes(wire.NFS4_OTHER_SIZE))
"""RFC 5661 8.2.3: the invalid stateid, which CLOSE returns."""

NOT_COUNTED: Final = frozenset(
    {
        Status.NFS4ERR_STALE_CLIENTID,
        Status.NFS4ERR_STALE_STATEID,
        Status.NFS4ERR_BAD_STATEID,
        Status.NFS4ERR_BAD_SEQID,
        Status.NFS4ERR_BADXDR,
        Status.NFS4ERR_RESOURCE,
        Status.NFS4ERR_NOFILEHANDLE,
        Status.NFS4ERR_MOVED,
    }
)
"""RFC 7530 9.1.7: a request that ends so leaves its owner's seqid as it was."""

NUMBERED: Final = frozenset(
    {
        wire.OpenArguments,
        wire.CloseArguments,
        wire.OpenConfirmArguments,
        wire.OpenDowngradeArguments,
    }
)
"""The requests of an open owner, each of which has a seqid in NFSv4.0."""


def owner_asking(
    compound: Compound, arguments: wire.ArgumentOperation
) -> tuple[OpenOwner | None, int]:
    """Whose request this is and its seqid, if it is one that NFSv4.0 numbers."""
    match arguments:
        case wire.OpenArguments(seqid=seqid, owner=owner):
            return compound.state.client(owner.clientid, compound.minor).open_owner(
                owner.owner
            ), seqid
        case (
            wire.CloseArguments(seqid=seqid, open_stateid=stateid)
            | wire.OpenConfirmArguments(seqid=seqid, open_stateid=stateid)
            | wire.OpenDowngradeArguments(seqid=seqid, open_stateid=stateid)
        ):
            return compound.state.owner_of(stateid), seqid
        case _:
            return None, 0


def repeated(
    compound: Compound, arguments: wire.ArgumentOperation
) -> tuple[Status, ResultOperation] | None:
    """How a request ended that an owner repeats (RFC 7530 9.1.9); None if it is a new one.

    Raises:
        Refused: its number is neither the next nor the last.
    """
    if type(arguments) not in NUMBERED:
        return None
    owner, sequence = owner_asking(compound, arguments)
    if owner is None or owner.sequence is None:
        return None
    if sequence == owner.sequence and owner.last is not None and owner.last[0] == arguments:
        return owner.last[1:]
    if sequence != (owner.sequence + 1) % 2**32:
        raise Nfs4Refused(Status.NFS4ERR_BAD_SEQID)
    return None


def remember(
    compound: Compound,
    arguments: wire.ArgumentOperation,
    status: Status,
    result: ResultOperation,
) -> None:
    """Keep the result of a numbered request, so that it can be repeated."""
    if type(arguments) not in NUMBERED or status in NOT_COUNTED:
        return
    owner, sequence = owner_asking(compound, arguments)
    if owner is not None:
        owner.sequence = sequence
        owner.last = arguments, status, result


def open_file(compound: Compound, arguments: wire.OpenArguments) -> ResultOperation:
    """OPEN."""
    owner = _opener(compound, arguments)
    share = arguments.share_access & wire.OPEN4_SHARE_ACCESS_BOTH
    if not share or arguments.share_deny & ~wire.OPEN4_SHARE_DENY_BOTH:
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    directory = compound.node()
    before = directory.change
    node, changed = _claimed(compound, arguments)
    compound.move(node)
    compound.file()  # which refuses directories and links
    if share & wire.OPEN4_SHARE_ACCESS_WRITE and not node.writable:
        raise Nfs4Refused(Status.NFS4ERR_ACCESS)
    _check_delegations(compound, owner.client, node, share)
    entry = compound.state.add_open(owner, node, share, arguments.share_deny)
    compound.stateid = entry.stateid
    change = change_of(directory, before) if directory.kind is FileKind.DIRECTORY else NO_CHANGE
    delegation = _delegation(compound, arguments, entry)
    flags = wire.OPEN4_RESULT_LOCKTYPE_POSIX
    return wire.OpenResult(wire.OpenDone(entry.stateid, change, flags, changed, delegation))


def _opener(compound: Compound, arguments: wire.OpenArguments) -> OpenOwner:
    if compound.session is not None:
        client = compound.session.client  # RFC 5661 18.16.3: the session's, whatever is said
    else:
        client = compound.state.client(arguments.owner.clientid, compound.minor)
        if not client.confirmed:
            raise Nfs4Refused(Status.NFS4ERR_STALE_CLIENTID)
    return client.open_owner(arguments.owner.owner)


def _claimed(compound: Compound, arguments: wire.OpenArguments) -> tuple[FileNode, tuple[int, ...]]:
    """The file to open, and the bitmap of the attributes that its creation set."""
    match arguments.claim:
        case wire.ClaimName(file=octets):
            return _named(compound, arguments.openhow, octets)
        case wire.DelegateCurrentClaim(delegate_stateid=stateid, file=octets):
            compound.state.find_delegation(stateid, compound.minor)
            return _named(compound, arguments.openhow, octets)
        case wire.ClaimHandle() if compound.minor:
            return compound.node(), ()
        case wire.StateId() as stateid if compound.minor:
            compound.state.find_delegation(stateid, compound.minor)
            return compound.node(), ()
        case wire.ClaimPrevious():
            raise Nfs4Refused(Status.NFS4ERR_NO_GRACE)
        case _:
            raise Nfs4Refused(Status.NFS4ERR_NOTSUPP)


def _named(
    compound: Compound, how: wire.OpenHow, octets: bytes
) -> tuple[FileNode, tuple[int, ...]]:
    directory = compound.directory()
    name = name_from(octets)
    if isinstance(how, wire.OpenNoCreate):
        return directory.child(name), ()
    existing = directory.children.get(name)
    if existing is not None:
        return _existing(compound, how.how, existing)
    return _created(compound, how.how, directory, name)


def _existing(
    compound: Compound, how: wire.CreateHow, node: FileNode
) -> tuple[FileNode, tuple[int, ...]]:
    """What a creation finds where there is a file of that name already."""
    if isinstance(how, wire.CreateWithAttributes):
        if how.mode is wire.CreateMode.GUARDED4:
            raise Nfs4Refused(Status.NFS4ERR_EXIST)
        if node.kind is FileKind.FILE and _cuts(how.createattrs):
            apply_attributes(node, how.createattrs)  # RFC 7530 16.16.5: nothing but the size
            return node, how.createattrs.attrmask
        return node, ()
    if compound.state.exclusive_verifier(node) != _verifier(how):
        raise Nfs4Refused(Status.NFS4ERR_EXIST)
    return node, ()


def _created(
    compound: Compound, how: wire.CreateHow, directory: FileNode, name: str
) -> tuple[FileNode, tuple[int, ...]]:
    node = compound.store.make(directory, name, FileKind.FILE)
    match how:
        case wire.CreateWithAttributes(createattrs=attributes):
            return node, apply_attributes(node, attributes)
        case wire.VerifierAndAttributes(cva_verf=verifier, cva_attrs=attributes):
            compound.state.note_exclusive(node, verifier)
            return node, apply_attributes(node, attributes)
        case _:
            compound.state.note_exclusive(node, _verifier(how))
            return node, ()


def _verifier(how: wire.CreateHow) -> bytes:
    match how:
        case wire.CreateExclusively(createverf=verifier):
            return verifier
        case wire.VerifierAndAttributes(cva_verf=verifier):
            return verifier
        case _:
            return b""


def _cuts(attributes: wire.FileAttributes) -> bool:
    """Whether the attributes of an UNCHECKED4 creation are a size of zero alone."""
    only_size = (1 << wire.FATTR4_SIZE,)
    return attributes.attrmask == only_size and not any(attributes.attr_vals)


def _check_delegations(compound: Compound, client: Nfs4Client, node: FileNode, share: int) -> None:
    """A writer waits until every reader elsewhere gave its delegation back (RFC 7530 10.4)."""
    if not share & wire.OPEN4_SHARE_ACCESS_WRITE:
        return
    held = [entry for entry in compound.state.delegations.values() if entry.node is node]
    for entry in held:
        if entry.client is not client:
            raise Nfs4Refused(Status.NFS4ERR_DELAY)


def _delegation(
    compound: Compound, arguments: wire.OpenArguments, entry: Open
) -> wire.OpenDelegation:
    state, session = compound.state, compound.session
    want = arguments.share_access & wire.OPEN4_SHARE_ACCESS_WANT_DELEG_MASK
    unwanted = (
        wire.OPEN4_SHARE_ACCESS_WANT_NO_DELEG,
        wire.OPEN4_SHARE_ACCESS_WANT_CANCEL,
        wire.OPEN4_SHARE_ACCESS_WANT_WRITE_DELEG,
    )
    possible = (
        state.options.delegations
        and session is not None
        and session.back_connection is compound.binding
        and entry.access == wire.OPEN4_SHARE_ACCESS_READ
        and want not in unwanted
        and not any(held.node is entry.node for held in state.delegations.values())
        and not any(one.access != entry.access for one in state.opens_of(entry.node))
    )
    if possible:
        made = state.add_delegation(entry.client, entry.node)
        return wire.ReadDelegation(made.stateid, recall=False, permissions=NOBODY)
    if compound.minor and want not in (0, wire.OPEN4_SHARE_ACCESS_WANT_NO_DELEG):
        reason = wire.NoDelegationResource(ond_server_will_signal_avail=False)
        return wire.NoDelegationBecause(reason)
    return wire.NoDelegation()


def find_open(compound: Compound, stateid: wire.StateId) -> Open:
    """The open of a stateid, or of the current one."""
    if compound.minor and stateid == CURRENT:
        if compound.stateid is None:
            raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
        stateid = compound.stateid
    entry = compound.state.find_open(stateid, compound.minor)
    if entry.node is not compound.node():
        raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
    return entry


def open_confirm(compound: Compound, arguments: wire.OpenConfirmArguments) -> ResultOperation:
    """OPEN_CONFIRM, which this server never asks for."""
    entry = find_open(compound, arguments.open_stateid)
    entry.sequence += 1
    return wire.OpenConfirmResult(wire.OpenConfirmDone(entry.stateid))


def open_downgrade(compound: Compound, arguments: wire.OpenDowngradeArguments) -> ResultOperation:
    """OPEN_DOWNGRADE."""
    entry = find_open(compound, arguments.open_stateid)
    share = arguments.share_access & wire.OPEN4_SHARE_ACCESS_BOTH
    if not share or share & ~entry.access or arguments.share_deny & ~entry.deny:
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    entry.access, entry.deny = share, arguments.share_deny
    entry.sequence += 1
    compound.stateid = entry.stateid
    return wire.OpenDowngradeResult(wire.OpenDowngradeDone(entry.stateid))


def close(compound: Compound, arguments: wire.CloseArguments) -> ResultOperation:
    """CLOSE."""
    entry = find_open(compound, arguments.open_stateid)
    compound.state.close(entry)
    compound.stateid = None
    if compound.minor:
        return wire.CloseResult(CLOSED)
    return wire.CloseResult(wire.StateId(entry.sequence + 1, entry.other))


def delegation_return(compound: Compound, arguments: wire.DelegreturnArguments) -> ResultOperation:
    """DELEGRETURN."""
    entry = compound.state.find_delegation(arguments.deleg_stateid, compound.minor)
    del compound.state.delegations[entry.other]
    return success(Operation.OP_DELEGRETURN)


def delegation_purge(compound: Compound, arguments: wire.DelegpurgeArguments) -> ResultOperation:
    """DELEGPURGE: nothing of an earlier life is ever left."""
    if compound.minor == 0:
        compound.state.client(arguments.clientid, compound.minor)
    raise Nfs4Refused(Status.NFS4ERR_NOTSUPP)


def test_stateids(compound: Compound, arguments: wire.TestStateidArguments) -> ResultOperation:
    """TEST_STATEID: how each of some stateids fares."""
    found = tuple(_fares(compound, stateid) for stateid in arguments.ts_stateids)
    return wire.TestStateidResult(wire.TestStateidDone(found))


def _fares(compound: Compound, stateid: wire.StateId) -> Status:
    for find in (compound.state.find_open, compound.state.find_delegation):
        try:
            find(stateid, compound.minor)
        except Nfs4Refused as refused:
            status = refused.status
            if status is not Status.NFS4ERR_BAD_STATEID:
                return status
        else:
            return Status.NFS4_OK
    return Status.NFS4ERR_BAD_STATEID


def free_stateid(compound: Compound, arguments: wire.FreeStateidArguments) -> ResultOperation:
    """FREE_STATEID: what is still in use stays (RFC 5661 18.38.3)."""
    if _fares(compound, arguments.fsa_stateid) is Status.NFS4ERR_BAD_STATEID:
        raise Nfs4Refused(Status.NFS4ERR_BAD_STATEID)
    raise Nfs4Refused(Status.NFS4ERR_LOCKS_HELD)
