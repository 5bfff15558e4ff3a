from __future__ import annotations

import pytest

from rpcrdma.ulp.file_node import FileError, FileKind, FileNode, FileProblem
from rpcrdma.ulp.nfs4_attributes import bitmap_of
from rpcrdma.ulp.nfs4_compound import Nfs4Refused
from rpcrdma.ulp.nfs4_setattr import apply_attributes
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

SECOND = 10**9


@pytest.fixture
def node() -> FileNode:
    return FileNode("file", FileKind.FILE, 7, bytearray(b"hello"), writable=True)


def attributes(numbers: tuple[int, ...], *values: bytes) -> wire.FileAttributes:
    return wire.FileAttributes(bitmap_of(numbers), b"".join(values))


def text(value: bytes) -> bytes:
    return wire.encode_attribute_text(wire.AttributeText(value))


def moment(setting: wire.TimeSetting) -> bytes:
    return wire.encode_attribute_time_set(wire.AttributeTimeSet(setting))


def test_everything_that_can_be_set_is_set_at_once(node: FileNode) -> None:
    numbers = (
        wire.FATTR4_SIZE,
        wire.FATTR4_MODE,
        wire.FATTR4_OWNER,
        wire.FATTR4_OWNER_GROUP,
        wire.FATTR4_TIME_ACCESS_SET,
        wire.FATTR4_TIME_MODIFY_SET,
    )
    wanted = attributes(
        numbers,
        (2).to_bytes(8, "big"),
        (0o100600).to_bytes(4, "big"),
        text(b"12"),
        text(b"34"),
        moment(wire.Time(5, 6)),
        moment(wire.Time(7, 8)),
    )

    changed = apply_attributes(node, wanted)

    assert changed == bitmap_of(numbers)
    assert (bytes(node.content), node.mode, node.user, node.group) == (b"he", 0o600, 12, 34)
    assert (node.accessed, node.modified) == (5 * SECOND + 6, 7 * SECOND + 8)


def test_the_servers_own_time_is_that_of_the_change(node: FileNode) -> None:
    now = moment(wire.ServerTime(wire.TimeHow.SET_TO_SERVER_TIME4))

    apply_attributes(node, attributes((wire.FATTR4_TIME_MODIFY_SET,), now))

    assert node.modified == node.changed


def test_nothing_asked_for_is_no_change(node: FileNode) -> None:
    before = node.change

    assert apply_attributes(node, attributes(())) == ()
    assert node.change == before


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        (attributes((wire.FATTR4_FILEID,), bytes(8)), Status.NFS4ERR_INVAL),
        (attributes((wire.FATTR4_ARCHIVE,), bytes(4)), Status.NFS4ERR_ATTRNOTSUPP),
        (attributes((wire.FATTR4_MODE,), bytes(3)), Status.NFS4ERR_BADXDR),
        (attributes((wire.FATTR4_MODE,), bytes(8)), Status.NFS4ERR_BADXDR),
        (attributes((wire.FATTR4_OWNER,), text(b"root@here")), Status.NFS4ERR_BADOWNER),
        (attributes((wire.FATTR4_OWNER,), text(b"4294967296")), Status.NFS4ERR_BADOWNER),
    ],
)
def test_what_cannot_be_set_is_refused_before_anything_changes(
    node: FileNode, wanted: wire.FileAttributes, status: Status
) -> None:
    before = node.change

    with pytest.raises(Nfs4Refused) as caught:
        apply_attributes(node, wanted)

    assert caught.value.status is status
    assert node.change == before


def test_a_file_that_is_not_writable_keeps_its_size() -> None:
    node = FileNode("file", FileKind.FILE, 7, bytearray(b"hello"))

    with pytest.raises(Nfs4Refused) as caught:
        apply_attributes(node, attributes((wire.FATTR4_SIZE,), bytes(8)))

    assert caught.value.status is Status.NFS4ERR_ACCESS


def test_a_folder_has_no_size_to_set() -> None:
    node = FileNode("folder", FileKind.DIRECTORY, 7)

    with pytest.raises(FileError) as caught:
        apply_attributes(node, attributes((wire.FATTR4_SIZE,), bytes(8)))

    assert caught.value.problem is FileProblem.ISDIR
