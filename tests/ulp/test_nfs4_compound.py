from __future__ import annotations

import pytest

from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused, change_of, name_from
from rpcrdma.ulp.nfs4_state import ConnectionBinding, Nfs4State
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

STORE = FileStore()


def compound(minor: int, name: str | None = None) -> Compound:
    made = Compound(STORE, Nfs4State(), ConnectionBinding(), minor)
    made.current = STORE.root.child(name) if name else None
    return made


@pytest.mark.parametrize(
    ("name", "minor", "directory", "file"),
    [
        (None, 0, Status.NFS4ERR_NOFILEHANDLE, Status.NFS4ERR_NOFILEHANDLE),
        ("size-1", 0, Status.NFS4ERR_NOTDIR, None),
        ("many", 0, None, Status.NFS4ERR_ISDIR),
        ("link", 0, Status.NFS4ERR_SYMLINK, Status.NFS4ERR_INVAL),
        ("link", 1, Status.NFS4ERR_SYMLINK, Status.NFS4ERR_SYMLINK),
    ],
)
def test_the_current_file_is_of_the_kind_that_an_operation_wants(
    name: str | None, minor: int, directory: Status | None, file: Status | None
) -> None:
    made = compound(minor, name)

    for find, status in ((made.directory, directory), (made.file, file)):
        if status is None:
            assert find() is made.current
        else:
            with pytest.raises(Nfs4Refused) as caught:
                find()
            assert caught.value.status is status


def test_the_current_stateid_does_not_go_to_another_file() -> None:
    made = compound(1, "size-1")
    made.stateid = wire.StateId(1, b"open-0000001")

    made.move(STORE.root)

    assert (made.current, made.stateid) == (STORE.root, None)


def test_names_are_not_empty_and_need_not_be_text() -> None:
    assert name_from(b"a\xff").encode("utf-8", "surrogateescape") == b"a\xff"
    with pytest.raises(Nfs4Refused) as caught:
        name_from(b"")
    assert caught.value.status is Status.NFS4ERR_INVAL


def test_a_change_is_told_from_before_to_now() -> None:
    change = change_of(STORE.root, 0)

    assert (change.atomic, change.before, change.after) == (True, 0, STORE.root.change)
