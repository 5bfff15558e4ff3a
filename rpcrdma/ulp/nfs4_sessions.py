"""Operations of an NFSv4.1 server on client ids, sessions and their channels.

    RFC 5661 section 18.35   EXCHANGE_ID
    RFC 5661 section 18.36   CREATE_SESSION
    RFC 5661 section 18.46   SEQUENCE
    RFC 5661 section 18.34   BIND_CONN_TO_SESSION
    RFC 5661 section 18.37, 18.50, 18.51   DESTROY_SESSION, DESTROY_CLIENTID, RECLAIM_COMPLETE

State protection beyond none is refused.  The backchannel flag is granted only if the options of the
server say that the transport can carry calls in the backward direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.nfs4_callback import Nfs4Backchannel
from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused
from rpcrdma.ulp.nfs4_operations import success
from rpcrdma.ulp.nfs4_slots import Arrival, Slot, following
from rpcrdma.ulp.nfs4_state import Nfs4Client, Nfs4Session
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Operation, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire._generated_nfs4 import ResultOperation

__all__ = [
    "OPERATIONS_MAXIMUM",
    "Repeated",
    "bind_connection",
    "control_backchannel",
    "create_session",
    "destroy_client_id",
    "destroy_session",
    "exchange_id",
    "reclaim_complete",
    "sequence",
]

SERVER: Final = b"rpcrdma reference"
"""The owner and the scope that the server names; every instance is another's equal."""

IMPLEMENTATION: Final = wire.Implementation(b"rpcrdma.invalid", SERVER, wire.Time(0, 0))

OPERATIONS_MAXIMUM: Final = 64
"""Operations in one COMPOUND; with the size of a READ this bounds a reply."""

SLOTS_MAXIMUM: Final = 64
MESSAGE_MAXIMUM: Final = 2 * 1024 * 1024
"""Octets of the largest call or reply: a READ or WRITE of a mebibyte, and room around it."""

CACHED_MAXIMUM: Final = 16 * 1024
"""Octets of a reply that a slot keeps."""

SESSIONS_MAXIMUM: Final = 16
"""Sessions of one client."""

ROLE: Final = wire.EXCHGID4_FLAG_USE_NON_PNFS

STATUS_OF: Final[Mapping[Arrival, Status]] = {
    Arrival.FALSE_RETRY: Status.NFS4ERR_SEQ_FALSE_RETRY,
    Arrival.MISORDERED: Status.NFS4ERR_SEQ_MISORDERED,
}


class Repeated(Exception):
    """A COMPOUND is a retry; these are the encoded results that it got before."""

    def __init__(self, results: bytes) -> None:
        super().__init__("a retry")
        self.results = results


def exchange_id(compound: Compound, arguments: wire.ExchangeIdArguments) -> ResultOperation:
    """EXCHANGE_ID: a client id that is good once a session was created with it."""
    if not isinstance(arguments.eia_state_protect, wire.AskNoProtection):
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    client = _identify(compound, arguments)
    flags = ROLE | (wire.EXCHGID4_FLAG_CONFIRMED_R if client.confirmed else 0)
    done = wire.ExchangeIdDone(
        client.number,
        following(client.creation_sequence),
        flags,
        wire.GiveNoProtection(),
        wire.ServerOwner(0, SERVER),
        SERVER,
        (IMPLEMENTATION,),
    )
    return wire.ExchangeIdResult(done)


def _identify(compound: Compound, arguments: wire.ExchangeIdArguments) -> Nfs4Client:
    """RFC 5661 18.35.4, for a server that does not look at credentials."""
    state, minor = compound.state, compound.minor
    owner = arguments.eia_clientowner
    update = arguments.eia_flags & wire.EXCHGID4_FLAG_UPD_CONFIRMED_REC_A
    known = list(state.by_owner(minor, owner.co_ownerid))
    for client in known:
        if client.confirmed and client.verifier == owner.co_verifier:
            return client
        if client.confirmed and update:
            raise Nfs4Refused(Status.NFS4ERR_NOT_SAME)
    if update:
        raise Nfs4Refused(Status.NFS4ERR_NOENT)
    for client in known:
        if not client.confirmed:
            state.drop_client(client)
    return state.new_client(minor, owner.co_ownerid, owner.co_verifier)


def create_session(compound: Compound, arguments: wire.CreateSessionArguments) -> ResultOperation:
    """CREATE_SESSION, which also confirms the client id."""
    state = compound.state
    client = state.client(arguments.csa_clientid, compound.minor)
    if client.creation is not None and arguments.csa_sequence == client.creation_sequence:
        return wire.CreateSessionResult(client.creation)  # a retry (RFC 5661 18.36.4)
    if arguments.csa_sequence != following(client.creation_sequence):
        raise Nfs4Refused(Status.NFS4ERR_SEQ_MISORDERED)
    if sum(session.client is client for session in state.sessions.values()) >= SESSIONS_MAXIMUM:
        raise Nfs4Refused(Status.NFS4ERR_DELAY)
    fore, back = _fore(arguments.csa_fore_chan_attrs), _back(arguments.csa_back_chan_attrs)
    state.confirm(client)
    wants = arguments.csa_flags & wire.CREATE_SESSION4_FLAG_CONN_BACK_CHAN
    identifier = state.new_session_id()
    backchannel: Nfs4Backchannel | None = None
    if wants and state.options.backchannel:
        backchannel = Nfs4Backchannel(
            identifier,
            arguments.csa_cb_program,
            back,
            arguments.csa_sec_parms,
            compound.minor,
        )
    slots = [Slot() for _ in range(fore.ca_maxrequests)]
    session = Nfs4Session(identifier, client, fore, backchannel, slots)
    state.sessions[identifier] = session
    flags = 0
    if backchannel is not None:
        _bind(compound, session)
        flags = wire.CREATE_SESSION4_FLAG_CONN_BACK_CHAN
    client.creation_sequence = arguments.csa_sequence
    client.creation = wire.CreateSessionDone(identifier, arguments.csa_sequence, flags, fore, back)
    return wire.CreateSessionResult(client.creation)


def _fore(asked: wire.ChannelAttributes) -> wire.ChannelAttributes:
    """What the server takes of the fore channel: never more than was asked for."""
    if not asked.ca_maxrequests or not asked.ca_maxoperations:
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    return wire.ChannelAttributes(
        0,
        min(asked.ca_maxrequestsize, MESSAGE_MAXIMUM),
        min(asked.ca_maxresponsesize, MESSAGE_MAXIMUM),
        min(asked.ca_maxresponsesize_cached, CACHED_MAXIMUM),
        min(asked.ca_maxoperations, OPERATIONS_MAXIMUM),
        min(asked.ca_maxrequests, SLOTS_MAXIMUM),
        (),
    )


def _back(asked: wire.ChannelAttributes) -> wire.ChannelAttributes:
    """The back channel as the client offers it, with fewer slots if it offers very many."""
    return wire.ChannelAttributes(
        0,
        asked.ca_maxrequestsize,
        asked.ca_maxresponsesize,
        asked.ca_maxresponsesize_cached,
        asked.ca_maxoperations,
        min(asked.ca_maxrequests, SLOTS_MAXIMUM),
        (),
    )


def _bind(compound: Compound, session: Nfs4Session) -> None:
    """This connection becomes the backchannel of a session; the one before is none any more."""
    before = session.back_connection
    if before is not None and before is not compound.binding:
        before.backchannel = None
    session.back_connection = compound.binding
    compound.binding.backchannel = session.backchannel


def _session(compound: Compound, identifier: bytes) -> Nfs4Session:
    session = compound.state.sessions.get(identifier)
    if session is None:
        raise Nfs4Refused(Status.NFS4ERR_BADSESSION)
    return session


def bind_connection(
    compound: Compound, arguments: wire.BindConnToSessionArguments
) -> ResultOperation:
    """BIND_CONN_TO_SESSION; any connection may be a fore channel, and is without asking."""
    session = _session(compound, arguments.bctsa_sessid)
    asked, given = arguments.bctsa_dir, wire.ChannelGiven.CDFS4_FORE
    if asked is not wire.ChannelAsked.CDFC4_FORE and session.backchannel is not None:
        _bind(compound, session)
        only = asked is wire.ChannelAsked.CDFC4_BACK
        given = wire.ChannelGiven.CDFS4_BACK if only else wire.ChannelGiven.CDFS4_BOTH
    elif asked is wire.ChannelAsked.CDFC4_BACK:
        raise Nfs4Refused(Status.NFS4ERR_INVAL)
    done = wire.BindConnToSessionDone(session.id, given, bctsr_use_conn_in_rdma_mode=False)
    return wire.BindConnToSessionResult(done)


def control_backchannel(
    compound: Compound, arguments: wire.BackchannelCtlArguments
) -> ResultOperation:
    """BACKCHANNEL_CTL: another callback program, or other credentials."""
    session = compound.session
    if session is None:
        raise Nfs4Refused(Status.NFS4ERR_OP_NOT_IN_SESSION)
    if session.backchannel is None:
        raise Nfs4Refused(Status.NFS4ERR_NOENT)
    session.backchannel.program = arguments.bca_cb_program
    session.backchannel.security = arguments.bca_sec_parms
    return success(Operation.OP_BACKCHANNEL_CTL)


def destroy_session(compound: Compound, arguments: wire.DestroySessionArguments) -> ResultOperation:
    """DESTROY_SESSION."""
    compound.state.drop_session(_session(compound, arguments.dsa_sessionid))
    return success(Operation.OP_DESTROY_SESSION)


def destroy_client_id(
    compound: Compound, arguments: wire.DestroyClientidArguments
) -> ResultOperation:
    """DESTROY_CLIENTID, of a client that has nothing any more."""
    state = compound.state
    client = state.client(arguments.dca_clientid, compound.minor)
    sessions = [session for session in state.sessions.values() if session.client is client]
    if sessions or state.holdings(client):
        raise Nfs4Refused(Status.NFS4ERR_CLIENTID_BUSY)
    state.drop_client(client)
    return success(Operation.OP_DESTROY_CLIENTID)


def reclaim_complete(
    _compound: Compound, _arguments: wire.ReclaimCompleteArguments
) -> ResultOperation:
    """RECLAIM_COMPLETE: there was nothing to reclaim."""
    return success(Operation.OP_RECLAIM_COMPLETE)


def sequence(compound: Compound, arguments: wire.SequenceArguments) -> ResultOperation:
    """SEQUENCE, the first operation of nearly every COMPOUND.

    Raises:
        Refused: the session, the slot or the number is wrong, or the call too large.
        Repeated: this is a retry of what was answered before.
    """
    session = _session(compound, arguments.sa_sessionid)
    if arguments.sa_slotid >= len(session.slots):
        raise Nfs4Refused(Status.NFS4ERR_BADSLOT)
    if compound.size > session.fore.ca_maxrequestsize:
        raise Nfs4Refused(Status.NFS4ERR_REQ_TOO_BIG)
    if compound.operations > session.fore.ca_maxoperations:
        raise Nfs4Refused(Status.NFS4ERR_TOO_MANY_OPS)
    slot = session.slots[arguments.sa_slotid]
    arrival = slot.arrive(arguments.sa_sequenceid, compound.digest, keep=arguments.sa_cachethis)
    if arrival is Arrival.CACHED and slot.reply is not None:
        raise Repeated(slot.reply)
    if arrival in STATUS_OF:
        raise Nfs4Refused(STATUS_OF[arrival])
    compound.session = session
    compound.slot = slot
    compound.repeats = arrival is Arrival.UNCACHED
    highest = len(session.slots) - 1
    done = wire.SequenceDone(
        session.id,
        arguments.sa_sequenceid,
        arguments.sa_slotid,
        highest,
        highest,
        _status_flags(compound, session),
    )
    return wire.SequenceResult(done)


def _status_flags(compound: Compound, session: Nfs4Session) -> int:
    """What the client should know: above all that it must bind a new connection for callbacks."""
    wants = session.backchannel is not None
    if wants and session.back_connection is not compound.binding:
        return wire.SEQ4_STATUS_CB_PATH_DOWN | wire.SEQ4_STATUS_CB_PATH_DOWN_SESSION
    return 0
