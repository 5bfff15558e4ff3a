from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_nfs4 import argument_operations, compound_argumentses
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.ulp.file_node import FIRST_COOKIE
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import DIRECTORY, LINK, TREE, WRITABLE, TreeFile, file_of_size
from rpcrdma.ulp.nfs4_attributes import decode_attributes
from rpcrdma.ulp.nfs4_server import OPERATIONS_MAXIMUM, READ_MAXIMUM, Nfs4Program
from rpcrdma.ulp.nfs4_session_client import SessionClient
from rpcrdma.ulp.nfs4_state import Nfs4Options
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

BeginSession = Callable[[Nfs4Options], tuple[Nfs4Program, SessionClient]]
FILES = [entry for entry in TREE if isinstance(entry, TreeFile)]


@pytest.fixture
def program() -> Nfs4Program:
    return Nfs4Program(FileStore())


def run(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    (reply,) = program.execute(nfs4.compound(9, *operations, tag=b"tag"))
    result = nfs4.parse(reply)
    assert result.tag == b"tag"
    return result


def last(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.ResultOperation:
    result = run(program, *operations)
    assert result.status is Status.NFS4_OK
    assert len(result.resarray) == len(operations)
    return result.resarray[-1]


def test_null_is_answered(program: Nfs4Program) -> None:
    assert program.execute(nfs4.null(9)) == [rpc.accepted(9)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_reads_as_its_pattern(program: Nfs4Program, file: TreeFile) -> None:
    result = last(program, *nfs4.at(file.name), nfs4.read(0, READ_MAXIMUM))

    assert result == wire.ReadResult(wire.ReadDone(eof=True, data=pattern(file.size, file.seed)))


def test_part_of_a_file_is_read(program: Nfs4Program) -> None:
    file = file_of_size(4096)

    result = last(program, *nfs4.at(file.name), nfs4.read(100, 333))

    assert result == wire.ReadResult(wire.ReadDone(eof=False, data=file.content[100:433]))


def test_what_is_written_is_read_on_every_connection() -> None:
    store = FileStore()
    here, there = Nfs4Program(store), Nfs4Program(store)

    written = last(here, *nfs4.at(WRITABLE.name), nfs4.write(7, b"hello"))
    found = last(there, *nfs4.at(WRITABLE.name), nfs4.read(7, 5))

    assert isinstance(written, wire.WriteResult)
    assert isinstance(written.outcome, wire.WriteDone)
    assert (written.outcome.count, written.outcome.committed) == (5, wire.StableHow.FILE_SYNC4)
    assert found == wire.ReadResult(wire.ReadDone(eof=False, data=b"hello"))


def test_link_is_read(program: Nfs4Program) -> None:
    result = last(program, *nfs4.at(LINK.name), nfs4.read_link())

    assert result == wire.ReadlinkResult(wire.ReadlinkDone(LINK.target.encode()))


def test_handle_leads_back_to_its_file(program: Nfs4Program) -> None:
    got = last(program, *nfs4.at("size-1000"), nfs4.get_handle())
    assert isinstance(got, wire.GetfhResult)
    assert isinstance(got.outcome, wire.GetfhDone)

    handle = nfs4.put_handle(got.outcome.object)
    result = last(program, handle, nfs4.get_attributes(wire.FATTR4_SIZE))

    assert isinstance(result, wire.GetattrResult)
    assert isinstance(result.outcome, wire.GetattrDone)
    assert decode_attributes(result.outcome.obj_attributes) == {wire.FATTR4_SIZE: 1000}


def test_directory_is_listed_in_pieces(program: Nfs4Program) -> None:
    names: list[str] = []
    cookie, pieces, complete, verifier = 0, 0, False, bytes(8)
    while not complete:
        listing = nfs4.read_directory(4096, wire.FATTR4_FILEID, cookie=cookie, verifier=verifier)
        result = last(program, *nfs4.at(DIRECTORY.name), listing)
        assert isinstance(result, wire.ReaddirResult)
        assert isinstance(result.outcome, wire.ReaddirDone)
        assert len(wire.encode_readdir_done(result.outcome)) <= 4096
        entries, verifier = result.outcome.reply.entries, result.outcome.cookieverf
        names += [entry.name.decode() for entry in entries]
        cookie, pieces, complete = entries[-1].cookie, pieces + 1, result.outcome.reply.eof
        assert pieces <= len(DIRECTORY.entries)

    assert tuple(names) == DIRECTORY.entries
    assert pieces > 1


@pytest.mark.parametrize(
    ("operations", "status"),
    [
        ((nfs4.get_handle(),), Status.NFS4ERR_NOFILEHANDLE),
        ((nfs4.put_handle(b"unknown"),), Status.NFS4ERR_BADHANDLE),
        (nfs4.at("absent"), Status.NFS4ERR_NOENT),
        ((nfs4.put_root(), nfs4.lookup("")), Status.NFS4ERR_INVAL),
        (nfs4.at("size-1/x"), Status.NFS4ERR_NOTDIR),
        (nfs4.at("link/x"), Status.NFS4ERR_SYMLINK),
        ((nfs4.put_root(), nfs4.read(0, 1)), Status.NFS4ERR_ISDIR),
        ((*nfs4.at("link"), nfs4.read(0, 1)), Status.NFS4ERR_INVAL),
        ((*nfs4.at("size-1"), nfs4.write(0, b"x")), Status.NFS4ERR_ACCESS),
        ((*nfs4.at("writable"), nfs4.write(2**60, b"x")), Status.NFS4ERR_FBIG),
        ((*nfs4.at("size-1"), nfs4.read_link()), Status.NFS4ERR_INVAL),
        ((*nfs4.at("size-1"), nfs4.read_directory(4096)), Status.NFS4ERR_NOTDIR),
        ((*nfs4.at("many"), nfs4.read_directory(20)), Status.NFS4ERR_TOOSMALL),
        ((*nfs4.at("many"), nfs4.read_directory(4096, cookie=1)), Status.NFS4ERR_BAD_COOKIE),
        (
            (*nfs4.at("many"), nfs4.read_directory(4096, cookie=FIRST_COOKIE + 600)),
            Status.NFS4ERR_NOT_SAME,
        ),
        ((wire.OtherArguments(wire.Operation.OP_LAYOUTGET),), Status.NFS4ERR_OP_ILLEGAL),
        (
            (*nfs4.at("size-1"), wire.DelegpurgeArguments(1)),
            Status.NFS4ERR_STALE_CLIENTID,
        ),
        ((wire.OtherArguments(wire.Operation.OP_ILLEGAL),), Status.NFS4ERR_OP_ILLEGAL),
        (
            (*nfs4.at("size-1"), wire.ReadArguments(wire.StateId(1, bytes(12)), 0, 1)),
            Status.NFS4ERR_BAD_STATEID,
        ),
    ],
)
def test_operation_that_fails_ends_the_compound(
    program: Nfs4Program, operations: tuple[wire.ArgumentOperation, ...], status: Status
) -> None:
    result = run(program, *operations, nfs4.put_root())

    assert result.status is status
    assert len(result.resarray) == len(operations)


def test_refused_write_changes_nothing(program: Nfs4Program) -> None:
    run(program, *nfs4.at("size-1000"), nfs4.write(0, b"x"))

    result = last(program, *nfs4.at("size-1000"), nfs4.read(0, 1000))

    assert result == wire.ReadResult(wire.ReadDone(eof=True, data=file_of_size(1000).content))


def test_stateid_that_bypasses_locks_reads(program: Nfs4Program) -> None:
    bypass = wire.StateId(2**32 - 1, b"\xff" * 12)

    result = last(program, *nfs4.at("size-1"), wire.ReadArguments(bypass, 0, 1))

    assert result == wire.ReadResult(wire.ReadDone(eof=True, data=file_of_size(1).content))


def test_other_minor_version_is_refused(program: Nfs4Program) -> None:
    arguments = wire.CompoundArguments(b"", 3, (nfs4.put_root(),))
    encoded = wire.encode_compound_arguments(arguments)

    (reply,) = program.execute(rpc.encode_call(9, 100003, 4, 1, encoded))

    expected = wire.CompoundResult(Status.NFS4ERR_MINOR_VERS_MISMATCH, b"", ())
    assert nfs4.parse(reply) == expected


def test_too_many_operations_are_refused(program: Nfs4Program) -> None:
    result = run(program, *[nfs4.put_root()] * (OPERATIONS_MAXIMUM + 1))

    assert result == wire.CompoundResult(Status.NFS4ERR_RESOURCE, b"tag", ())


def test_read_returns_at_most_a_mebibyte(program: Nfs4Program) -> None:
    last(program, *nfs4.at(WRITABLE.name), nfs4.write(READ_MAXIMUM, b"x"))

    result = last(program, *nfs4.at(WRITABLE.name), nfs4.read(0, READ_MAXIMUM + 1))

    assert isinstance(result, wire.ReadResult)
    assert isinstance(result.outcome, wire.ReadDone)
    assert (len(result.outcome.data), result.outcome.eof) == (READ_MAXIMUM, False)


@given(compound_argumentses(), st.integers(0, 2))
def test_whatever_is_asked_is_answered_by_results_for_what_was_reached(
    arguments: wire.CompoundArguments, minor: int
) -> None:
    program = Nfs4Program(FileStore())
    asked = wire.CompoundArguments(arguments.tag, minor, arguments.argarray)

    (reply,) = program.execute(
        rpc.encode_call(9, 100003, 4, 1, wire.encode_compound_arguments(asked))
    )
    result = nfs4.parse(reply)

    assert len(result.resarray) <= len(asked.argarray)
    assert result.tag == asked.tag


@given(st.lists(argument_operations(), max_size=6))
def test_whatever_is_asked_in_a_session_is_answered_within_it(
    begin_session: BeginSession, operations: list[wire.ArgumentOperation]
) -> None:
    program, client = begin_session(Nfs4Options(backchannel=True, delegations=True))

    (reply,) = program.execute(client.compound(9, *nfs4.at("writable"), *operations))
    result = client.take(reply)

    assert isinstance(result.resarray[0], wire.SequenceResult)
    assert len(reply) <= client.fore.ca_maxresponsesize
