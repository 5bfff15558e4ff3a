from __future__ import annotations

import pytest

from rpcrdma.ulp.file_store import MAXIMUM_FILE_SIZE, FileStore, Kind, Node
from rpcrdma.ulp.file_tree import DIRECTORY, LINK, TREE, WRITABLE


@pytest.fixture
def writable() -> Node:
    return FileStore().root.children[WRITABLE.name]


def test_root_lists_the_tree_in_order() -> None:
    assert list(FileStore().root.children) == [entry.name for entry in TREE]


def test_nodes_are_of_their_kinds() -> None:
    children = FileStore().root.children

    link, directory, file = children[LINK.name], children[DIRECTORY.name], children[WRITABLE.name]

    assert (link.kind, link.mode, bytes(link.content)) == (Kind.LINK, 0o777, LINK.target.encode())
    assert (directory.kind, directory.mode) == (Kind.DIRECTORY, 0o755)
    assert tuple(directory.children) == DIRECTORY.entries
    assert (file.kind, file.mode, bytes(file.content)) == (Kind.FILE, 0o666, WRITABLE.content)
    assert children["size-1"].mode == 0o444


def test_node_is_found_by_its_handle_and_by_no_other_octets() -> None:
    store = FileStore()
    entry = store.root.children[DIRECTORY.name].children[DIRECTORY.entries[3]]

    assert store.by_handle(entry.handle) is entry
    assert store.by_handle(store.root.handle) is store.root
    assert store.by_handle(entry.handle + b"x") is None


def test_identifiers_are_unique() -> None:
    root = FileStore().root
    nodes = [root, *root.children.values(), *root.children[DIRECTORY.name].children.values()]

    assert len({node.number for node in nodes}) == len(nodes)
    assert len({node.handle for node in nodes}) == len(nodes)


@pytest.mark.parametrize(
    ("offset", "count", "expected", "at_end"),
    [(0, 3, b"abc", False), (0, 6, b"abcdef", True), (4, 9, b"ef", True), (9, 1, b"", True)],
)
def test_read_stops_at_the_end(offset: int, count: int, expected: bytes, at_end: bool) -> None:
    node = Node("x", Kind.FILE, 2, bytearray(b"abcdef"))

    assert node.read(offset, count) == (expected, at_end)


def test_write_replaces_extends_and_fills_gaps(writable: Node) -> None:
    writable.content[:] = b"abc"

    assert writable.write(1, b"X")
    assert writable.write(5, b"YZ")

    assert bytes(writable.content) == b"aXc\0\0YZ"
    assert writable.change == 3


def test_write_of_nothing_changes_nothing(writable: Node) -> None:
    assert writable.write(2**63, b"")

    assert (len(writable.content), writable.change) == (WRITABLE.size, 1)


def test_write_too_far_is_refused(writable: Node) -> None:
    assert not writable.write(MAXIMUM_FILE_SIZE, b"x")

    assert (len(writable.content), writable.change) == (WRITABLE.size, 1)
