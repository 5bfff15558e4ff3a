"""The command that boots the guest, and the script that it executes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.lab import boot
from targets.lab.accelerator import Accelerator
from targets.lab.boot import STARTED, Machine, boot_command, guest_script
from targets.lab.image import Image
from targets.lab.kernel import Kernel
from targets.lab.resources import USUAL, Resources

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL = Kernel(Path("/boot/vmlinuz-6.1.0"), "6.1.0", Path("/lib/modules/6.1.0"))


@pytest.fixture
def make_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    monkeypatch.setattr(boot, "find_virtme_ng", lambda: Path("/venv/bin/vng"))

    def make(*, counted: bool = False, given: Resources = USUAL) -> list[str]:
        machine = Machine(KERNEL, Accelerator.TCG, counted, given)
        image = Image(tmp_path / "python.ext4", ())
        return boot_command(machine, tmp_path, (tmp_path / "out",), tmp_path / "start.sh", image)

    return make


@pytest.fixture
def command(make_command: Callable[..., list[str]]) -> list[str]:
    return make_command()


def options(command: list[str]) -> str:
    """What QEMU itself is told."""
    return next(word for word in command if word.startswith("--qemu-opts="))


def test_the_chosen_kernel_is_booted_without_kvm(command: list[str]) -> None:
    assert command[command.index("--run") + 1] == "/boot/vmlinuz-6.1.0"
    assert "--disable-kvm" in command


def test_only_the_job_and_the_named_folders_are_writable(
    command: list[str], tmp_path: Path
) -> None:
    shared = [word for word in command if word.startswith("--rw")]
    assert shared == [f"--rwdir={tmp_path}", f"--rwdir={tmp_path / 'out'}"]


def test_the_process_id_of_qemu_is_noted_in_the_job(command: list[str], tmp_path: Path) -> None:
    assert f"-pidfile {tmp_path}/qemu.pid" in options(command)


def test_time_that_is_counted_is_that_of_one_processor(
    make_command: Callable[..., list[str]],
) -> None:
    command = make_command(counted=True)
    assert command[command.index("--cpus") + 1] == "1"
    assert options(command).endswith(" -icount shift=0")


def test_time_is_not_counted_unasked(command: list[str]) -> None:
    assert command[command.index("--cpus") + 1] == "2"
    assert "-icount" not in options(command)


def test_the_script_tells_that_it_started_and_enters_this_python(tmp_path: Path) -> None:
    image = Image(tmp_path / "python.ext4", (Path("/usr/lib/python3.11"),))
    lines = guest_script(tmp_path / "setup.json", image, tmp_path).splitlines()
    assert any(STARTED in line for line in lines)
    assert lines[-1] == f"exec {sys.executable} -m targets.lab.guest {tmp_path}/setup.json"
    assert "/usr/lib/python3.11 none bind" in (tmp_path / "fstab").read_text()


def test_the_guest_has_what_the_profile_gives_it(
    make_command: Callable[..., list[str]], tmp_path: Path
) -> None:
    command = make_command(given=Resources(8192, 4, ("slub_debug=FZ",), ("/srv/data",)))
    assert command[command.index("--memory") + 1] == "8192M"
    assert command[command.index("--cpus") + 1] == "4"
    assert "--append=slub_debug=FZ" in command
    shared = [word for word in command if word.startswith("--rw")]
    assert shared == [f"--rwdir={tmp_path}", f"--rwdir={tmp_path / 'out'}", "--rwdir=/srv/data"]
