"""The archive, entry by entry, as the kernel reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from targets.standing.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

HEADER = 110


def entries(octets: bytes) -> dict[str, tuple[int, bytes, tuple[int, int]]]:
    """Name -> mode, content, device; the trailer ends it."""
    found: dict[str, tuple[int, bytes, tuple[int, int]]] = {}
    at = 0
    while True:
        assert octets[at : at + 6] == b"070701"
        fields = [int(octets[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        name_at, name_length, length = at + HEADER, fields[11], fields[6]
        name = octets[name_at : name_at + name_length - 1].decode()
        content_at = -(-(name_at + name_length) // 4) * 4
        if name == "TRAILER!!!":
            assert content_at == len(octets)
            return found
        assert fields[2:4] == [0, 0], "everything is root's"
        content = octets[content_at : content_at + length]
        found[name] = (fields[1], content, (fields[9], fields[10]))
        at = -(-(content_at + length) // 4) * 4


def test_entries_have_their_kind_mode_and_content() -> None:
    archive = Archive()
    archive.folder("bin")
    archive.file("bin/program", b"12345", 0o755)
    archive.link("bin/other", "program")
    archive.device("console", 5, 1)
    assert entries(archive.octets()) == {
        "bin": (0o40755, b"", (0, 0)),
        "bin/program": (0o100755, b"12345", (0, 0)),
        "bin/other": (0o120777, b"program", (0, 0)),
        "console": (0o20600, b"", (5, 1)),
    }


def test_a_tree_is_taken_as_it_is(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    tree.chmod(0o1777)
    (tree / "inner" / "file").write_bytes(b"x")
    (tree / "inner" / "file").chmod(0o444)
    (tree / "link").symlink_to("inner/file")
    archive = Archive()
    archive.tree("there", tree)
    found = {name: entry[:2] for name, entry in entries(archive.octets()).items()}
    assert found["there"] == (0o41777, b"")
    assert found["there/inner/file"] == (0o100444, b"x")
    assert found["there/link"] == (0o120777, b"inner/file")
    assert list(found).index("there/inner") < list(found).index("there/inner/file")
