from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies import _generated_nfs3 as results
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import nfs3, rpc
from rpcrdma.ulp.bindings import DataItem, padded, reduce, restore
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs3_binding import (
    ENTRY_FIXED,
    ENTRY_PLUS_FIXED,
    LARGEST_FIXED,
    LINK_MAXIMUM,
)
from rpcrdma.ulp.nfs3_server import ROWS, Nfs3Program
from rpcrdma.wire import _generated_nfs3 as wire

V3 = wire.NFS_V3
LAYER = Nfs3Program(FileStore(()))
HANDLE = b"h" * 7

FIXED = {
    V3.NFSPROC3_GETATTR: results.getattr_results(),
    V3.NFSPROC3_SETATTR: results.setattr_results(),
    V3.NFSPROC3_LOOKUP: results.lookup_results(),
    V3.NFSPROC3_ACCESS: results.access_results(),
    V3.NFSPROC3_WRITE: results.write_results(),
    V3.NFSPROC3_CREATE: results.make_results(),
    V3.NFSPROC3_REMOVE: results.remove_results(),
    V3.NFSPROC3_RENAME: results.rename_results(),
    V3.NFSPROC3_LINK: results.link_results(),
    V3.NFSPROC3_FSSTAT: results.fsstat_results(),
    V3.NFSPROC3_FSINFO: results.fsinfo_results(),
    V3.NFSPROC3_PATHCONF: results.pathconf_results(),
    V3.NFSPROC3_COMMIT: results.commit_results(),
}


@pytest.mark.long
@pytest.mark.parametrize("procedure", FIXED, ids=lambda procedure: procedure.name)
@given(data=st.data())
def test_no_result_is_larger_than_the_largest(procedure: wire.NFS_V3, data: st.DataObject) -> None:
    result = data.draw(FIXED[procedure])

    assert len(ROWS[procedure].encode(result)) <= LARGEST_FIXED[procedure]


@pytest.mark.parametrize(
    ("ask", "maximum", "items"),
    [
        (nfs3.null(), 32, ()),
        (nfs3.get_attributes(HANDLE), 24 + 88, ()),
        (nfs3.lookup(HANDLE, b"x" * 255), 24 + 4 + 68 + 2 * 88, ()),
        (nfs3.read(HANDLE, 0, 4097), 24 + 4 + 88 + 12 + 4100, (4097,)),
        (nfs3.read_link(HANDLE), 24 + 4 + 88 + 4 + LINK_MAXIMUM, (LINK_MAXIMUM,)),
        (nfs3.write(HANDLE, 0, b"data"), 24 + 4 + 116 + 16, ()),
        (nfs3.read_directory(HANDLE, 8192), 24 + 4 + 8192, ()),
        (nfs3.read_directory_plus(HANDLE, 32768), 24 + 4 + 32768, ()),
        (nfs3.read_directory(HANDLE, 0), 24 + 4 + 88, ()),
    ],
)
def test_largest_reply_is_that_of_the_xdr(
    ask: nfs3.Ask, maximum: int, items: tuple[int, ...]
) -> None:
    expectation = LAYER.expectation(nfs3.call(1, ask))

    assert (expectation.maximum, expectation.items) == (maximum, items)


@pytest.mark.parametrize(
    ("ask", "data"),
    [
        (nfs3.write(HANDLE, 9, b"abcdefg"), b"abcdefg"),
        (nfs3.symbolic_link(HANDLE, b"name", b"a/target"), b"a/target"),
        (nfs3.write(HANDLE, 9, b""), b""),
    ],
)
def test_eligible_arguments_are_found_and_survive_reduction(ask: nfs3.Ask, data: bytes) -> None:
    call = nfs3.call(1, ask)

    (item,) = LAYER.arguments(call)
    reduced, taken = reduce(call, (item,))

    assert taken == (data,)
    assert item.end == len(call)
    assert restore(reduced, [(item.position, data)]) == call


def test_nothing_else_is_eligible() -> None:
    for ask in (nfs3.lookup(HANDLE, b"name"), nfs3.create(HANDLE, b"name"), nfs3.null()):
        assert LAYER.arguments(nfs3.call(1, ask)) == ()


READ = nfs3.call(1, nfs3.read(HANDLE, 0, 100))
READ_LINK = nfs3.call(1, nfs3.read_link(HANDLE))


@given(results.read_results())
def test_data_of_read_are_found_in_any_reply(result: wire.ReadResult) -> None:
    reply = rpc.accepted(1, wire.encode_read_result(result))

    (item,) = LAYER.results(READ, reply)

    if isinstance(result, wire.ReadFailed):
        assert item is None
    else:
        assert item is not None
        assert reply[item.position : item.position + item.length] == result.data
        reduced, _ = reduce(reply, (item,))
        assert LAYER.results(READ, reduced, {0}) == (item,)


@given(results.readlink_results())
def test_path_of_readlink_is_found_in_any_reply(result: wire.ReadlinkResult) -> None:
    reply = rpc.accepted(1, wire.encode_readlink_result(result))

    (item,) = LAYER.results(READ_LINK, reply)

    if isinstance(result, wire.ReadlinkFailed):
        assert item is None
    else:
        assert item == DataItem(len(reply) - padded(len(result.data)), len(result.data))


def test_reply_that_is_cut_is_refused() -> None:
    result = wire.ReadDone(None, 3, eof=True, data=b"abc")
    reply = rpc.accepted(1, wire.encode_read_result(result))

    with pytest.raises(DecodeError) as caught:
        LAYER.results(READ, reply[:-4])

    assert (caught.value.reason, caught.value.path) == (Reason.TRUNCATED, "results.slots[0]")


def test_entries_take_what_is_reckoned() -> None:
    name, handle = b"five5", b"six666"
    time = wire.Time(0, 0)
    device = wire.DeviceNumbers(0, 0)
    kind = wire.FileType.NF3REG
    attributes = wire.FileAttributes(kind, 0, 0, 0, 0, 0, 0, device, 0, 0, time, time, time)

    def listing(*entries: wire.DirectoryEntry) -> int:
        return len(wire.encode_directory_list(wire.DirectoryList(entries, eof=True)))

    def plus(*entries: wire.DirectoryEntryPlus) -> int:
        return len(wire.encode_directory_list_plus(wire.DirectoryListPlus(entries, eof=True)))

    entry = wire.DirectoryEntry(1, name, 2)
    entry_plus = wire.DirectoryEntryPlus(1, name, 2, attributes, wire.FileHandle(handle))
    assert listing(entry) - listing() == ENTRY_FIXED + padded(len(name))
    assert plus(entry_plus) - plus() == ENTRY_PLUS_FIXED + padded(len(name)) + padded(len(handle))
