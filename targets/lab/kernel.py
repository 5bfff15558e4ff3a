"""Which kernel the lab boots, and whether it brings the modules that the lab needs.

A kernel is named by release (`6.1.0-56-amd64`), by the name by which `rpcrdma lab kernel` fetched
it (`6.12`), by the path of its image or by that of the tree in which it was built
(`targets.lab.build_tree`).  Without a name the newest image in /boot that has
all modules is taken.  A kernel that was not installed works as well: unpack its Debian package
anywhere and name the image; its modules are expected where the package puts them, in
`lib/modules/RELEASE` two folders above the image or below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from targets.lab.build_tree import is_build_tree, prepare_tree
from targets.lab.errors import LabError
from targets.lab.kernel_cache import cached_image

__all__ = [
    "BOOT_MODULES",
    "NETWORK_MODULE",
    "REQUIRED_MODULES",
    "Kernel",
    "installed_kernels",
    "select_kernel",
]

BOOT_MODULES: Final = ("9p", "9pnet_virtio", "overlay", "virtio_console", "virtio_pci")
"""By these the host's file system comes into a guest, and its output back."""

NETWORK_MODULE: Final = "virtio_net"
"""By it a guest that holds the device alone is reached by the tester outside."""

REQUIRED_MODULES: Final = ("rdma_rxe", "rdma_ucm", "ib_uverbs", "rpcrdma", "nfsd", "dummy")
"""Loaded in the guest: Soft-RoCE, verbs, the connection manager for programs, NFS/RDMA, a link."""

_INSTALL: Final = "install linux-image-amd64, or name another image with --kernel"

# Where a bzImage keeps its release (the kernel's Documentation/arch/x86/boot.rst): a magic word at
# 0x202, and at 0x20e a pointer, less 0x200, to a text that starts with the release.
_MAGIC: Final = (0x202, b"HdrS")
_RELEASE_POINTER: Final = 0x20E
_SETUP_START: Final = 0x200
_HEADER_OCTETS: Final = 0x10000


@dataclass(frozen=True, slots=True)
class Kernel:
    """A bootable image.

    Attributes:
        image: the file.
        release: what it calls itself.
        modules: the folder of its modules, if there is one.
        built: of one that is in its build tree, what changes when it is built again, though the
            release may stay; else empty.
    """

    image: Path
    release: str
    modules: Path | None
    built: str = ""

    def missing_modules(self) -> tuple[str, ...]:
        """What the lab needs and this kernel neither has built in nor as a file."""
        return self._without(*REQUIRED_MODULES, *BOOT_MODULES)

    def has_network(self) -> bool:
        """Whether a tester outside of its guest can reach that."""
        return not self._without(NETWORK_MODULE)

    def needs_zstd(self) -> bool:
        """Whether modules are files that virtme-ng unpacks by the program `zstd`, as Ubuntu's."""
        return any(file.endswith(".ko.zst") for file in self._module_files())

    def _without(self, *names: str) -> tuple[str, ...]:
        present = {_module_name(file) for file in self._module_files()}
        return tuple(name for name in names if name not in present)

    def _module_files(self) -> list[str]:
        if self.modules is None:
            return []
        files: list[str] = []
        for listing in ("modules.dep", "modules.builtin", "modules.order"):
            path = self.modules / listing
            if path.is_file():
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
                files += [line.partition(":")[0] for line in lines]
        return files


def installed_kernels(root: Path = Path("/")) -> tuple[Kernel, ...]:
    """The images in `root`/boot, newest release first."""
    images = (root / "boot").glob("vmlinuz-*")
    kernels = [_installed(path, path.name.removeprefix("vmlinuz-"), root) for path in images]
    return tuple(sorted(kernels, key=lambda kernel: _age(kernel.release), reverse=True))


def select_kernel(wanted: str | None = None, root: Path = Path("/")) -> Kernel:
    """The kernel to boot.

    Args:
        wanted: a release, the name of one that was fetched, the path of an image or build tree, or
            None for the newest that will do.
        root: where /boot and /lib/modules are looked for.

    Raises:
        LabError: there is none, or the one named does not exist or lacks modules.
    """
    step = "choosing a kernel"
    if wanted is not None:
        kernel = _named(wanted, root)
        if missing := kernel.missing_modules():
            of = wanted if kernel.built else kernel.image
            remedy = f"`rpcrdma lab doctor --kernel {wanted}` says what it was built without"
            remedy = remedy if kernel.built else _INSTALL
            raise LabError(step, f"{of} has no module {', '.join(missing)}", remedy)
        return kernel
    kernels = installed_kernels(root)
    if not kernels:
        raise LabError(step, f"no image in {root / 'boot'}", _INSTALL)
    for kernel in kernels:
        if not kernel.missing_modules():
            return kernel
    missing = kernels[0].missing_modules()
    raise LabError(step, f"{kernels[0].release} has no module {', '.join(missing)}", _INSTALL)


def _named(wanted: str, root: Path) -> Kernel:
    for kernel in installed_kernels(root):
        if kernel.release == wanted:
            return kernel
    if fetched := cached_image(wanted):
        return _installed(fetched, _release_of(fetched), root)
    image = Path(wanted)
    if is_build_tree(image):
        tree = prepare_tree(image)
        return Kernel(tree.image, tree.release, tree.modules, tree.stamp)
    if not image.is_file():
        known = ", ".join(kernel.release for kernel in installed_kernels(root)) or "none"
        raise LabError(
            "choosing a kernel",
            f"{wanted!r} is no image, no build tree and no installed release ({known})",
            f"`rpcrdma lab kernel {wanted}` fetches it, if Debian has it"
            if "/" not in wanted
            else "",
        )
    return _installed(image.resolve(), _release_of(image), root)


def _installed(image: Path, release: str, root: Path) -> Kernel:
    for base in (image.parent.parent, image.parent, root):
        modules = base / "lib" / "modules" / release
        if modules.is_dir():
            return Kernel(image, release, modules)
    return Kernel(image, release, None)


def _release_of(image: Path) -> str:
    with image.open("rb") as file:
        head = file.read(_HEADER_OCTETS)
    at, magic = _MAGIC
    if head[at : at + len(magic)] == magic:
        pointer = int.from_bytes(head[_RELEASE_POINTER : _RELEASE_POINTER + 2], "little")
        text = head[pointer + _SETUP_START :].partition(b"\0")[0]
        if text:
            return text.split()[0].decode("ascii", "replace")
    if image.name.startswith("vmlinuz-"):
        return image.name.removeprefix("vmlinuz-")
    raise LabError("choosing a kernel", f"{image} is not a kernel image that tells its release")


def _module_name(path: str) -> str:
    return Path(path.strip()).name.partition(".ko")[0].replace("-", "_")


def _age(release: str) -> tuple[int, ...]:
    """A sort key by which 6.10 is newer than 6.9."""
    return tuple(int(number) for number in re.findall(r"\d+", release))
