"""The command that boots the lab's guest, through virtme-ng.

virtme-ng starts QEMU with the host's file system as the guest's root: read-only over 9p, with
volatile overlays on the folders that programs write to.  Only the folders named as writable are
shared for writing.  The guest's output comes back over virtio ports; its console goes to standard
error, which the caller puts into a log.

The guest runs under TCG where KVM is of no use (`targets.lab.accelerator`), so what it does not
need is left out.  Measured on 2 cores: the coldplug of drivers for devices that nobody uses costs
6 of 14 s.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.accelerator import Accelerator
from targets.lab.guest import INSIDE
from targets.lab.image import MOUNT_POINT, Image
from targets.lab.programs import search_path
from targets.lab.resources import USUAL, Resources
from targets.lab.virtme_ng import find_virtme_ng
from targets.python_path import pyverbs_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.lab.kernel import Kernel

__all__ = [
    "STARTED",
    "Machine",
    "boot_command",
    "guest_environment",
    "guest_script",
    "host_environment",
]

STARTED: Final = "rpcrdma-lab: the guest has started"
"""The first line that the guest prints, so that a guest that hangs while booting is noticed."""

_PROCESSORS: Final = 2
_NANOSECOND_AN_INSTRUCTION: Final = 0
"""As a power of two."""

# Drivers that udev would load for devices of the emulated board, processor features included.
_UNUSED_DRIVERS: Final = (
    "ahci,aesni_intel,button,ccp,cdrom,crc32_pclmul,crc32c_intel,crct10dif_pclmul,evdev,"
    "ghash_clmulni_intel,i2c_i801,i2c_smbus,i6300esb,iTCO_vendor_support,iTCO_wdt,"
    "irqbypass,joydev,kvm,kvm_amd,kvm_intel,libata,lpc_ich,pcspkr,polyval_clmulni,"
    "powernow_k8,psmouse,rng_core,sd_mod,serio_raw,sg,sha1_ssse3,sha256_ssse3,"
    "sha512_ssse3,sr_mod,watchdog"
)

_CONSOLE_LEVEL: Final = 5
"""Warnings and worse: what `targets.lab.console` looks for."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A kernel and what executes it.

    Attributes:
        kernel: what is booted.
        accelerator: what executes it.
        counted: the guest's time is the number of instructions that it has executed, one a
            nanosecond, and beside that the time for which it was idle: whatever else the host
            does, the guest computes in the same time.  It takes TCG, and has one processor (with
            two, QEMU 7.2 does not get past starting the second).
        resources: what it is given.
    """

    kernel: Kernel
    accelerator: Accelerator
    counted: bool = False
    resources: Resources = USUAL

    @property
    def processors(self) -> int:
        """How many it has."""
        return 1 if self.counted else self.resources.processors or _PROCESSORS


def boot_command(
    machine: Machine, job: Path, writable: tuple[Path, ...], script: Path, image: Image
) -> list[str]:
    """The command that boots `machine`, runs `script` in it and ends when the script does.

    Args:
        machine: what to boot.
        job: folder shared with the guest; QEMU's process id goes into `qemu.pid` there.
        writable: further folders that the guest may write to; they must exist.
        script: file that the guest executes.
        image: attached as the guest's first disk.
    """
    command = [str(find_virtme_ng()), "--verbose", "--run", str(machine.kernel.image)]
    command += ["--force-9p", "--disable-microvm", "--user", "root"]
    command += ["--memory", machine.resources.memory, "--cpus", str(machine.processors)]
    options = f"-pidfile {shlex.quote(str(job / 'qemu.pid'))}"
    if machine.accelerator is Accelerator.TCG:
        command.append("--disable-kvm")
        options += " -cpu max"
    if machine.counted:
        options += f" -icount shift={_NANOSECOND_AN_INSTRUCTION}"
    command += [f"--qemu-opts={options}", "--disk", str(image.file)]
    shares = map(Path, machine.resources.shares)
    for folder in dict.fromkeys((job, *writable, *shares)):
        command.append(f"--rwdir={folder.resolve()}")
    for words in (
        f"loglevel={_CONSOLE_LEVEL}",
        "mitigations=off",
        f"modprobe.blacklist={_UNUSED_DRIVERS}",
        *machine.resources.parameters,
    ):
        command.append(f"--append={words}")
    return [*command, "--", str(script)]


def guest_script(setup_file: Path, image: Image, job: Path) -> str:
    """The shell script that the guest executes: it enters this project's Python.

    Interpreter, packages and project are the host's own, at the same paths; most are read from the
    image, which is mounted over them.
    """
    table = job / "fstab"
    table.write_text(image.mount_table(), encoding="utf-8")
    return "\n".join(
        (
            "#!/bin/sh",
            "cd /",
            "exec 2>&1",
            f"echo {shlex.quote(STARTED)}",
            *(f"export {key}={shlex.quote(text)}" for key, text in guest_environment().items()),
            # Without the image everything still works, only slower.
            f"mkdir -p {MOUNT_POINT}",
            f"modprobe ext4 && mount --all --fstab {shlex.quote(str(table))}",
            shlex.join(("exec", sys.executable, "-m", "targets.lab.guest", str(setup_file))),
            "",
        )
    )


def guest_environment() -> dict[str, str]:
    """What programs in the guest find in their environment: this project's Python among it."""
    paths = [str(Path(__file__).resolve().parents[2])]
    if pyverbs := pyverbs_path():
        paths.append(str(pyverbs))
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LC_ALL": "C.UTF-8",
        INSIDE: "1",
    }


def host_environment() -> Mapping[str, str]:
    """This process's environment; virtme-ng's programs and the system's are on the search path."""
    folder = str(find_virtme_ng().parent)
    return {**os.environ, "PATH": folder + os.pathsep + search_path()}
