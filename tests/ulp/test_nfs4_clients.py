from __future__ import annotations

import pytest

from rpcrdma.ulp import nfs4
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

CALLBACK = wire.CallbackClient(1, wire.NetworkAddress("tcp", "127.0.0.1.0.0"))


@pytest.fixture
def program() -> Nfs4Program:
    return Nfs4Program(FileStore())


def run(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    (reply,) = program.execute(nfs4.compound(9, *operations))
    return nfs4.parse(reply)


def introduce(program: Nfs4Program, name: bytes, verifier: bytes) -> wire.SetclientidDone:
    asked = wire.SetclientidArguments(wire.LongClientId(verifier, name), CALLBACK, 0)
    (result,) = run(program, asked).resarray
    assert isinstance(result, wire.SetclientidResult)
    assert isinstance(result.outcome, wire.SetclientidDone)
    return result.outcome


def confirm(program: Nfs4Program, done: wire.SetclientidDone) -> Status:
    arguments = wire.SetclientidConfirmArguments(done.clientid, done.setclientid_confirm)
    return run(program, arguments).status


def test_a_client_is_good_once_it_is_confirmed(program: Nfs4Program) -> None:
    done = introduce(program, b"client", b"verifier")

    before = run(program, wire.RenewArguments(done.clientid)).status
    confirmed, again = confirm(program, done), confirm(program, done)
    after = run(program, wire.RenewArguments(done.clientid)).status

    assert before is Status.NFS4ERR_STALE_CLIENTID
    assert (confirmed, again, after) == (Status.NFS4_OK,) * 3


def test_only_who_got_the_answer_confirms(program: Nfs4Program) -> None:
    done = introduce(program, b"client", b"verifier")
    guessed = wire.SetclientidDone(done.clientid, b"guessed!")

    assert confirm(program, guessed) is Status.NFS4ERR_STALE_CLIENTID


def test_the_same_life_of_a_client_keeps_its_number(program: Nfs4Program) -> None:
    done = introduce(program, b"client", b"verifier")
    confirm(program, done)

    assert introduce(program, b"client", b"verifier") == done


def test_the_next_life_of_a_client_displaces_it(program: Nfs4Program) -> None:
    first = introduce(program, b"client", b"verifier")
    confirm(program, first)
    second = introduce(program, b"client", b"restart!")

    known = run(program, wire.RenewArguments(first.clientid)).status
    confirm(program, second)
    gone = run(program, wire.RenewArguments(first.clientid)).status

    assert (known, gone) == (Status.NFS4_OK, Status.NFS4ERR_STALE_CLIENTID)


def test_an_unconfirmed_attempt_is_replaced(program: Nfs4Program) -> None:
    introduce(program, b"client", b"verifier")
    introduce(program, b"client", b"restart!")

    assert len(program.state.clients) == 1


@pytest.mark.parametrize("known", [True, False])
def test_a_client_without_locks_has_none_to_release(program: Nfs4Program, *, known: bool) -> None:
    done = introduce(program, b"client", b"verifier")
    owner = wire.StateOwner(done.clientid + (not known), b"o")

    status = run(program, wire.ReleaseLockownerArguments(owner)).status

    assert status is (Status.NFS4_OK if known else Status.NFS4ERR_STALE_CLIENTID)


def test_locks_are_not_supported(program: Nfs4Program) -> None:
    asked = wire.LocktArguments(wire.LockType.READ_LT, 0, 1, wire.StateOwner(1, b"o"))

    result = run(program, *nfs4.at("size-1"), asked)

    assert result.resarray[-1] == wire.LocktResult(wire.LocktFailed(Status.NFS4ERR_NOTSUPP))
