from __future__ import annotations

import pytest

from rpcrdma.ulp.file_node import BEGINNING, FileError, FileKind, FileNode, FileProblem
from rpcrdma.ulp.nfs3 import AS_IT_IS
from rpcrdma.ulp.nfs3_attributes import (
    KEEP,
    NOBODY,
    Nfs3Refused,
    Subject,
    attributes_of,
    change_attributes,
    status_of,
)
from rpcrdma.wire import _generated_nfs3 as wire
from rpcrdma.wire._generated_nfs3 import Status, TimeHow

NOW = wire.KeepOrServerTime(TimeHow.SET_TO_SERVER_TIME)


@pytest.fixture
def file() -> FileNode:
    return FileNode("x", FileKind.FILE, 42, bytearray(5), writable=True, change=9)


def wanted(**changes: object) -> wire.NewAttributes:
    fields = {name: getattr(AS_IT_IS, name) for name in AS_IT_IS.__struct_fields__}
    return wire.NewAttributes(**{**fields, **changes})


def test_attributes_are_those_of_the_node(file: FileNode) -> None:
    found = attributes_of(file)

    assert (found.type, found.mode, found.nlink) == (wire.FileType.NF3REG, 0o666, 1)
    assert (found.size, found.used, found.fileid) == (5, 5, 42)
    assert found.mtime == found.atime == wire.Time(BEGINNING // 10**9, 0)
    assert found.ctime == wire.Time(BEGINNING // 10**9, 9_000_000)


def test_only_what_is_wanted_is_set(file: FileNode) -> None:
    change_attributes(file, wanted(mode=0o7640, gid=7))

    assert (file.mode, file.user, file.group, len(file.content)) == (0o7640, 0, 7, 5)
    assert (file.modified, file.accessed) == (BEGINNING, BEGINNING)
    assert file.change == 10


def test_size_is_set_before_the_times(file: FileNode) -> None:
    change_attributes(file, wanted(size=2, uid=3, mtime=wire.Time(5, 6), atime=NOW))

    assert (len(file.content), file.user) == (2, 3)
    assert (file.modified, file.accessed) == (5 * 10**9 + 6, file.changed)


def test_file_that_is_not_writable_keeps_its_size() -> None:
    node = FileNode("x", FileKind.FILE, 42, bytearray(5))

    with pytest.raises(Nfs3Refused) as caught:
        change_attributes(node, wanted(size=0, mode=0))

    assert status_of(caught.value) is Status.NFS3ERR_ACCES
    assert (len(node.content), node.mode) == (5, 0o444)


@pytest.mark.parametrize(
    "problem", [p for p in FileProblem if f"NFS3ERR_{p.name}" in Status.__members__]
)
def test_problem_has_a_status_of_its_name(problem: FileProblem) -> None:
    assert status_of(FileError(problem)).name == f"NFS3ERR_{problem.name}"


def test_subject_knows_what_was_before(file: FileNode) -> None:
    subject = Subject.of(file)
    file.write(0, b"123456789")

    change = subject.change

    assert change.before is not None
    assert change.after is not None
    assert (change.before.size, change.after.size) == (5, 9)
    assert change.before.ctime != change.after.ctime


def test_nobody_has_neither_attributes_nor_a_past() -> None:
    assert NOBODY.attributes is None
    assert NOBODY.change == wire.WeakCacheConsistency(None, None)
    with pytest.raises(FileError) as caught:
        _ = NOBODY.node
    assert caught.value.problem is FileProblem.STALE


def test_time_that_is_not_to_be_set_stays(file: FileNode) -> None:
    file.accessed = 17

    change_attributes(file, wanted(atime=KEEP))

    assert file.accessed == 17
