"""Fetches a kernel of Debian's into the cache, ready to be booted without being installed."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.debian_archive import STEP, DebianArchive, choose
from targets.lab.errors import LabError
from targets.lab.kernel_cache import cached_image, image_in, remember
from targets.lab.private_apt import call

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.lab.debian_archive import KernelPackage

__all__ = ["available_kernels", "fetch_kernel"]

_APT: Final = "apt"
# Where system administrators' programs are: on Debian not in the search path of other users.
_SYSTEM: Final = "/usr/sbin:/sbin"


def available_kernels(folder: Path) -> tuple[tuple[KernelPackage, ...], tuple[str, ...]]:
    """Kernels that Debian has now, and the suites that could not be had.

    Args:
        folder: of the cache.

    Raises:
        LabError: apt is missing or fails.
    """
    archive = DebianArchive(folder / _APT)
    archive.update()
    return archive.packages(), archive.missing


def fetch_kernel(
    wanted: str, folder: Path, say: Callable[[str], None], *, again: bool = False
) -> Path:
    """The image of a kernel, which is fetched if it is not in the cache.

    Args:
        wanted: line, `LINE@oldest`, `newest`, release, or version of a package
            (`targets.lab.debian_archive.choose`).
        folder: of the cache.
        say: is told what is being done, a line at a time.
        again: ask Debian what the name means now, though it is known.

    Raises:
        LabError: it is not to be had, or a program that it takes is missing.
    """
    image = cached_image(wanted, folder)
    if image is not None and not again:
        return image
    archive = DebianArchive(folder / _APT)
    say("asking Debian's suites for their kernels")
    archive.update()
    without = f"; not to be had here: {', '.join(archive.missing)}" if archive.missing else ""
    package = choose(wanted, archive.packages(), without)
    place = folder / package.release
    if image_in(place) is None:
        say(f"fetching {package.name} {package.version} from {package.suite}")
        _unpack(archive, package, place)
    try:
        remember(wanted, package.release, folder)
    except OSError as error:
        raise LabError(STEP, f"{folder} cannot be written: {error.strerror}") from error
    return place / "boot" / f"vmlinuz-{package.release}"


def _unpack(archive: DebianArchive, package: KernelPackage, place: Path) -> None:
    """Fetch and unpack beside the place, and move there what is whole."""
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=place.parent) as name:
        work = Path(name)
        tree = work / "tree"
        tree.mkdir()
        for file in archive.download(package, work):
            call(STEP, ("dpkg-deb", "-x", str(file), str(tree)))
        _lay_out(tree, package)
        path = f"{os.environ.get('PATH', os.defpath)}:{_SYSTEM}"
        call(STEP, ("depmod", "-b", str(tree), package.release), variables={"PATH": path})
        if place.exists():
            shutil.rmtree(place)  # it has no image: nobody boots it
        tree.rename(place)


def _lay_out(tree: Path, package: KernelPackage) -> None:
    """Put image and modules where an older package has them.

    From 6.18 on the image lies among its modules, and these below `usr`.
    """
    image = tree / "boot" / f"vmlinuz-{package.release}"
    beside = tree / "usr/lib/modules" / package.release / "vmlinuz"
    if not image.exists() and beside.exists():
        image.parent.mkdir(exist_ok=True)
        beside.rename(image)
    if not (tree / "lib").exists() and (tree / "usr/lib").exists():
        (tree / "lib").symlink_to("usr/lib")
    modules = tree / "lib/modules" / package.release
    if not image.is_file() or not modules.is_dir():
        raise LabError(STEP, f"{package.name} {package.version} has no image, or no modules")
