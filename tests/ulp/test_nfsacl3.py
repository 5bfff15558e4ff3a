"""NFSACL as a kernel client of NFSv3 uses it: any list is taken, none kept, nothing is reduced."""

from __future__ import annotations

import pytest

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfsacl3 import NfsAclProgram
from rpcrdma.wire import _generated_nfsacl3 as wire
from rpcrdma.wire._generated_nfs3 import Status

V3 = wire.NFSACL_V3
LISTS = wire.AclLists(
    wire.NFSACL_ACCESS, 1024, tuple(wire.AclEntry(2, n, 4) for n in range(1024)), 0, ()
)


@pytest.fixture
def store() -> FileStore:
    return FileStore()


def call(procedure: int, arguments: bytes = b"") -> bytes:
    return rpc.encode_call(7, wire.NFSACL_PROGRAM, wire.NFSACL3_VERSION, procedure, arguments)


def set_call(handle: bytes) -> bytes:
    arguments = wire.SetaclArguments(handle, LISTS)
    return call(V3.NFSACLPROC3_SETACL, wire.encode_setacl_arguments(arguments))


def get_call(handle: bytes) -> bytes:
    arguments = wire.GetaclArguments(handle, wire.NFSACL_ACCESS | wire.NFSACL_DEFAULT)
    return call(V3.NFSACLPROC3_GETACL, wire.encode_getacl_arguments(arguments))


def results(store: FileStore, payload: bytes) -> bytes:
    program = NfsAclProgram(store)
    (reply,) = program.execute(payload)
    header, start = rpc.decode_reply(reply)
    assert header.succeeded
    assert len(reply) <= program.expectation(payload).maximum
    return reply[start:]


def test_null_is_answered(store: FileStore) -> None:
    assert results(store, call(V3.NFSACLPROC3_NULL)) == b""


def test_a_long_list_is_taken(store: FileStore) -> None:
    result, _ = wire.decode_setacl_result(results(store, set_call(store.root.handle)))

    assert result == wire.SetaclResult(Status.NFS3_OK, None)


def test_a_long_list_has_nothing_to_reduce(store: FileStore) -> None:
    assert NfsAclProgram(store).arguments(set_call(store.root.handle)) == ()


def test_none_is_kept(store: FileStore) -> None:
    results(store, set_call(store.root.handle))

    result, _ = wire.decode_getacl_result(results(store, get_call(store.root.handle)))

    mask = wire.NFSACL_ACCESS | wire.NFSACL_DEFAULT
    assert result == wire.GetaclDone(None, wire.AclLists(mask, 0, (), 0, ()))


@pytest.mark.parametrize(
    ("handle", "status"),
    [(b"tree:999999", Status.NFS3ERR_STALE), (b"x", Status.NFS3ERR_BADHANDLE)],
)
def test_a_handle_must_be_one_of_the_store(store: FileStore, handle: bytes, status: Status) -> None:
    got, _ = wire.decode_getacl_result(results(store, get_call(handle)))
    put, _ = wire.decode_setacl_result(results(store, set_call(handle)))

    assert got == wire.GetaclFailed(status, None)
    assert put == wire.SetaclResult(status, None)


def test_the_largest_lists_fit_the_largest_reply(store: FileStore) -> None:
    entries = tuple(wire.AclEntry(2, n, 4) for n in range(wire.NFSACL_ENTRIES))
    attributes = wire.FileAttributes(bytes(wire.NFSACL_ATTRIBUTES))
    largest = wire.encode_getacl_result(
        wire.GetaclDone(attributes, wire.AclLists(15, 1024, entries, 1024, entries))
    )

    expected = NfsAclProgram(store).expectation(get_call(store.root.handle)).maximum

    assert expected == rpc.REPLY_HEADER_LENGTH + len(largest)
