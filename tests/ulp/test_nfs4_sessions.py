from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from rpcrdma.errors import RemoteProtocolError
from rpcrdma.ulp import nfs4
from rpcrdma.ulp.nfs4_server import OPERATIONS_MAXIMUM, Nfs4Program
from rpcrdma.ulp.nfs4_session_client import SessionClient
from rpcrdma.ulp.nfs4_state import Nfs4Options
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

BeginSession = Callable[[Nfs4Options], tuple[Nfs4Program, SessionClient]]
Started = tuple[Nfs4Program, SessionClient]

PLAIN = Nfs4Options()
STEP_UP = False
UNKNOWN = wire.SequenceArguments(bytes(16), 1, 0, 0, sa_cachethis=True)
WITH_BACKCHANNEL = Nfs4Options(backchannel=True)


@pytest.fixture
def started(begin_session: BeginSession) -> Started:
    return begin_session(PLAIN)


def alone(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    (reply,) = program.execute(nfs4.compound(9, *operations, minor=1))
    return nfs4.parse(reply)


def sequence(client: SessionClient, number: int, *, slot: int = 0) -> wire.ArgumentOperation:
    assert client.session is not None
    return wire.SequenceArguments(client.session, number, slot, slot, sa_cachethis=False)


def test_a_session_is_begun_used_and_ended(started: Started) -> None:
    program, client = started

    result = client.take(*program.execute(client.compound(9, nfs4.put_root(), nfs4.get_handle())))
    client.take_end(*program.execute(client.destroy_session(10)))
    ended = nfs4.parse(*program.execute(client.destroy_client_id(11)))

    assert (result.status, len(result.resarray)) == (Status.NFS4_OK, 3)
    assert ended.status is Status.NFS4_OK
    assert (program.state.sessions, program.state.clients) == ({}, {})


def test_a_client_id_in_use_is_not_destroyed(started: Started) -> None:
    program, client = started

    result = nfs4.parse(*program.execute(client.destroy_client_id(9)))

    assert result.status is Status.NFS4ERR_CLIENTID_BUSY


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ((nfs4.put_root(),), Status.NFS4ERR_OP_NOT_IN_SESSION),
        ((wire.DestroySessionArguments(bytes(16)), nfs4.put_root()), Status.NFS4ERR_NOT_ONLY_OP),
        ((wire.DestroySessionArguments(bytes(16)),), Status.NFS4ERR_BADSESSION),
        (
            (wire.SequenceArguments(bytes(16), 1, 0, 0, sa_cachethis=True),),
            Status.NFS4ERR_BADSESSION,
        ),
        ((wire.RenewArguments(1),), Status.NFS4ERR_NOTSUPP),
        ((wire.DestroyClientidArguments(77),), Status.NFS4ERR_STALE_CLIENTID),
    ],
)
def test_what_is_out_of_place_is_refused(
    started: Started, place: tuple[wire.ArgumentOperation, ...], status: Status
) -> None:
    assert alone(started[0], *place).status is status


def test_sequence_stands_first_and_only_there(started: Started) -> None:
    program, client = started

    result = alone(program, sequence(client, 1), sequence(client, 2))

    assert result.status is Status.NFS4ERR_SEQUENCE_POS
    assert len(result.resarray) == 2


@pytest.mark.parametrize(
    ("number", "slot", "status"),
    [
        (1, 0, Status.NFS4_OK),
        (2, 0, Status.NFS4ERR_SEQ_MISORDERED),
        (0, 0, Status.NFS4ERR_SEQ_MISORDERED),
        (1, 15, Status.NFS4_OK),
        (1, 16, Status.NFS4ERR_BADSLOT),
    ],
)
def test_a_request_has_the_next_number_of_a_slot_that_there_is(
    started: Started, number: int, slot: int, status: Status
) -> None:
    program, client = started

    assert alone(program, sequence(client, number, slot=slot)).status is status


def test_a_retry_is_answered_from_memory_and_not_executed_again(started: Started) -> None:
    program, client = started
    create = wire.CreateArguments(
        wire.PlainType(wire.FileType.NF4DIR), b"new", wire.FileAttributes((), b"")
    )
    call = client.compound(9, nfs4.put_root(), create, keep=True)

    first, second = program.execute(call), program.execute(call)

    assert nfs4.parse(*first).status is Status.NFS4_OK
    assert second == first


def test_a_retry_of_what_was_not_kept_is_refused_behind_sequence(started: Started) -> None:
    program, client = started
    call = client.compound(9, nfs4.put_root(), nfs4.get_handle())
    program.execute(call)

    result = nfs4.parse(*program.execute(call))

    assert result.status is Status.NFS4ERR_RETRY_UNCACHED_REP
    assert result.resarray[1:] == (wire.PutrootfhResult(Status.NFS4ERR_RETRY_UNCACHED_REP),)


def test_another_request_in_place_of_a_retry_is_found_out(started: Started) -> None:
    program, client = started
    assert client.session is not None
    first = wire.SequenceArguments(client.session, 1, 0, 0, sa_cachethis=True)
    alone(program, first, nfs4.put_root())

    result = alone(program, first, nfs4.put_root(), nfs4.get_handle())

    assert result.status is Status.NFS4ERR_SEQ_FALSE_RETRY


def test_a_reply_larger_than_the_session_allows_is_cut(started: Started) -> None:
    program, client = started
    session = program.state.sessions[client.session or b""]
    session.fore = wire.ChannelAttributes(0, 4096, 500, 500, 16, 16, ())

    reply = program.execute(client.compound(9, *nfs4.at("size-1000"), nfs4.read(0, 1000)))
    result = client.take(*reply)

    assert result.status is Status.NFS4ERR_REP_TOO_BIG
    assert result.resarray[-1] == wire.ReadResult(wire.ReadFailed(Status.NFS4ERR_REP_TOO_BIG))
    assert len(result.resarray) == 4
    assert len(reply[0]) <= 500


def test_a_reply_too_large_to_keep_is_refused_when_it_was_to_be_kept(started: Started) -> None:
    program, client = started
    session = program.state.sessions[client.session or b""]
    session.fore = wire.ChannelAttributes(0, 4096, 4096, 500, 16, 16, ())
    operations = (*nfs4.at("size-1000"), nfs4.read(0, 1000))

    result = client.take(*program.execute(client.compound(9, *operations, keep=True)))

    assert result.status is Status.NFS4ERR_REP_TOO_BIG_TO_CACHE


def test_a_call_larger_than_the_session_allows_is_refused(started: Started) -> None:
    program, client = started
    session = program.state.sessions[client.session or b""]
    session.fore = wire.ChannelAttributes(0, 200, 4096, 500, 16, 16, ())

    result = client.take(*program.execute(client.compound(9, nfs4.write(0, bytes(300)))))

    assert result.status is Status.NFS4ERR_REQ_TOO_BIG


def test_more_operations_than_negotiated_are_refused(started: Started) -> None:
    program, client = started

    result = client.take(*program.execute(client.compound(9, *[nfs4.put_root()] * 16)))

    assert result.status is Status.NFS4ERR_TOO_MANY_OPS


def test_more_operations_than_any_session_has_are_refused(started: Started) -> None:
    result = alone(started[0], *[nfs4.put_root()] * (OPERATIONS_MAXIMUM + 1))

    assert result == wire.CompoundResult(Status.NFS4ERR_TOO_MANY_OPS, b"", ())


def test_a_session_is_created_once_for_one_sequence_number(started: Started) -> None:
    program, _ = started
    other = SessionClient(b"other", b"verifier")
    other.take_client_id(*program.execute(other.exchange_id(3)))
    call = other.create_session(4)

    first, second = program.execute(call), program.execute(call)

    assert nfs4.parse(*first).status is Status.NFS4_OK
    assert second == first
    assert len(program.state.sessions) == 2


def test_a_session_out_of_order_is_refused(started: Started) -> None:
    program, _ = started
    other = SessionClient(b"other", b"verifier")
    other.take_client_id(*program.execute(other.exchange_id(3)))
    other._sequence += 1

    (reply,) = program.execute(other.create_session(4))

    assert nfs4.parse(reply).status is Status.NFS4ERR_SEQ_MISORDERED


def test_the_same_client_is_recognised_and_its_next_life_displaces_it(started: Started) -> None:
    program, client = started
    again = SessionClient(b"somebody", b"verifier")
    reborn = SessionClient(b"somebody", b"restart!")

    same = again.take_client_id(*program.execute(again.exchange_id(3)))
    new = reborn.take_client_id(*program.execute(reborn.exchange_id(4)))
    before = len(program.state.clients)
    reborn.take_session(*program.execute(reborn.create_session(5)))

    assert same.eir_clientid == client.client_id
    assert same.eir_flags & wire.EXCHGID4_FLAG_CONFIRMED_R
    assert new.eir_clientid != client.client_id
    assert (before, len(program.state.clients)) == (2, 1)


@pytest.mark.parametrize(
    ("verifier", "owner", "status"),
    [
        (b"verifier", b"somebody", Status.NFS4_OK),
        (b"another!", b"somebody", Status.NFS4ERR_NOT_SAME),
        (b"verifier", b"stranger", Status.NFS4ERR_NOENT),
    ],
)
def test_only_a_confirmed_client_is_updated(
    started: Started, verifier: bytes, owner: bytes, status: Status
) -> None:
    update = wire.ExchangeIdArguments(
        wire.ClientOwner(verifier, owner),
        wire.EXCHGID4_FLAG_UPD_CONFIRMED_REC_A,
        wire.AskNoProtection(),
        (),
    )

    assert alone(started[0], update).status is status


def test_state_protection_is_refused(started: Started) -> None:
    asked = wire.ExchangeIdArguments(
        wire.ClientOwner(b"verifier", b"x"), 0, wire.ProtectedOperations((), ()), ()
    )

    assert alone(started[0], asked).status is Status.NFS4ERR_INVAL


def test_no_backchannel_unless_the_server_is_told_to(started: Started) -> None:
    program, client = started

    assert not client.has_backchannel
    assert program.backchannel is None


def test_the_connection_of_the_session_becomes_its_backchannel(
    begin_session: BeginSession,
) -> None:
    program, client = begin_session(WITH_BACKCHANNEL)

    assert client.has_backchannel
    assert program.backchannel is not None
    assert program.backchannel.session == client.session
    assert program.backchannel.program == client.callbacks.number


def test_the_backchannel_ends_with_its_session(begin_session: BeginSession) -> None:
    program, client = begin_session(WITH_BACKCHANNEL)

    program.execute(client.destroy_session(9))

    assert program.backchannel is None


def test_a_client_on_a_new_connection_is_told_to_bind_it(begin_session: BeginSession) -> None:
    program, client = begin_session(WITH_BACKCHANNEL)
    program.disconnected()
    later = Nfs4Program(program._store, program.state)
    call = client.compound(9, nfs4.put_root())

    told = client.take(*later.execute(call)).resarray[0]
    bind = wire.BindConnToSessionArguments(
        client.session or b"", wire.ChannelAsked.CDFC4_BACK_OR_BOTH, STEP_UP
    )
    bound = alone(later, bind).resarray[0]
    quiet = client.take(*later.execute(client.compound(10, nfs4.put_root()))).resarray[0]

    assert isinstance(told, wire.SequenceResult)
    assert isinstance(told.outcome, wire.SequenceDone)
    assert told.outcome.sr_status_flags & wire.SEQ4_STATUS_CB_PATH_DOWN_SESSION
    assert bound == wire.BindConnToSessionResult(
        wire.BindConnToSessionDone(client.session or b"", wire.ChannelGiven.CDFS4_BOTH, STEP_UP)
    )
    assert later.backchannel is not None
    assert isinstance(quiet, wire.SequenceResult)
    assert isinstance(quiet.outcome, wire.SequenceDone)
    assert quiet.outcome.sr_status_flags == 0


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (wire.ChannelAsked.CDFC4_FORE, Status.NFS4_OK),
        (wire.ChannelAsked.CDFC4_FORE_OR_BOTH, Status.NFS4_OK),
        (wire.ChannelAsked.CDFC4_BACK, Status.NFS4ERR_INVAL),
    ],
)
def test_a_session_without_backchannel_binds_connections_to_the_fore_channel_alone(
    started: Started, asked: wire.ChannelAsked, status: Status
) -> None:
    program, client = started
    bind = wire.BindConnToSessionArguments(client.session or b"", asked, STEP_UP)

    assert alone(program, bind).status is status
    assert program.backchannel is None


def test_the_callback_program_can_be_changed(begin_session: BeginSession) -> None:
    program, client = begin_session(WITH_BACKCHANNEL)
    control = wire.BackchannelCtlArguments(77, ())

    result = client.take(*program.execute(client.compound(9, control)))

    assert result.status is Status.NFS4_OK
    assert program.backchannel is not None
    assert program.backchannel.program == 77


def test_without_a_backchannel_there_is_nothing_to_control(started: Started) -> None:
    program, client = started

    result = client.take(*program.execute(client.compound(9, wire.BackchannelCtlArguments(7, ()))))

    assert result.status is Status.NFS4ERR_NOENT


def test_what_is_negotiated_never_exceeds_what_was_asked_for(started: Started) -> None:
    program, client = started
    session = program.state.sessions[client.session or b""]

    assert session.fore.ca_maxrequests == len(session.slots) == 16
    assert session.fore.ca_maxresponsesize <= 1024 * 1024 + 4096
    assert client.layer.bound == session.fore.ca_maxresponsesize


def test_a_session_without_slots_is_refused(started: Started) -> None:
    program, client = started
    none = wire.ChannelAttributes(0, 4096, 4096, 0, 8, 0, ())
    create = wire.CreateSessionArguments(client.client_id or 0, 2, 0, none, none, 1, ())

    assert alone(program, create).status is Status.NFS4ERR_INVAL


def test_options_are_plain_data() -> None:
    assert replace(PLAIN, backchannel=True) == WITH_BACKCHANNEL


def test_a_refusal_is_the_servers_fault_not_ours(started: Started) -> None:
    program, client = started
    client.take_end(*program.execute(client.destroy_session(9)))
    client.client_id = 4711

    with pytest.raises(RemoteProtocolError, match="NFS4ERR_STALE_CLIENTID"):
        client.take_session(*program.execute(client.create_session(10)))
