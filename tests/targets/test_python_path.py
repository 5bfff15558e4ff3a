"""Where pyverbs is found, without the rest of the system's packages."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import TYPE_CHECKING

import pytest

from targets import python_path
from targets.python_path import find_pyverbs, make_pyverbs_importable, pyverbs_path

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@pytest.fixture(autouse=True)
def no_pyverbs_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def debian(folder: Path, suffix: str = SUFFIX) -> Path:
    package = folder / "dist-packages" / "pyverbs"
    package.mkdir(parents=True)
    (package / f"device{suffix}").touch()
    (folder / "dist-packages" / "other").mkdir()
    return package


def test_the_folder_holds_nothing_but_the_link(tmp_path: Path) -> None:
    package = debian(tmp_path)
    folder = pyverbs_path(package, tmp_path / "cache")
    assert folder is not None
    assert [(path.name, path.readlink()) for path in folder.iterdir()] == [("pyverbs", package)]


def test_the_link_is_made_once_and_follows_the_package(tmp_path: Path) -> None:
    first = debian(tmp_path / "a")
    second = debian(tmp_path / "b")
    cache = tmp_path / "cache"
    assert pyverbs_path(first, cache) == pyverbs_path(first, cache)
    folder = pyverbs_path(second, cache)
    assert folder is not None
    assert (folder / "pyverbs").readlink() == second


def test_one_for_another_python_is_not_found(tmp_path: Path) -> None:
    package = debian(tmp_path, ".cpython-27-x86_64-linux-gnu.so")
    assert find_pyverbs(package) is None
    assert pyverbs_path(package, tmp_path / "cache") is None
    assert not (tmp_path / "cache").exists()


def test_children_inherit_the_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "link"
    monkeypatch.setattr(python_path, "pyverbs_path", lambda: folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert make_pyverbs_importable()
    assert make_pyverbs_importable()
    assert sys.path.count(str(folder)) == 1
    assert os.environ["PYTHONPATH"] == f"/elsewhere{os.pathsep}{folder}"


def test_without_a_package_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_path, "pyverbs_path", lambda: None)
    before = list(sys.path)
    assert not make_pyverbs_importable()
    assert sys.path == before
