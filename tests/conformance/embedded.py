"""The embedded endpoint as an NFS server, with its files at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.ulp.file_store import FileStore
from targets.profile import SHIPPED
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from targets.base import Target


def profile_of(folder: Path, binding: str) -> Path:
    """Its profile, spoken to in the words of a binding."""
    path = folder / f"{binding}.toml"
    handle = FileStore(()).root.handle.hex()
    text = (SHIPPED / "reference.toml").read_text().replace('"testprog"', f'"{binding}"')
    path.write_text(text.replace("[extra]", f'[extra]\nroot_handle = "{handle}"'))
    return path


def embedded(folder: Path, binding: str) -> Target:
    """A target that is the reference, spoken to in the words of a binding."""
    return find_target(str(profile_of(folder, binding)))


def files_of_servers(monkeypatch: pytest.MonkeyPatch) -> FileStore:
    """The files that every embedded server from now on has."""
    store = FileStore()
    monkeypatch.setattr("targets.reference.server_parts.FileStore", lambda: store)
    return store


def damage(store: FileStore, name: str, start: int = 0) -> None:
    """Have two octets of a file be others."""
    node = store.root.children[name]
    node.content = node.content[:start] + b"\xff\xff" + node.content[start + 2 :]
