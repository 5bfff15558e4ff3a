from __future__ import annotations

import pytest

from rpcrdma.ulp.file_node import (
    BEGINNING,
    MAXIMUM_FILE_SIZE,
    FileError,
    FileKind,
    FileNode,
    FileProblem,
)


@pytest.fixture
def file() -> FileNode:
    return FileNode("x", FileKind.FILE, 2, bytearray(b"abcdef"), writable=True)


@pytest.fixture
def directory() -> FileNode:
    found = FileNode("d", FileKind.DIRECTORY, 1)
    for number, name in enumerate(("one", "two", "three"), start=10):
        found.attach(name, FileNode(name, FileKind.FILE, number))
    return found


@pytest.mark.parametrize(
    ("kind", "writable", "mode", "links"),
    [
        (FileKind.FILE, False, 0o444, 1),
        (FileKind.FILE, True, 0o666, 1),
        (FileKind.DIRECTORY, True, 0o755, 2),
        (FileKind.LINK, True, 0o777, 1),
    ],
)
def test_mode_and_links_depend_on_the_kind(
    kind: FileKind, writable: bool, mode: int, links: int
) -> None:
    node = FileNode("x", kind, 2, writable=writable)

    assert (node.mode, node.links) == (mode, links)


@pytest.mark.parametrize(
    ("offset", "count", "expected", "at_end"),
    [(0, 3, b"abc", False), (0, 6, b"abcdef", True), (4, 9, b"ef", True), (9, 1, b"", True)],
)
def test_read_stops_at_the_end(
    file: FileNode, offset: int, count: int, expected: bytes, at_end: bool
) -> None:
    assert file.read(offset, count) == (expected, at_end)


def test_write_replaces_extends_and_fills_gaps(file: FileNode) -> None:
    assert file.write(1, b"X")
    assert file.write(7, b"YZ")

    assert bytes(file.content) == b"aXcdef\0YZ"
    assert file.change == 3


def test_write_of_nothing_changes_nothing(file: FileNode) -> None:
    assert file.write(2**63, b"")

    assert (len(file.content), file.change) == (6, 1)


def test_write_too_far_is_refused(file: FileNode) -> None:
    assert not file.write(MAXIMUM_FILE_SIZE, b"x")

    assert (len(file.content), file.change) == (6, 1)


def test_file_is_cut_and_lengthened(file: FileNode) -> None:
    file.resize(3)
    file.resize(5)

    assert bytes(file.content) == b"abc\0\0"


def test_file_gets_no_impossible_size(file: FileNode, directory: FileNode) -> None:
    for node, size, problem in (
        (file, MAXIMUM_FILE_SIZE + 1, FileProblem.FBIG),
        (directory, 0, FileProblem.ISDIR),
        (FileNode("l", FileKind.LINK, 3), 0, FileProblem.INVAL),
    ):
        with pytest.raises(FileError) as caught:
            node.resize(size)
        assert caught.value.problem is problem
    assert bytes(file.content) == b"abcdef"


def test_times_grow_with_changes(file: FileNode) -> None:
    begun = file.changed

    file.touch()
    only_attributes = (file.changed, file.modified)
    file.touch(content=True)

    assert begun < only_attributes[0] < file.changed
    assert only_attributes[1] == BEGINNING
    assert file.modified == file.changed


def test_child_is_found_or_it_is_said_why_not(file: FileNode, directory: FileNode) -> None:
    assert directory.child("two").number == 11
    for node, problem in ((directory, FileProblem.NOENT), (file, FileProblem.NOTDIR)):
        with pytest.raises(FileError) as caught:
            node.child("four")
        assert caught.value.problem is problem


def test_listing_goes_on_behind_a_cookie_whatever_was_changed_meanwhile(
    directory: FileNode,
) -> None:
    cookie, name, _ = next(directory.listing())
    directory.detach(name)
    directory.attach("four", FileNode("four", FileKind.FILE, 20))

    assert [name for _, name, _ in directory.listing(cookie)] == ["two", "three", "four"]


def test_cookies_leave_room_for_the_reserved_ones(directory: FileNode) -> None:
    assert min(cookie for cookie, _, _ in directory.listing()) > 2


def test_directory_counts_the_directories_in_it(directory: FileNode) -> None:
    inner = FileNode("inner", FileKind.DIRECTORY, 30)

    directory.attach("inner", inner)
    inside = directory.links, inner.parent
    directory.detach("inner")

    assert inside == (3, directory)
    assert directory.links == 2
