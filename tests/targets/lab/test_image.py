"""What goes into the guest's copy of Python, and where it is mounted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from targets.lab import image
from targets.lab.errors import LabError
from targets.lab.image import Image, build_image, python_files
from targets.lab.programs import find_program


def test_interpreter_standard_library_and_project_are_copied_once() -> None:
    paths = python_files()
    assert Path(sys.executable).resolve() in paths
    assert Path(__file__).parents[3] / "rpcrdma" in paths
    assert not any(a != b and a.is_relative_to(b) for a in paths for b in paths)


def test_each_copy_is_mounted_over_its_original_after_the_image() -> None:
    table = Image(Path("python.ext4"), (Path("/usr/lib/python3.11"),)).mount_table().splitlines()
    assert table == [
        "/dev/vda /run/rpcrdma-python ext4 ro,noatime 0 0",
        "/run/rpcrdma-python/usr/lib/python3.11 /usr/lib/python3.11 none bind 0 0",
    ]


def test_the_image_holds_an_ext4_file_system_and_no_tree_stays(tmp_path: Path) -> None:
    if find_program("mke2fs") is None:
        pytest.fail("mke2fs is missing: install e2fsprogs")
    source = tmp_path / "package"
    source.mkdir()
    (source / "module.py").write_text("value = 1\n")
    built = build_image(tmp_path, (source,))
    assert built.file.read_bytes()[0x438:0x43A] == b"\x53\xef"  # ext4's magic number
    assert not (tmp_path / "python").exists()


def test_a_missing_mke2fs_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image, "find_program", lambda name: None)
    with pytest.raises(LabError, match="mke2fs is missing; install e2fsprogs"):
        build_image(tmp_path, ())
