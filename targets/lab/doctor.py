"""What the lab needs of this machine, what is missing, and the one command that installs it.

The list holds what this project calls on the host and in the guest, which has the host's file
system, and what virtme-ng calls on either side; `tox -e fresh` shows on a bare Debian that it is
complete.  What Debian's essential packages bring (coreutils, util-linux, bash, perl-base) is taken
for granted.

Only Debian and its derivatives are known by package names; elsewhere the list of programs and
modules still tells what to look for.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.accelerator import QEMU
from targets.lab.busybox import find_busybox, is_static
from targets.lab.errors import LabError
from targets.lab.kernel import NETWORK_MODULE, installed_kernels, select_kernel
from targets.lab.kernel_config import config_file, unmet
from targets.lab.programs import GSSAPI_LIBRARY, find_program
from targets.lab.qemu import LEAST_VERSION, qemu_version
from targets.lab.virtme_ng import find_virtme_ng, virtme_ng_version
from targets.python_path import find_pyverbs
from targets.tested_versions import VIRTME_NG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from targets.lab.kernel import Kernel

__all__ = ["Check", "diagnose", "install_command", "kernel_advice", "render"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the lab needs.

    Attributes:
        name: what it is, and what for.
        found: where it is, or why it will not do.
        present: whether it will do.
        packages: Debian packages that bring it.
        extra: the extra of this distribution that brings it, for what pip installs.
    """

    name: str
    present: bool
    found: str
    packages: tuple[str, ...] = ()
    extra: str = ""


_PROGRAMS: Final = (
    (QEMU, "the virtual machine", ("qemu-system-x86",)),
    ("rdma", "adds the Soft-RoCE device", ("iproute2",)),
    ("ip", "sets up the guest's network", ("iproute2",)),
    ("tc", "delays packets between two devices", ("iproute2",)),
    ("modprobe", "loads kernel modules", ("kmod",)),
    ("mke2fs", "makes the disk image of Python", ("e2fsprogs",)),
    ("rpcbind", "NFSv3 clients ask it for ports", ("rpcbind",)),
    ("rpc.nfsd", "starts the kernel's NFS server", ("nfs-kernel-server",)),
    ("rpc.mountd", "answers the kernel's questions about exports", ("nfs-kernel-server",)),
    ("exportfs", "exports the file tree", ("nfs-kernel-server",)),
    ("udevadm", "makes the guest's device files", ("udev",)),
    ("mount", "makes the guest's file systems", ("mount",)),
    ("file", "virtme-ng asks it about kernel and busybox", ("file",)),
    ("strings", "virtme-ng asks it for the kernel's release", ("binutils",)),
    ("rpc.gssd", "makes the kernel's contexts of Kerberos", ("nfs-common",)),
    ("kdb5_util", "makes a Kerberos realm for a run", ("krb5-kdc",)),
    ("kadmin.local", "makes the keys of that realm", ("krb5-admin-server",)),
    ("rpc.svcgssd", "accepts contexts of Kerberos for the kernel", ("nfs-common",)),
    ("kinit", "gets the tester's ticket of that realm", ("krb5-user",)),
    ("krb5kdc", "gives out that realm's tickets", ("krb5-kdc",)),
    ("cc", "compiles what counts a kernel's blocks for the fuzzer", ("gcc", "libc6-dev")),
)


_OLD_WAY: Final = "run with --fabric verbs, which has the tester inside"


def diagnose(root: Path = Path("/"), kernel: str | None = None) -> tuple[Check, ...]:
    """Look for everything that the lab needs.

    Args:
        root: where the system's programs, kernels and libraries are looked for.
        kernel: release, image or build tree of the one that is to be booted; None for the newest
            that will do.
    """
    return (
        *(_program(root, *program) for program in _PROGRAMS),
        *_qemu_version(root),
        _busybox(root),
        _virtme_ng(),
        *_kernel(root, kernel),
        *_configuration(root, kernel),
        _verbs_library(root),
        _pyverbs(root),
        _gssapi(root),
    )


def install_command(checks: Sequence[Check]) -> str:
    """The one command that installs what is missing; empty if nothing is, or no command helps."""
    packages = {package for check in checks if not check.present for package in check.packages}
    extras = {check.extra for check in checks if not check.present and check.extra}
    commands = []
    if packages:
        # A machine that is new, or made from an image, has no lists of packages or old ones.
        commands.append("apt-get update")
        commands.append("apt-get install -y --no-install-recommends " + " ".join(sorted(packages)))
    if extras:
        commands.append(
            f"{sys.executable} -m pip install 'rpcrdma-conformance[{','.join(sorted(extras))}]'"
        )
    return " && ".join(commands)


def render(checks: Sequence[Check]) -> str:
    """The checks as lines for a terminal, with the command that mends what is missing."""
    lines = [
        f"{'ok     ' if check.present else 'MISSING'}  {check.name}: {check.found}"
        for check in checks
    ]
    command = install_command(checks)
    if command:
        lines += ["", "Install what is missing (as root):", f"  {command}"]
    elif all(check.present for check in checks):
        lines += ["", "The lab has all it needs."]
    return "\n".join(lines)


def kernel_advice(root: Path = Path("/")) -> str:
    """Which kernels `--kernel` takes by name here, and how to get another one beside them."""
    names = [kernel.release for kernel in installed_kernels(root) if not kernel.missing_modules()]
    return "\n".join(
        (
            f"Kernels that --kernel takes by release: {', '.join(names) or 'none'}",
            "Another one of Debian's, without installing it (`rpcrdma lab kernel --list` has all):",
            "  rpcrdma lab kernel 6.12",
            "  rpcrdma certify linux-server --kernel 6.12",
            "One that you have built, from the tree in which that was:",
            "  rpcrdma certify linux-server --kernel PATH-OF-THE-TREE",
        )
    )


def _program(root: Path, name: str, purpose: str, packages: tuple[str, ...]) -> Check:
    found = find_program(name, root)
    return Check(f"{name}, {purpose}", found is not None, str(found or "not found"), packages)


def _qemu_version(root: Path) -> tuple[Check, ...]:
    """Whether QEMU, if there is one, can connect a guest with a tester outside of it."""
    command = find_program(QEMU, root)
    if command is None:
        return ()  # told already
    least = _dotted(LEAST_VERSION)
    name = f"QEMU {least} or newer, lets a tester outside reach the guest's device"
    version = qemu_version(command)
    if version is None:
        return (Check(name, present=False, found=f"{command} does not tell its version"),)
    if version < LEAST_VERSION:
        words = f"{command} is {_dotted(version)}, without -netdev dgram; {_OLD_WAY}"
        return (Check(name, present=False, found=words),)
    return (Check(name, present=True, found=_dotted(version)),)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _busybox(root: Path) -> Check:
    name = "busybox, statically linked, starts the guest"
    packages = ("busybox-static",)
    found = find_busybox(root)
    if found is None:
        return Check(name, present=False, found="not found", packages=packages)
    if not is_static(found):
        words = f"{found} needs shared libraries, which the guest does not have yet"
        return Check(name, present=False, found=words, packages=packages)
    return Check(name, present=True, found=str(found), packages=packages)


def _virtme_ng() -> Check:
    name = "virtme-ng, boots the host's file system as a guest"
    try:
        command = find_virtme_ng()
    except LabError as error:
        return Check(name, present=False, found=error.cause, extra=VIRTME_NG.extra)
    version = virtme_ng_version(command)
    # One that nobody tried may work: the lab boots it all the same, but nothing is promised.
    if objection := VIRTME_NG.objection(version):
        return Check(name, present=False, found=f"{command}: {objection}", extra=VIRTME_NG.extra)
    return Check(name, present=True, found=f"{command}, version {version}", extra=VIRTME_NG.extra)


def _kernel(root: Path, wanted: str | None) -> tuple[Check, ...]:
    """The kernel, and what takes its modules out of their files if that takes a program."""
    name = "a kernel with Soft-RoCE, NFS/RDMA and nfsd"
    try:
        kernel = select_kernel(wanted, root)
    except LabError as error:
        # A named kernel is the person's own affair: no package brings it.
        packages = ("linux-image-amd64",) if wanted is None else ()
        return (Check(name, present=False, found=error.cause, packages=packages),)
    checks = [
        Check(name, present=True, found=str(kernel.image), packages=("linux-image-amd64",)),
        _network(kernel),
    ]
    if kernel.needs_zstd():
        checks.append(_program(root, "zstd", "unpacks this kernel's modules", ("zstd",)))
    return tuple(checks)


def _configuration(root: Path, wanted: str | None) -> tuple[Check, ...]:
    """Which options a kernel that somebody names is without, if its configuration is there."""
    if wanted is None:
        return ()
    installed = (one.image for one in installed_kernels(root) if one.release == wanted)
    file = config_file(next(installed, Path(wanted)))
    if file is None:
        return ()
    name = "its configuration has what the lab needs (`rpcrdma lab config`)"
    missing = unmet(file.read_text(encoding="utf-8", errors="replace"))
    words = ", ".join(f"CONFIG_{one.name} ({one.purpose})" for one in missing)
    found = f"{file} lacks {words}" if missing else str(file)
    return (Check(name, present=not missing, found=found),)


def _network(kernel: Kernel) -> Check:
    name = f"{NETWORK_MODULE} in this kernel, lets a tester outside reach the guest's device"
    if kernel.has_network():
        return Check(name, present=True, found=kernel.release)
    words = f"{kernel.release} has no such module; {_OLD_WAY}, or name another with --kernel"
    return Check(name, present=False, found=words)


def _verbs_library(root: Path) -> Check:
    name = "rdma-core's provider for Soft-RoCE"
    providers = sorted(root.glob("usr/lib/*/libibverbs/librxe-rdmav*.so"))
    found = str(providers[0]) if providers else "no librxe"
    return Check(name, bool(providers), found, ("ibverbs-providers", "rdma-core"))


def _gssapi(root: Path) -> Check:
    name = f"{GSSAPI_LIBRARY}, by which the tester is a server of Kerberos"
    libraries = sorted(root.glob(f"usr/lib/*/{GSSAPI_LIBRARY}"))
    found = str(libraries[0]) if libraries else "not found"
    return Check(name, bool(libraries), found, ("libgssapi-krb5-2",))


def _pyverbs(root: Path) -> Check:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = f"pyverbs for Python {version}"
    package = find_pyverbs(root / "usr/lib/python3/dist-packages/pyverbs")
    if package is not None:
        return Check(name, present=True, found=str(package))
    found = "none"
    if importlib.util.find_spec("pyverbs") is None and _other_pyverbs(root):
        found = (
            f"Debian's is for another Python; use that one, or build pyverbs {version} from PyPI"
        )
        return Check(name, present=False, found=found)
    return Check(name, present=False, found=found, packages=("python3-pyverbs",))


def _other_pyverbs(root: Path) -> bool:
    return any(root.glob("usr/lib/python3/dist-packages/pyverbs/device.*.so"))
