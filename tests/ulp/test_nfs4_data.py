from __future__ import annotations

import pytest

from rpcrdma.ulp import nfs4
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_data import BYPASS, VERIFIER
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status


def run(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    (reply,) = program.execute(nfs4.compound(9, *operations))
    return nfs4.parse(reply)


@pytest.mark.parametrize("stateid", [nfs4.ANONYMOUS, BYPASS])
def test_the_special_stateids_need_no_open(stateid: wire.StateId) -> None:
    program = Nfs4Program(FileStore())

    written = run(program, *nfs4.at("writable"), nfs4.write(0, b"hello", stateid=stateid))
    read = run(program, *nfs4.at("writable"), nfs4.read(0, 5, stateid))

    assert written.status is Status.NFS4_OK
    assert read.resarray[-1] == wire.ReadResult(wire.ReadDone(eof=False, data=b"hello"))


def test_what_is_written_is_committed_already() -> None:
    program = Nfs4Program(FileStore())

    result = run(program, *nfs4.at("writable"), wire.CommitArguments(0, 0))

    assert result.resarray[-1] == wire.CommitResult(wire.CommitDone(VERIFIER))


@pytest.mark.parametrize(
    ("name", "operation", "status"),
    [
        ("many", wire.CommitArguments(0, 0), Status.NFS4ERR_ISDIR),
        ("many", nfs4.read(0, 1), Status.NFS4ERR_ISDIR),
        ("link", nfs4.read(0, 1), Status.NFS4ERR_INVAL),
        ("size-1", nfs4.write(0, b"x"), Status.NFS4ERR_ACCESS),
        ("writable", nfs4.write(2**40, b"x"), Status.NFS4ERR_FBIG),
        ("size-1", nfs4.read(0, 1, wire.StateId(1, b"open-0000001")), Status.NFS4ERR_BAD_STATEID),
        ("size-1", nfs4.read(0, 1, wire.StateId(1, bytes(12))), Status.NFS4ERR_BAD_STATEID),
    ],
)
def test_each_operation_ends_with_the_status_of_the_document(
    name: str, operation: wire.ArgumentOperation, status: Status
) -> None:
    assert run(Nfs4Program(FileStore()), *nfs4.at(name), operation).status is status


def test_the_stateid_of_one_file_is_not_good_for_another() -> None:
    program = Nfs4Program(FileStore())
    client = program.state.new_client(0, b"c", b"verifier")
    node = program._store.root.child("size-1")
    entry = program.state.add_open(client.open_owner(b"o"), node, wire.OPEN4_SHARE_ACCESS_READ, 0)

    result = run(program, *nfs4.at("size-1000"), nfs4.read(0, 1, entry.stateid))

    assert result.status is Status.NFS4ERR_BAD_STATEID
