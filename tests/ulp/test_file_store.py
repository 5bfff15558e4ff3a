from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import file_store
from rpcrdma.ulp.file_node import FileError, FileKind, FileProblem
from rpcrdma.ulp.file_store import NAME_MAXIMUM, FileStore
from rpcrdma.ulp.file_tree import DIRECTORY, LINK, TREE, WRITABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.ulp.file_node import FileNode


@pytest.fixture
def store() -> FileStore:
    return FileStore()


@pytest.fixture
def root() -> FileNode:
    """The root of a small tree: `file`, `dir` with `inner` in it."""
    store = FileStore(())
    store.make(store.root, "file", FileKind.FILE, b"text")
    inside = store.make(store.root, "dir", FileKind.DIRECTORY)
    store.make(inside, "inner", FileKind.DIRECTORY)
    return store.root


def problem_of(deed: Callable[[], object]) -> FileProblem:
    with pytest.raises(FileError) as caught:
        deed()
    return caught.value.problem


def test_root_lists_the_tree_in_order(store: FileStore) -> None:
    assert list(store.root.children) == [entry.name for entry in TREE]
    assert store.root.parent is store.root


def test_nodes_are_of_their_kinds(store: FileStore) -> None:
    children = store.root.children

    link, directory, file = children[LINK.name], children[DIRECTORY.name], children[WRITABLE.name]

    assert (link.kind, link.mode, bytes(link.content)) == (
        FileKind.LINK,
        0o777,
        LINK.target.encode(),
    )
    assert (directory.kind, directory.mode) == (FileKind.DIRECTORY, 0o755)
    assert tuple(directory.children) == DIRECTORY.entries
    assert (file.kind, file.mode, bytes(file.content)) == (FileKind.FILE, 0o666, WRITABLE.content)
    assert children["size-1"].mode == 0o444


def test_node_is_found_by_its_handle_and_by_no_other_octets(store: FileStore) -> None:
    entry = store.root.children[DIRECTORY.name].children[DIRECTORY.entries[3]]

    assert store.by_handle(entry.handle) is entry
    assert store.find(store.root.handle) is store.root
    assert store.by_handle(b"tree:x") is None
    assert problem_of(lambda: store.find(b"tree:0")) is FileProblem.STALE
    assert problem_of(lambda: store.find(b"anything")) is FileProblem.BADHANDLE


def test_files_that_are_made_when_they_are_asked_for_are_as_those_entered_at_once() -> None:
    now, later = FileStore(()), FileStore((DIRECTORY,))
    directory = now.make(now.root, DIRECTORY.name, FileKind.DIRECTORY)
    for name in DIRECTORY.entries:
        now.make(directory, name, FileKind.FILE)
    made = later.root.child(DIRECTORY.name)
    told = [(node.change, node.modified, node.links) for node in (directory, made)]

    assert len(now) == len(later)
    assert told[0] == told[1]
    assert told[1] == (made.change, made.modified, made.links)
    expected = [(cookie, name, node.number) for cookie, name, node in directory.listing()]
    assert [(cookie, name, node.number) for cookie, name, node in made.listing()] == expected
    assert len(now) == len(later)


def test_a_file_that_nobody_has_looked_for_is_found_by_its_handle() -> None:
    known = FileStore().root.child(DIRECTORY.name).child(DIRECTORY.entries[3])
    found = FileStore().find(known.handle)

    assert found.name == known.name


def test_what_is_made_in_a_directory_comes_after_the_files_that_were_not_looked_for() -> None:
    store = FileStore((DIRECTORY,))
    made = store.make(store.root.child(DIRECTORY.name), "new", FileKind.FILE)

    assert [name for _, name, _ in store.root.child(DIRECTORY.name).listing()][-1] == "new"
    assert made.number == len(store)


def test_a_store_sees_nothing_of_what_is_written_in_another() -> None:
    written = FileStore().root.child(WRITABLE.name)
    written.write(3, b"other")
    FileStore().root.child(WRITABLE.name).resize(10)

    assert bytes(FileStore().root.child(WRITABLE.name).content) == WRITABLE.content
    assert written.read(3, 5)[0] == b"other"


def test_identifiers_are_unique_and_those_of_every_life(store: FileStore) -> None:
    root = store.root
    nodes = [root, *root.children.values(), *root.children[DIRECTORY.name].children.values()]

    assert len({node.number for node in nodes}) == len(nodes) == len(store)
    assert len({node.handle for node in nodes}) == len(nodes)
    assert FileStore().root.children[LINK.name].handle == root.children[LINK.name].handle


def test_made_node_is_there_and_can_be_written_to() -> None:
    store = FileStore(())
    made = store.make(store.root, "new", FileKind.FILE, b"abc")

    assert store.root.child("new") is made
    assert store.find(made.handle) is made
    assert (made.writable, made.mode, bytes(made.content)) == (True, 0o666, b"abc")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("file", FileProblem.EXIST),
        ("", FileProblem.INVAL),
        (".", FileProblem.INVAL),
        ("a/b", FileProblem.INVAL),
        ("\0", FileProblem.INVAL),
        ("é" * 128, FileProblem.NAMETOOLONG),
    ],
)
def test_bad_names_are_refused(root: FileNode, name: str, problem: FileProblem) -> None:
    store = FileStore(())

    assert problem_of(lambda: store.make(root, name, FileKind.FILE)) is problem
    assert problem_of(lambda: store.link(root.child("file"), root, name)) is problem


def test_longest_name_is_allowed(root: FileNode) -> None:
    assert FileStore(()).make(root, "n" * NAME_MAXIMUM, FileKind.FILE).name == "n" * NAME_MAXIMUM


def test_full_store_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(())
    monkeypatch.setattr(file_store, "NODES_MAXIMUM", 1)

    assert problem_of(lambda: store.make(store.root, "x", FileKind.FILE)) is FileProblem.NOSPC


def test_nothing_is_made_in_a_file(root: FileNode) -> None:
    store = FileStore(())

    assert (
        problem_of(lambda: store.make(root.child("file"), "x", FileKind.FILE)) is FileProblem.NOTDIR
    )


def test_file_is_gone_with_its_last_name() -> None:
    store = FileStore(())
    node = store.make(store.root, "one", FileKind.FILE)
    store.link(node, store.root, "two")
    assert node.links == 2

    store.remove(store.root, "one", directory=False)
    assert store.find(node.handle) is node
    store.remove(store.root, "two", directory=False)

    assert problem_of(lambda: store.find(node.handle)) is FileProblem.STALE
    assert store.make(store.root, "one", FileKind.FILE).handle != node.handle


def test_directory_has_one_name_only(root: FileNode) -> None:
    store = FileStore(())

    assert problem_of(lambda: store.link(root.child("dir"), root, "x")) is FileProblem.ISDIR


@pytest.mark.parametrize(
    ("name", "directory", "problem"),
    [
        ("none", False, FileProblem.NOENT),
        ("file", True, FileProblem.NOTDIR),
        ("dir", False, FileProblem.ISDIR),
        ("dir", True, FileProblem.NOTEMPTY),
    ],
)
def test_what_cannot_be_removed_stays(
    root: FileNode, name: str, directory: bool, problem: FileProblem
) -> None:
    store = FileStore(())

    assert problem_of(lambda: store.remove(root, name, directory=directory)) is problem
    assert list(root.children) == ["file", "dir"]


def test_empty_directory_is_removed() -> None:
    store = FileStore(())
    made = store.make(store.root, "dir", FileKind.DIRECTORY)

    store.remove(store.root, "dir", directory=True)

    assert (list(store.root.children), made.links, len(store)) == ([], 0, 1)


def test_renamed_node_keeps_its_handle_and_replaces_what_was_there() -> None:
    store = FileStore(())
    moved = store.make(store.root, "old", FileKind.FILE)
    inside = store.make(store.root, "dir", FileKind.DIRECTORY)
    replaced = store.make(inside, "new", FileKind.FILE)

    store.rename(store.root, "old", inside, "new")

    assert inside.child("new") is store.find(moved.handle) is moved
    assert list(store.root.children) == ["dir"]
    assert store.by_handle(replaced.handle) is None


def test_renaming_a_file_to_another_of_its_names_does_nothing() -> None:
    store = FileStore(())
    node = store.make(store.root, "one", FileKind.FILE)
    store.link(node, store.root, "two")

    store.rename(store.root, "one", store.root, "two")

    assert list(store.root.children) == ["one", "two"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("none", "x", FileProblem.NOENT),
        ("file", "..", FileProblem.INVAL),
        ("file", "dir", FileProblem.EXIST),
        ("other", "dir", FileProblem.NOTEMPTY),
    ],
)
def test_rename_that_cannot_be_is_refused(
    root: FileNode, old: str, new: str, problem: FileProblem
) -> None:
    store = FileStore(())
    store.make(root, "other", FileKind.DIRECTORY)

    assert problem_of(lambda: store.rename(root, old, root, new)) is problem
    assert list(root.children) == ["file", "dir", "other"]


def test_directory_is_not_moved_into_itself(root: FileNode) -> None:
    store = FileStore(())
    inner = root.child("dir").child("inner")

    assert problem_of(lambda: store.rename(root, "dir", inner, "x")) is FileProblem.INVAL
    assert (
        problem_of(lambda: store.rename(root, "dir", root.child("file"), "x")) is FileProblem.NOTDIR
    )


def test_moved_directory_has_a_new_parent(root: FileNode) -> None:
    inner = root.child("dir").child("inner")

    FileStore(()).rename(root.child("dir"), "inner", root, "inner")

    assert (inner.parent, root.links, root.child("dir").links) == (root, 4, 2)
