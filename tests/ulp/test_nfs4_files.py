from __future__ import annotations

import pytest

from rpcrdma.ulp import nfs4
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import DIRECTORY
from rpcrdma.ulp.nfs4_attributes import decode_attributes
from rpcrdma.ulp.nfs4_files import COOKIE_VERIFIER
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

NOTHING = wire.FileAttributes((), b"")
MODE = wire.FileAttributes((0, 1 << (wire.FATTR4_MODE - 32)), (0o640).to_bytes(4, "big"))
SIZE = 1 << wire.FATTR4_SIZE
A_FOLDER = wire.PlainType(wire.FileType.NF4DIR)
EVERYTHING = 0x3F


@pytest.fixture
def program() -> Nfs4Program:
    return Nfs4Program(FileStore())


def run(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    (reply,) = program.execute(nfs4.compound(9, *operations))
    return nfs4.parse(reply)


def last(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.ResultOperation:
    result = run(program, *operations)
    assert result.status is Status.NFS4_OK
    return result.resarray[-1]


def names(program: Nfs4Program) -> set[str]:
    return set(program._store.root.children)


def make_folder(name: bytes) -> wire.ArgumentOperation:
    return wire.CreateArguments(A_FOLDER, name, NOTHING)


def test_handles_are_saved_and_restored(program: Nfs4Program) -> None:
    saved = (*nfs4.at("size-1"), wire.SavefhArguments(), *nfs4.at("size-1000"))

    here = last(program, *nfs4.at("size-1"), nfs4.get_handle())
    restored = last(program, *saved, wire.RestorefhArguments(), nfs4.get_handle())

    assert restored == here


def test_the_public_handle_is_the_roots(program: Nfs4Program) -> None:
    root = last(program, nfs4.put_root(), nfs4.get_handle())

    assert last(program, wire.PutpubfhArguments(), nfs4.get_handle()) == root


def test_the_parent_of_a_folder_is_found(program: Nfs4Program) -> None:
    root = last(program, nfs4.put_root(), nfs4.get_handle())

    parent = last(program, *nfs4.at(DIRECTORY.name), wire.LookuppArguments(), nfs4.get_handle())

    assert parent == root


@pytest.mark.parametrize(
    ("name", "granted"),
    [
        ("size-1", wire.ACCESS4_READ),
        ("writable", wire.ACCESS4_READ | wire.ACCESS4_MODIFY | wire.ACCESS4_EXTEND),
        ("many", EVERYTHING & ~wire.ACCESS4_EXECUTE),
    ],
)
def test_access_is_granted_by_what_can_be_done(
    program: Nfs4Program, name: str, granted: int
) -> None:
    result = last(program, *nfs4.at(name), wire.AccessArguments(EVERYTHING))

    assert result == wire.AccessResult(wire.AccessDone(EVERYTHING, granted))


def test_folders_and_links_are_created_and_become_current(program: Nfs4Program) -> None:
    link = wire.CreateArguments(wire.LinkType(b"target"), b"sym", NOTHING)

    made = last(program, nfs4.put_root(), wire.CreateArguments(A_FOLDER, b"new", MODE))
    read = last(program, nfs4.put_root(), link, nfs4.read_link())

    assert isinstance(made, wire.CreateResult)
    assert isinstance(made.outcome, wire.CreateDone)
    assert made.outcome.attrset == MODE.attrmask
    assert made.outcome.cinfo.after > made.outcome.cinfo.before
    assert program._store.root.child("new").mode == 0o640
    assert read == wire.ReadlinkResult(wire.ReadlinkDone(b"target"))


def test_files_and_folders_are_removed(program: Nfs4Program) -> None:
    run(program, nfs4.put_root(), make_folder(b"new"))

    result = run(
        program, nfs4.put_root(), wire.RemoveArguments(b"new"), wire.RemoveArguments(b"size-0")
    )

    assert result.status is Status.NFS4_OK
    assert names(program) & {"new", "size-0"} == set()


def test_names_are_moved_and_added(program: Nfs4Program) -> None:
    root_saved = (nfs4.put_root(), wire.SavefhArguments())
    run(program, nfs4.put_root(), make_folder(b"new"))

    run(program, *root_saved, nfs4.lookup("new"), wire.RenameArguments(b"size-1", b"moved"))
    run(
        program,
        *nfs4.at("new/moved"),
        wire.SavefhArguments(),
        nfs4.put_root(),
        wire.LinkArguments(b"second"),
    )

    one, other = (
        last(program, *nfs4.at(path), nfs4.get_handle()) for path in ("new/moved", "second")
    )
    assert one == other
    assert "size-1" not in names(program)


@pytest.mark.parametrize(
    ("operations", "status"),
    [
        ((wire.SavefhArguments(),), Status.NFS4ERR_NOFILEHANDLE),
        ((wire.RestorefhArguments(),), Status.NFS4ERR_RESTOREFH),
        ((nfs4.put_root(), wire.LookuppArguments()), Status.NFS4ERR_NOENT),
        ((nfs4.put_root(), wire.RemoveArguments(b"absent")), Status.NFS4ERR_NOENT),
        ((nfs4.put_root(), wire.RemoveArguments(b"many")), Status.NFS4ERR_NOTEMPTY),
        ((nfs4.put_root(), wire.RenameArguments(b"a", b"b")), Status.NFS4ERR_NOFILEHANDLE),
        ((nfs4.put_root(), make_folder(b"many")), Status.NFS4ERR_EXIST),
        ((nfs4.put_root(), make_folder(b"")), Status.NFS4ERR_INVAL),
        ((nfs4.put_root(), make_folder(b"n" * 256)), Status.NFS4ERR_NAMETOOLONG),
        (
            (nfs4.put_root(), wire.CreateArguments(wire.LinkType(b""), b"s", NOTHING)),
            Status.NFS4ERR_INVAL,
        ),
        (
            (
                nfs4.put_root(),
                wire.CreateArguments(wire.PlainType(wire.FileType.NF4FIFO), b"s", NOTHING),
            ),
            Status.NFS4ERR_NOTSUPP,
        ),
        (
            (
                nfs4.put_root(),
                wire.CreateArguments(wire.OtherType(wire.FileType.NF4REG), b"s", NOTHING),
            ),
            Status.NFS4ERR_BADTYPE,
        ),
        ((nfs4.put_root(), wire.SecinfoArguments(b"absent")), Status.NFS4ERR_NOENT),
        ((nfs4.put_root(), nfs4.put_handle(b"tree:99999")), Status.NFS4ERR_STALE),
        (
            (
                nfs4.put_root(),
                nfs4.read_directory(4096, cookie=2, verifier=COOKIE_VERIFIER),
            ),
            Status.NFS4ERR_BAD_COOKIE,
        ),
    ],
)
def test_each_operation_ends_with_the_status_of_the_document(
    program: Nfs4Program, operations: tuple[wire.ArgumentOperation, ...], status: Status
) -> None:
    assert run(program, *operations).status is status


def test_attributes_are_set_and_read_back(program: Nfs4Program) -> None:
    anonymous = nfs4.ANONYMOUS
    cut = wire.FileAttributes((SIZE,), (10).to_bytes(8, "big"))

    done = last(program, *nfs4.at("writable"), wire.SetattrArguments(anonymous, cut))
    got = last(program, *nfs4.at("writable"), nfs4.get_attributes(wire.FATTR4_SIZE))

    assert done == wire.SetattrResult(Status.NFS4_OK, (SIZE,))
    assert isinstance(got, wire.GetattrResult)
    assert isinstance(got.outcome, wire.GetattrDone)
    assert decode_attributes(got.outcome.obj_attributes) == {wire.FATTR4_SIZE: 10}


def test_attributes_that_cannot_be_set_change_nothing(program: Nfs4Program) -> None:
    fixed = wire.FileAttributes((1 << wire.FATTR4_FILEID,), bytes(8))

    result = run(program, *nfs4.at("writable"), wire.SetattrArguments(nfs4.ANONYMOUS, fixed))

    assert result.resarray[-1] == wire.SetattrResult(Status.NFS4ERR_INVAL, ())


@pytest.mark.parametrize(
    ("attributes", "same", "differs"),
    [
        (wire.FileAttributes((SIZE,), (1).to_bytes(8, "big")), Status.NFS4_OK, "SAME"),
        (wire.FileAttributes((SIZE,), (2).to_bytes(8, "big")), Status.NFS4ERR_NOT_SAME, ""),
        (
            wire.FileAttributes((1 << wire.FATTR4_ARCHIVE,), bytes(4)),
            Status.NFS4ERR_ATTRNOTSUPP,
            "ATTRNOTSUPP",
        ),
        (
            wire.FileAttributes((1 << wire.FATTR4_RDATTR_ERROR,), bytes(4)),
            Status.NFS4ERR_INVAL,
            "INVAL",
        ),
    ],
)
def test_attributes_are_compared(
    program: Nfs4Program, attributes: wire.FileAttributes, same: Status, differs: str
) -> None:
    here = nfs4.at("size-1")

    assert run(program, *here, wire.VerifyArguments(attributes)).status is same
    expected = Status[f"NFS4ERR_{differs}"] if differs else Status.NFS4_OK
    assert run(program, *here, wire.NverifyArguments(attributes)).status is expected


def test_the_flavours_are_those_of_an_open_export(program: Nfs4Program) -> None:
    result = last(program, nfs4.put_root(), wire.SecinfoArguments(b"size-1"))

    flavors = (wire.PlainFlavor(wire.AUTH_SYS), wire.PlainFlavor(wire.AUTH_NONE))
    assert result == wire.SecinfoResult(wire.SecinfoDone(flavors))


def test_a_listing_goes_on_though_entries_vanished(program: Nfs4Program) -> None:
    first = last(program, *nfs4.at(DIRECTORY.name), nfs4.read_directory(200))
    assert isinstance(first, wire.ReaddirResult)
    assert isinstance(first.outcome, wire.ReaddirDone)
    seen = [entry.name for entry in first.outcome.reply.entries]
    run(program, *nfs4.at(DIRECTORY.name), *[wire.RemoveArguments(name) for name in seen])

    rest = nfs4.read_directory(
        2**20,
        cookie=first.outcome.reply.entries[-1].cookie,
        verifier=first.outcome.cookieverf,
    )
    second = last(program, *nfs4.at(DIRECTORY.name), rest)

    assert isinstance(second, wire.ReaddirResult)
    assert isinstance(second.outcome, wire.ReaddirDone)
    found = seen + [entry.name for entry in second.outcome.reply.entries]
    assert [name.decode() for name in found] == list(DIRECTORY.entries)
    assert second.outcome.reply.eof
