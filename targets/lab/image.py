"""A copy of the host's Python in a disk image, because the shared file system is slow for it.

9p caches nothing here: each start of an interpreter reads its libraries again, each module costs
several round trips, and TCG translates the same code anew because it lies in new pages.  So the
guest gets a read-only ext4 image with copies of what Python needs, and mounts each over its
original: nothing changes its path.  Measured under TCG: starting Python takes 0.7 s instead of 1.6,
importing pytest and hypothesis 5 s instead of 14.

e2fsprogs makes the image without being root; it is part of every Debian system.
"""

from __future__ import annotations

import compileall
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.programs import find_program
from targets.lab.step import last_words
from targets.python_path import find_pyverbs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MOUNT_POINT", "Image", "build_image", "python_files"]

MOUNT_POINT: Final = "/run/rpcrdma-python"
"""Where the guest mounts the image; on a tmpfs of its own."""

_PROJECT: Final = ("rpcrdma", "reports", "targets", "conformance", "fuzz", "benchmarks", "tests")
_DISTRIBUTION: Final = "rpcrdma-conformance"

_LEFT_OUT: Final = ("test", "idlelib", "tkinter", "ensurepip", "lib2to3", "turtledemo")
"""Parts of the standard library that no command in the guest imports; half of its size."""

_BLOCK: Final = 4096
_INODE: Final = 256
_SPARE_OCTETS: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class Image:
    """An ext4 image, and the host's paths that it holds copies of, at the same paths below it."""

    file: Path
    paths: tuple[Path, ...]

    def mount_table(self) -> str:
        """Lines of an fstab that mount the image and then each copy over its original."""
        lines = [f"/dev/vda {MOUNT_POINT} ext4 ro,noatime 0 0"]
        lines += [f"{MOUNT_POINT}{path} {path} none bind 0 0" for path in self.paths]
        return "\n".join((*lines, ""))


def python_files() -> tuple[Path, ...]:
    """What a start of this project's Python reads: interpreter, libraries, packages, project."""
    project = Path(__file__).resolve().parents[2]
    chosen: list[Path] = [Path(sys.executable), *_mapped_libraries(), _standard_library()]
    chosen += _required_packages()
    chosen += [project / name for name in _PROJECT]
    if pyverbs := find_pyverbs():
        chosen.append(pyverbs)
    present = dict.fromkeys(path.resolve() for path in chosen if path.exists())
    return tuple(
        path
        for path in present
        if " " not in str(path)  # an fstab has no room for one
        and not any(path != other and path.is_relative_to(other) for other in present)
    )


def build_image(folder: Path, paths: Iterable[Path]) -> Image:
    """Make the image in `folder` of copies of `paths`.

    Raises:
        LabError: mke2fs is missing or failed.
    """
    chosen = tuple(paths)
    tree = folder / "python"
    tree.mkdir()
    for path in chosen:
        copy = tree / path.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, copy, ignore=_ignored, copy_function=_link, symlinks=True)
        else:
            _link(path, copy)
    for name in _PROJECT:  # the guest cannot write what it compiles
        source = Path(__file__).resolve().parents[2] / name
        if source in chosen:
            copy = tree / source.relative_to("/")
            compileall.compile_dir(copy, ddir=source, quiet=2)
    image = folder / "python.ext4"
    try:
        _format(tree, image)
    finally:
        shutil.rmtree(tree)
    return Image(image, chosen)


def _format(tree: Path, image: Path) -> None:
    step = "making the image of Python for the guest"
    program = find_program("mke2fs")
    if program is None:
        raise LabError(step, "mke2fs is missing", "install e2fsprogs")
    kilobytes = (_octets([tree]) + _SPARE_OCTETS) // 1024 * 11 // 10
    command = [str(program), "-q", "-F", "-t", "ext4", "-b", str(_BLOCK), "-I", str(_INODE)]
    command += ["-i", "8192", "-O", "^has_journal", "-m", "0", "-d", str(tree), str(image)]
    command.append(f"{kilobytes}k")
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if made.returncode != 0:
        raise LabError(step, last_words(made.stderr) or f"mke2fs ended with {made.returncode}")


def _ignored(folder: str, names: list[str]) -> list[str]:
    optimised = [name for name in names if name.endswith((".opt-1.pyc", ".opt-2.pyc"))]
    if Path(folder) == _standard_library():
        optimised += [name for name in names if name in _LEFT_OUT or name.startswith("config-")]
        if str(Path(folder) / "site-packages") not in sys.path:
            optimised.append("site-packages")
    return optimised


def _link(source: str | Path, target: str | Path) -> None:
    """Link where the file system allows it, copy with the time stamp where not."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib")).resolve()


def _required_packages() -> Iterator[Path]:
    """The top-level packages and modules of all distributions that this project requires."""
    done = set()
    left = [_DISTRIBUTION]
    while left:
        name = left.pop()
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another platform, or this is a bare checkout
            continue
        if name in done:
            continue
        done.add(name)
        left.extend(
            re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()
            for requirement in distribution.requires or ()
            if "extra ==" not in requirement
        )
        tops = {file.parts[0] for file in distribution.files or () if len(file.parts) > 1}
        for top in sorted(tops):
            if not top.endswith(".dist-info") and top not in ("..", "__pycache__"):
                yield Path(str(distribution.locate_file(top)))


def _mapped_libraries() -> list[Path]:
    """The shared libraries that every Python process maps: linker, libpython, the C library."""
    maps = Path("/proc/self/maps").read_text(encoding="ascii", errors="replace")
    names = re.findall(
        r"\s(/\S+/(?:ld-linux\S*|lib(?:python|c|m)[\d.]*[.-]?so[.\d]*))$", maps, re.M
    )
    return [Path(name) for name in dict.fromkeys(names)]


def _octets(paths: Iterable[Path]) -> int:
    """What `paths` need on a disk of this block size, with everything below them."""
    total = 0
    for path in paths:
        for folder, folders, files in os.walk(path):
            total += (len(folders) + len(files)) * _INODE + _BLOCK
            for name in files:
                size = os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (10,000 files)
                total += -(-size // _BLOCK) * _BLOCK
    return total
