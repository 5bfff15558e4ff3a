"""The file system that a server in a guest exports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from targets.lab import export_disk
from targets.lab.export_disk import mount_export

if TYPE_CHECKING:
    import pytest

    from tests.targets.lab.conftest import Calls, FakeProgram


def test_an_ext4_with_blocks_for_the_link_is_mounted(
    tmp_path: Path, programs: tuple[FakeProgram, Calls], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, calls = programs
    for name in ("mkfs.ext4", "modprobe", "mount"):
        fake(name)
    monkeypatch.setattr(export_disk, "_DISK", tmp_path / "disk")
    mount_export(tmp_path / "export")
    assert [line.split()[0] for line in calls.lines] == ["mkfs.ext4", "modprobe", "mount"]
    assert "-b 4096" in calls.lines[0]
    assert calls.lines[2].endswith(f"{tmp_path / 'disk'} {tmp_path / 'export'}")
    assert (tmp_path / "export").is_dir()


def test_in_a_folder_of_the_hosts_nothing_is_mounted(
    tmp_path: Path, programs: tuple[FakeProgram, Calls]
) -> None:
    _, calls = programs
    mount_export(tmp_path / "export", (str(tmp_path),))
    assert calls.lines == []
    assert (tmp_path / "export").is_dir()


def test_it_needs_no_installed_package() -> None:
    """The agent of a standing guest has none."""
    project = Path(export_disk.__file__).parents[2]
    script = f"import sys; sys.path.insert(0, {str(project)!r}); import targets.lab.export_disk"
    subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True, timeout=30)
