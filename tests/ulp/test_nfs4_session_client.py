from __future__ import annotations

from collections.abc import Callable

import pytest

from rpcrdma.errors import LocalProtocolError, RemoteProtocolError
from rpcrdma.ulp import nfs4, nfs4_callback
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_session_client import SessionClient, opened
from rpcrdma.ulp.nfs4_state import Nfs4Options, Nfs4State
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

BeginSession = Callable[[Nfs4Options], tuple[Nfs4Program, SessionClient]]
DELEGATING = Nfs4Options(backchannel=True, delegations=True)


def test_a_delegation_is_recalled_on_the_backchannel_and_given_back(
    begin_session: BeginSession,
) -> None:
    program, client = begin_session(DELEGATING)
    channel = program.backchannel
    assert channel is not None
    done = opened(client.take(*program.execute(client.open_wanting_delegation(9, "", "size-1"))))
    assert done.delegation is not None
    client.callbacks.hold(done.delegation, done.handle)

    probe = client.callbacks.execute(channel.null(20))
    recall = nfs4_callback.recall(done.delegation, done.handle)
    recalled = channel.take(*client.callbacks.execute(channel.call(21, recall)))
    back = client.compound(10, nfs4.put_handle(done.handle), nfs4.return_delegation(recall.stateid))
    returned = client.take(*program.execute(back))

    assert len(probe) == 1
    assert (recalled.status, returned.status) == (Status.NFS4_OK, Status.NFS4_OK)
    assert client.callbacks.recalled == [recall]
    assert program.state.delegations == {}


def test_each_call_takes_a_slot_until_its_reply(begin_session: BeginSession) -> None:
    program, client = begin_session(Nfs4Options())
    calls = [client.compound(xid, nfs4.put_root()) for xid in range(100, 116)]

    with pytest.raises(LocalProtocolError, match="all 16 slots"):
        client.compound(200, nfs4.put_root())
    for call in reversed(calls):
        assert client.take(*program.execute(call)).status is Status.NFS4_OK

    assert client.take(*program.execute(client.compound(201))).status is Status.NFS4_OK


def test_a_reply_that_nobody_waits_for_is_refused(begin_session: BeginSession) -> None:
    program, client = begin_session(Nfs4Options())
    (reply,) = program.execute(client.compound(9))
    client.take(reply)

    with pytest.raises(LocalProtocolError, match="XID 9"):
        client.take(reply)


def test_another_connection_becomes_the_backchannel(begin_session: BeginSession) -> None:
    program, client = begin_session(DELEGATING)
    other = Nfs4Program(FileStore(()), program.state)
    client.take_binding(*other.execute(client.bind_connection(9)))
    assert client.has_backchannel
    assert (other.backchannel is None, program.backchannel is None) == (False, True)


def test_another_connection_may_be_taken_for_calls_only(begin_session: BeginSession) -> None:
    program, client = begin_session(Nfs4Options())
    client.take_binding(*program.execute(client.bind_connection(9)))
    assert not client.has_backchannel


def test_no_connection_is_bound_to_a_session_that_is_over(begin_session: BeginSession) -> None:
    program, client = begin_session(DELEGATING)
    program.execute(client.destroy_session(9))
    with pytest.raises(RemoteProtocolError, match="BIND_CONN_TO_SESSION ended with NFS4ERR_BADSE"):
        client.take_binding(*program.execute(client.bind_connection(10)))


def test_a_session_comes_behind_a_client_id_and_before_calls() -> None:
    client = SessionClient(b"me", b"verifier")

    with pytest.raises(LocalProtocolError, match="EXCHANGE_ID comes first"):
        client.create_session(1)
    with pytest.raises(LocalProtocolError, match="no session"):
        client.compound(1)
    with pytest.raises(LocalProtocolError, match="no client id"):
        client.destroy_client_id(1)


def test_the_opens_of_others_may_begin_once_nothing_is_left_to_reclaim(
    begin_session: BeginSession,
) -> None:
    program, client = begin_session(Nfs4Options())

    result = client.take(*program.execute(client.reclaim_complete(9)))

    assert result.resarray[1] == wire.ReclaimCompleteResult(Status.NFS4_OK)


def test_no_backchannel_is_asked_for_if_none_is_wanted() -> None:
    program = Nfs4Program(FileStore(), Nfs4State(DELEGATING))
    client = SessionClient(b"me", b"verifier")
    client.take_client_id(*program.execute(client.exchange_id(1)))

    client.take_session(*program.execute(client.create_session(2, backchannel=False)))

    assert not client.has_backchannel
    assert program.backchannel is None


def test_refusals_are_reported_by_the_operation_that_failed(begin_session: BeginSession) -> None:
    program, client = begin_session(Nfs4Options())
    (ended,) = program.execute(client.destroy_session(9))
    (again,) = program.execute(client.destroy_session(10))
    client.take_end(ended)
    client.session = b"s" * 16

    with pytest.raises(RemoteProtocolError, match="DESTROY_SESSION ended with NFS4ERR_BADSESSION"):
        client.take_end(again)
    with pytest.raises(RemoteProtocolError, match="EXCHANGE_ID ended with NFS4ERR_BADSESSION"):
        client.take_client_id(again)
    (two,) = program.execute(nfs4.compound(9, nfs4.put_root(), nfs4.get_handle()))
    with pytest.raises(RemoteProtocolError, match="COMPOUND ended with NFS4_OK"):
        client.take_session(two)


def test_the_reply_of_a_call_fits_the_session(
    begin_session: BeginSession, check_binding: Callable[[object, bytes, bytes], None]
) -> None:
    program, client = begin_session(Nfs4Options())
    operations = (*nfs4.at("size-1000"), nfs4.read(0, 2**32 - 1))
    call = client.compound(9, *operations)
    (reply,) = program.execute(call)

    check_binding(client.layer, call, reply)

    assert client.layer.expectation(call).maximum == client.fore.ca_maxresponsesize
    assert program.expectation(call).maximum == client.fore.ca_maxresponsesize


def test_a_call_without_a_session_has_no_such_bound() -> None:
    client = SessionClient(b"me", b"verifier")
    call = nfs4.compound(9, nfs4.read(0, 2**31))

    assert client.layer.expectation(call).maximum > 2**31
    assert client.layer.execute(call) == []
