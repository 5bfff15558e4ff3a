"""Operations of an NFSv4.0 server that tell clients apart.

    RFC 7530 section 16.33   SETCLIENTID - Negotiate Client ID
    RFC 7530 section 16.34   SETCLIENTID_CONFIRM - Confirm Client ID
    RFC 7530 section 16.29   RENEW - Renew a Lease
    RFC 7530 section 16.37   RELEASE_LOCKOWNER

The callback that a client offers is not used: NFSv4.0 would need a connection of its own for it
(RFC 8267 6.5.1), and this server grants nothing that it would have to recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused
from rpcrdma.ulp.nfs4_operations import success
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from rpcrdma.wire._generated_nfs4 import ResultOperation

__all__ = ["confirm_client_id", "release_lock_owner", "renew", "set_client_id"]


def set_client_id(compound: Compound, arguments: wire.SetclientidArguments) -> ResultOperation:
    """SETCLIENTID: a client id that is good once it is confirmed."""
    state = compound.state
    owner, verifier = arguments.client.id, arguments.client.verifier
    for known in state.by_owner(compound.minor, owner):
        if known.confirmed and known.verifier == verifier:
            # The same life of the client: only its callback changes (RFC 7530 16.33.5).
            return wire.SetclientidResult(wire.SetclientidDone(known.number, known.confirm))
        if not known.confirmed:
            state.drop_client(known)
    client = state.new_client(compound.minor, owner, verifier)
    return wire.SetclientidResult(wire.SetclientidDone(client.number, client.confirm))


def confirm_client_id(
    compound: Compound, arguments: wire.SetclientidConfirmArguments
) -> ResultOperation:
    """SETCLIENTID_CONFIRM; repeating it changes nothing."""
    client = compound.state.client(arguments.clientid, compound.minor)
    if client.confirm != arguments.setclientid_confirm:
        raise Nfs4Refused(Status.NFS4ERR_STALE_CLIENTID)
    compound.state.confirm(client)
    return success(Operation.OP_SETCLIENTID_CONFIRM)


def renew(compound: Compound, arguments: wire.RenewArguments) -> ResultOperation:
    """RENEW of a lease that never ends."""
    client = compound.state.client(arguments.clientid, compound.minor)
    if not client.confirmed:
        raise Nfs4Refused(Status.NFS4ERR_STALE_CLIENTID)
    return success(Operation.OP_RENEW)


def release_lock_owner(
    compound: Compound, arguments: wire.ReleaseLockownerArguments
) -> ResultOperation:
    """RELEASE_LOCKOWNER: there are no locks to release."""
    compound.state.client(arguments.lock_owner.clientid, compound.minor)
    return success(Operation.OP_RELEASE_LOCKOWNER)
