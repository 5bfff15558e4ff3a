"""A client of NFSv4.1 sessions for a tester: it builds calls and takes their replies, and no more.

    RFC 5661 section 18.35   EXCHANGE_ID
    RFC 5661 section 18.36   CREATE_SESSION, and the connection as backchannel
    RFC 5661 section 18.34   BIND_CONN_TO_SESSION, on a connection that comes later
    RFC 5661 section 2.10.6  slots and sequence numbers, seen from the Requester
    RFC 8267 section 6.5.2   callbacks on the connection of the forward calls

The order of its life, each step a call that somebody carries and the reply that comes back:

    client = SessionClient(b"tester", b"verifier")
    client.take_client_id(reply to client.exchange_id(xid))
    client.take_session(reply to client.create_session(xid))
    client.take(reply to client.compound(xid, ...))         # SEQUENCE is put in front
    client.take_end(reply to client.destroy_session(xid))

`callbacks` is the program that answers what the server sends in the other direction; it knows the
session as soon as `take_session` does, and which delegations are held once they are noted there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.errors import LocalProtocolError, RemoteProtocolError
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.ulp.nfs4_binding import (
    compound_is_guessed,
    compound_items,
    compound_maximum,
    compound_origins,
    walk_compound,
)
from rpcrdma.ulp.nfs4_callback_program import CallbackProgram, CallbackSession
from rpcrdma.ulp.nfs4_slots import following
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, no_arguments
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

if TYPE_CHECKING:
    from rpcrdma.wire._generated_nfs4 import ArgumentOperation

__all__ = ["CALLBACK_PROGRAM", "Opened", "SessionClient", "SessionLayer", "opened"]

CALLBACK_PROGRAM: Final = wire.NFS4_CALLBACK
"""The number of the callback program unless another is chosen."""

FORE_CHANNEL: Final = wire.ChannelAttributes(
    0, 1024 * 1024 + 4096, 1024 * 1024 + 4096, 4096, 16, 16, ()
)
"""What a mebibyte of data with everything around it needs."""

BACK_CHANNEL: Final = wire.ChannelAttributes(0, 1024, 1024, 0, 2, 4, ())
"""Calls and replies within the default inline threshold: no chunks backward (bidir section 4)."""

AUTH_NONE_OFFER: Final = (wire.CallbackAuthNone(),)
"""The credential that callbacks may carry: none."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What an OPEN gave: its stateid, the delegation's if there is one, and the file's handle."""

    stateid: wire.StateId
    delegation: wire.StateId | None
    handle: bytes


class SessionLayer(ProcedureTable):
    """The binding of NFSv4.1 for a Requester: replies are bounded by its session.

    Attributes:
        bound: `ca_maxresponsesize` of the fore channel; None while there is no session.
    """

    def __init__(self) -> None:
        self.bound: int | None = None
        null = ProgramProcedure(
            no_arguments, lambda _call, _arguments: [], lambda _arguments: (0, ())
        )
        compound = ProgramProcedure(
            wire.decode_compound_arguments,
            lambda _call, _arguments: [],
            self._maximum,
            items=compound_items,
            origins=compound_origins,
            walk=walk_compound,
            guessed=compound_is_guessed,
        )
        # Each row has a type of arguments of its own: see ProcedureTable.
        procedures: dict[int, ProgramProcedure[Any]] = {
            wire.NFS_V4.NFSPROC4_NULL: null,
            wire.NFS_V4.NFSPROC4_COMPOUND: compound,
        }
        super().__init__(wire.NFS4_PROGRAM, wire.NFS4_VERSION, procedures)

    def _maximum(self, arguments: wire.CompoundArguments) -> tuple[int, tuple[int, ...]]:
        if self.bound is None:
            return compound_maximum(arguments)
        return compound_maximum(arguments, self.bound - rpc.REPLY_HEADER_LENGTH)


class SessionClient:
    """One client with one session.

    Attributes:
        layer: the binding to a transport, for its calls.
        callbacks: what answers the server's calls.
        client_id: what EXCHANGE_ID gave; None before.
        session: the session's id; None before and after.
        fore: what was negotiated for calls.  back: for callbacks.
        has_backchannel: whether the server took the connection as backchannel.
    """

    def __init__(
        self,
        owner: bytes,
        verifier: bytes,
        *,
        callback_program: int = CALLBACK_PROGRAM,
        credential: rpc.Authentication = nfs4.ROOT_USER,
    ) -> None:
        self._owner = owner
        self._verifier = verifier
        self._credential = credential
        self._sequence = 0
        self._slots: list[int] = []
        self._busy: dict[int, int] = {}
        self.layer = SessionLayer()
        self.callbacks = CallbackProgram(callback_program)
        self.client_id: int | None = None
        self.session: bytes | None = None
        self.fore = FORE_CHANNEL
        self.back = BACK_CHANNEL
        self.has_backchannel = False

    # -- becoming a client

    def exchange_id(self, xid: int) -> bytes:
        """The call that makes the client known."""
        owner = wire.ClientOwner(self._verifier, self._owner)
        protection = wire.AskNoProtection()
        return self._alone(xid, wire.ExchangeIdArguments(owner, 0, protection, ()))

    def take_client_id(self, reply: bytes) -> wire.ExchangeIdDone:
        """The reply to `exchange_id`.

        Raises:
            DecodeError: it is not that.
            RemoteProtocolError: the server refused.
        """
        result = self._only(reply)
        if isinstance(result, wire.ExchangeIdResult) and isinstance(
            result.outcome, wire.ExchangeIdDone
        ):
            self.client_id = result.outcome.eir_clientid
            self._sequence = result.outcome.eir_sequenceid
            return result.outcome
        raise _refused("EXCHANGE_ID", reply)

    # -- a session

    def create_session(self, xid: int, *, backchannel: bool = True) -> bytes:
        """The call that makes a session, with this connection as backchannel if so wanted.

        Raises:
            LocalProtocolError: there is no client id yet.
        """
        if self.client_id is None:
            raise LocalProtocolError("a session needs a client id: EXCHANGE_ID comes first")
        flags = wire.CREATE_SESSION4_FLAG_CONN_BACK_CHAN if backchannel else 0
        arguments = wire.CreateSessionArguments(
            self.client_id,
            self._sequence,
            flags,
            FORE_CHANNEL,
            BACK_CHANNEL,
            self.callbacks.number,
            AUTH_NONE_OFFER,
        )
        return self._alone(xid, arguments)

    def take_session(self, reply: bytes) -> wire.CreateSessionDone:
        """The reply to `create_session`; from here on the callback program knows the session.

        Raises:
            DecodeError: it is not that.
            RemoteProtocolError: the server refused.
        """
        result = self._only(reply)
        if not isinstance(result, wire.CreateSessionResult) or not isinstance(
            result.outcome, wire.CreateSessionDone
        ):
            raise _refused("CREATE_SESSION", reply)
        done = result.outcome
        self._sequence = following(self._sequence)
        self.session = done.csr_sessionid
        self.fore, self.back = done.csr_fore_chan_attrs, done.csr_back_chan_attrs
        self.layer.bound = self.fore.ca_maxresponsesize
        self.has_backchannel = bool(done.csr_flags & wire.CREATE_SESSION4_FLAG_CONN_BACK_CHAN)
        self._slots = [0] * self.fore.ca_maxrequests
        self._busy.clear()
        self.callbacks.sessions[self.session] = CallbackSession.of(
            self.session, self.back.ca_maxrequests
        )
        return done

    def bind_connection(self, xid: int) -> bytes:
        """The call that makes the connection over which it goes a channel in both directions."""
        both = wire.ChannelAsked.CDFC4_FORE_OR_BOTH
        arguments = wire.BindConnToSessionArguments(
            self._session(), both, bctsa_use_conn_in_rdma_mode=False
        )
        return self._alone(xid, arguments)

    def take_binding(self, reply: bytes) -> None:
        """The reply to `bind_connection`; `has_backchannel` is what the server says.

        Raises:
            DecodeError: it is not that.
            RemoteProtocolError: the server refused.
        """
        result = self._only(reply)
        if not isinstance(result, wire.BindConnToSessionResult) or not isinstance(
            result.outcome, wire.BindConnToSessionDone
        ):
            raise _refused("BIND_CONN_TO_SESSION", reply)
        self.has_backchannel = result.outcome.bctsr_dir is not wire.ChannelGiven.CDFS4_FORE

    def destroy_session(self, xid: int) -> bytes:
        """The call that ends the session."""
        return self._alone(xid, wire.DestroySessionArguments(self._session()))

    def take_end(self, reply: bytes) -> None:
        """The reply to `destroy_session`.

        Raises:
            DecodeError: it is not that.
            RemoteProtocolError: the server refused.
        """
        if self._only(reply) != wire.DestroySessionResult(Status.NFS4_OK):
            raise _refused("DESTROY_SESSION", reply)
        self.callbacks.sessions.pop(self._session(), None)
        self.session = None
        self.layer.bound = None
        self.has_backchannel = False

    def destroy_client_id(self, xid: int) -> bytes:
        """The call that makes the server forget the client; its reply is a plain COMPOUND's."""
        if self.client_id is None:
            raise LocalProtocolError("there is no client id")
        return self._alone(xid, wire.DestroyClientidArguments(self.client_id))

    # -- calls in the session

    @property
    def owner(self) -> wire.StateOwner:
        """Who opens files."""
        return wire.StateOwner(self.client_id or 0, self._owner)

    def compound(self, xid: int, *operations: ArgumentOperation, keep: bool = False) -> bytes:
        """A COMPOUND with SEQUENCE on a free slot before these operations.

        Args:
            xid: of the call.
            operations: what follows SEQUENCE.
            keep: whether the server is to remember the reply.

        Raises:
            LocalProtocolError: there is no session, or every slot waits for a reply.
        """
        session = self._session()
        taken = set(self._busy.values())
        free = next((slot for slot in range(len(self._slots)) if slot not in taken), None)
        if free is None:
            raise LocalProtocolError(f"all {len(self._slots)} slots of the session wait")
        self._slots[free] = following(self._slots[free])
        self._busy[xid] = free
        highest = max(self._busy.values())
        first = wire.SequenceArguments(session, self._slots[free], free, highest, keep)
        return nfs4.compound(xid, first, *operations, minor=1, credential=self._credential)

    def take(self, reply: bytes) -> wire.CompoundResult:
        """The results of a reply to `compound`, SEQUENCE's first; its slot is free again.

        Raises:
            DecodeError: it is not the reply to a COMPOUND.
            LocalProtocolError: no call of ours waits for it.
        """
        header, _ = rpc.decode_reply(reply)
        if header.xid not in self._busy:
            raise LocalProtocolError(f"no call with XID {header.xid} waits for a reply")
        del self._busy[header.xid]
        return nfs4.parse(reply)

    def reclaim_complete(self, xid: int) -> bytes:
        """The call after which a server gives out opens: nothing is reclaimed."""
        return self.compound(xid, wire.ReclaimCompleteArguments(rca_one_fs=False))

    def open_wanting_delegation(self, xid: int, folder: str, name: str) -> bytes:
        """A call that opens a file for reading and wants a read delegation; see `opened`."""
        access = wire.OPEN4_SHARE_ACCESS_READ | wire.OPEN4_SHARE_ACCESS_WANT_READ_DELEG
        return self.compound(
            xid,
            *nfs4.at(folder),
            nfs4.open_file(name, self.owner, access=access),
            nfs4.get_handle(),
        )

    def _session(self) -> bytes:
        if self.session is None:
            raise LocalProtocolError("there is no session")
        return self.session

    def _alone(self, xid: int, operation: ArgumentOperation) -> bytes:
        return nfs4.compound(xid, operation, minor=1, credential=self._credential)

    def _only(self, reply: bytes) -> wire.ResultOperation:
        results = nfs4.parse(reply).resarray
        if len(results) != 1:
            raise _refused("COMPOUND", reply)
        return results[0]


def opened(result: wire.CompoundResult) -> Opened:
    """What the OPEN and the GETFH after it gave.

    Raises:
        RemoteProtocolError: the COMPOUND failed or has no such results.
    """
    stateid: wire.StateId | None = None
    delegation: wire.StateId | None = None
    handle: bytes | None = None
    for operation in result.resarray:
        match operation:
            case wire.OpenResult(outcome=wire.OpenDone() as done):
                stateid = done.stateid
                if isinstance(done.delegation, wire.ReadDelegation | wire.WriteDelegation):
                    delegation = done.delegation.stateid
            case wire.GetfhResult(outcome=wire.GetfhDone(object=found)):
                handle = found
            case _:
                pass
    if stateid is None or handle is None:
        raise RemoteProtocolError("nfs4.open", f"the OPEN ended with {result.status.name}")
    return Opened(stateid, delegation, handle)


def _refused(what: str, reply: bytes) -> RemoteProtocolError:
    status = nfs4.parse(reply).status
    return RemoteProtocolError("nfs4.session", f"{what} ended with {status.name}")
