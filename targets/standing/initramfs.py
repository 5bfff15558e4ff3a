"""The file system in RAM with which the standing guest starts, and its first program.

It holds busybox, the kernel's modules, the exported files and what the agent is told.  The first
program loads the modules in the order in which they need one another, puts the host's file system
below a layer that takes what is written and forgets it, and becomes the agent.  There is no udev:
devtmpfs makes all device files that anybody needs here.

Measured under TCG with one processor: 1.3 s from here to the agent; virtme-ng, which does the same
for any use, takes 10 s.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.busybox import find_busybox, is_static
from targets.lab.errors import LabError
from targets.lab.export import fill_export
from targets.lab.kernel import BOOT_MODULES, NETWORK_MODULE
from targets.lab.setup import ServerKind
from targets.standing.archive import Archive
from targets.standing.setup import SETUP_FILE

if TYPE_CHECKING:
    from targets.lab.kernel import Kernel
    from targets.standing.setup import StandingSetup

__all__ = ["build_initramfs", "first_program", "module_files", "wanted_modules"]

_PROJECT: Final = Path(__file__).resolve().parents[2]
_AGENT: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from targets.standing.agent import main; main(sys.argv[2])"
)

_STEP: Final = "making the guest's first file system"
_FOLDERS: Final = ("bin", "dev", "proc", "sys", "host", "layer", "root", "modules", "rpcrdma")
_TOOLS: Final = ("sh", "mount", "switch_root", "mkdir", "insmod", "cp", "ln", "cat", "poweroff")

# What the machine itself needs: the host's files, a layer over them, the agent's port, the network.
_MACHINE: Final = (*BOOT_MODULES, NETWORK_MODULE)
_DEVICE: Final = ("crc32_generic", "rdma_rxe")
"""Soft-RoCE checks each packet by crc32; it would ask a modprobe for it that is not there yet."""

_IF_THERE: Final = ("crc32_generic",)
"""What newer kernels lack because they do not need it: there crc32 is a library's."""

_OF_SERVER: Final = {
    ServerKind.NFSD: ("rpcrdma", "nfsd"),
    ServerKind.COMMAND: ("rdma_ucm", "ib_uverbs"),
    ServerKind.NONE: ("rpcrdma", "nfsv3", "nfsv4"),  # the kernel's client
}


_STANDARD: Final = ((0, "stdin"), (1, "stdout"), (2, "stderr"))


def wanted_modules(kind: ServerKind) -> tuple[str, ...]:
    """What is loaded before the agent starts; all else is loaded when somebody asks for it."""
    return (*_MACHINE, *_DEVICE, *_OF_SERVER[kind])


def build_initramfs(kernel: Kernel, setup: StandingSetup) -> bytes:
    """The archive for a kernel and what is to be set up.

    Raises:
        LabError: busybox is missing or not static, or the kernel lacks a module.
    """
    archive = Archive()
    for folder in _FOLDERS:
        archive.folder(folder)
    for name, minor in (("null", 3), ("kmsg", 11)):
        archive.device(f"dev/{name}", 1, minor, 0o666)
    archive.device("dev/console", 5, 1)
    archive.file("bin/busybox", _busybox(), 0o755)
    for tool in _TOOLS:
        archive.link(f"bin/{tool}", "busybox")
    for number, file in enumerate(module_files(kernel, wanted_modules(setup.server.kind))):
        archive.file(f"modules/{number:03}-{_plain_name(file)}", _unpacked(file))
    archive.file("rpcrdma/setup.json", json.dumps(setup.record()).encode())
    if setup.server.kind is ServerKind.NFSD or setup.server.has_tree:
        with tempfile.TemporaryDirectory(prefix="rpcrdma-export-") as folder:
            fill_export(Path(folder) / "export")
            archive.tree("rpcrdma/export", Path(folder) / "export")
    archive.file("init", first_program(kernel, setup.resources.shares).encode(), 0o755)
    return archive.octets()


def first_program(kernel: Kernel, shares: tuple[str, ...] = ()) -> str:
    """The shell script that the kernel starts as its first process.

    Args:
        kernel: that is booted.
        shares: folders of the host that the guest may write to, in the order of the machine's.
    """
    python = os.path.realpath(sys.executable)
    agent = (python, "-I", "-S", "-B", "-c", _AGENT, str(_PROJECT), SETUP_FILE)
    layers = "lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work"
    shared = "version=9p2000.L,trans=virtio,msize=512000,access=any"
    lines = [
        "#!/bin/sh",
        'must() { "$@" || { echo "rpcrdma-lab: $* failed" >/dev/console; poweroff -f; }; }',
        "mount -t proc proc /proc",
        "mount -t sysfs sys /sys",
        "mount -t devtmpfs dev /dev",
        "for module in /modules/*; do must insmod $module; done",
        # What it has read once it keeps: nobody changes the host's programs meanwhile.
        f"must mount -t 9p -o ro,cache=loose,{shared} host /host",
        "mount -t tmpfs layer /layer",
        "mkdir /layer/upper /layer/work",
        f"must mount -t overlay -o xino=off,{layers} root /root",
        "mount -t proc proc /root/proc",
        "mount -t sysfs sys /root/sys",
        "mount -t devtmpfs dev /root/dev",
        "mount -t tmpfs run /root/run",
        # A server that is told to log to a standard file logs to its own.
        *(f"ln -sf /proc/self/fd/{number} /root/dev/{name}" for number, name in _STANDARD),
        *(
            f"must mount -t 9p -o rw,{shared} share{number} {shlex.quote('/root' + folder)}"
            for number, folder in enumerate(shares)
        ),
        "cp -r /rpcrdma /root/run",
    ]
    if kernel.modules is not None:
        # Of a kernel that is not installed, the modules lie elsewhere.
        place = Path("/lib/modules") / kernel.release
        if kernel.modules.resolve() != place.resolve():
            lines += [
                "mount -t tmpfs modules /root/lib/modules",
                f"ln -s {shlex.quote(str(kernel.modules.resolve()))} /root{place}",
            ]
    lines += [
        "export PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "exec switch_root /root " + shlex.join(agent),
        "",
    ]
    return "\n".join(lines)


def module_files(kernel: Kernel, names: tuple[str, ...]) -> tuple[Path, ...]:
    """The files of modules and of what they need, each after those that it needs.

    Modules that the kernel has built in have no file.

    Raises:
        LabError: the kernel has no such module.
    """
    if kernel.modules is None:
        raise LabError(_STEP, f"{kernel.image} has no modules", "boot another one (--kernel)")
    needs = {}
    for line in (kernel.modules / "modules.dep").read_text(encoding="utf-8").splitlines():
        path, _, rest = line.partition(":")
        needs[path] = rest.split()
    by_name = {_name(path): path for path in needs}
    builtin = {_name(line) for line in _lines(kernel.modules / "modules.builtin")}
    found: dict[str, None] = {}
    for name in names:
        if name in by_name:
            # The list has them in the order in which they would be removed.
            found |= dict.fromkeys((*reversed(needs[by_name[name]]), by_name[name]))
        elif name not in builtin and name not in _IF_THERE:
            raise LabError(
                _STEP, f"{kernel.release} has no module {name}", "boot another kernel (--kernel)"
            )
    return tuple(kernel.modules / path for path in found)


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []


def _name(path: str) -> str:
    return Path(path).name.partition(".ko")[0].replace("-", "_")


def _plain_name(file: Path) -> str:
    return file.name.partition(".ko")[0] + ".ko"


def _unpacked(file: Path) -> bytes:
    octets = file.read_bytes()
    match file.suffix:
        case ".xz":
            return lzma.decompress(octets)
        case ".gz":
            return gzip.decompress(octets)
        case ".zst":
            return _unpacked_by_zstd(octets)
        case _:
            return octets


def _unpacked_by_zstd(octets: bytes) -> bytes:
    try:
        return subprocess.run(["zstd", "-dc"], input=octets, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError(_STEP, f"a module cannot be unpacked: {error}", "install zstd") from error


def _busybox() -> bytes:
    program = find_busybox()
    if program is None or not is_static(program):
        raise LabError(
            _STEP, "there is no busybox that is statically linked", "install busybox-static"
        )
    return program.read_bytes()
