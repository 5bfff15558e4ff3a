"""A kernel's build tree as a kernel that the lab can boot, without `make modules_install`.

    arch/x86/boot/bzImage           the image
    include/config/kernel.release   its release
    modules.order, modules.builtin  which modules there are, by their place in the tree
    .config                         how it was configured
    source                          of a tree that was built with O=: where the sources are

Programs in a guest look for modules in one folder with depmod's files.  Such a folder is made in
the user's cache, of links to the modules of the tree; it is made anew when any of them has changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.programs import find_program
from targets.python_path import user_cache

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PreparedTree", "is_build_tree", "prepare_tree", "tree_commit"]

_STEP: Final = "reading a kernel's build tree"
_IMAGE: Final = "arch/x86/boot/bzImage"
_RELEASE: Final = "include/config/kernel.release"
_ORDER: Final = "modules.order"

_ENDINGS: Final = (".ko", ".ko.xz", ".ko.zst", ".ko.gz")
"""A tree's own modules are not packed; those of a distribution's package are."""

_GIT_SECONDS: Final = 60.0
"""In which git must have looked at all files of a kernel's sources."""


@dataclass(frozen=True, slots=True)
class PreparedTree:
    """A tree, ready to be booted.

    Attributes:
        image: the bzImage, under the name of an installed one, beside the folder of its modules.
        release: of the kernel.
        modules: folder of links to its modules, with depmod's files.
        stamp: what changes when image or modules are built again.
    """

    image: Path
    release: str
    modules: Path
    stamp: str


def is_build_tree(path: Path) -> bool:
    """Whether it is a folder in which a kernel was configured, built or not."""
    return (path / ".config").is_file()


def prepare_tree(tree: Path, cache: Path | None = None) -> PreparedTree:
    """What the lab needs of a tree.

    Args:
        tree: folder in which the kernel was built.
        cache: folder for the links; one of the user's if None.

    Raises:
        LabError: something was not built, or depmod is missing or fails.
    """
    tree = tree.resolve()
    image = tree / _IMAGE
    for name, target in ((_IMAGE, "bzImage"), (_RELEASE, "bzImage"), (_ORDER, "modules")):
        if not (tree / name).exists():
            raise LabError(_STEP, f"{tree} has no {name}", f"build it: make -C {tree} {target}")
    release = (tree / _RELEASE).read_text(encoding="utf-8").strip()
    digest = hashlib.sha256(str(tree).encode()).hexdigest()[:16]
    files = dict(_module_files(tree))
    stamp = _stamp_of(tree, {_IMAGE: image, **files})
    builds = (cache or user_cache()) / "build-trees" / digest
    base = builds / stamp[:16]
    if not base.is_dir():
        builds.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=builds.parent) as made:
            _fill(Path(made), tree, release, files)
            for older in set(builds.iterdir()) - {base}:
                shutil.rmtree(older, ignore_errors=True)
            # Another process may have been quicker; what it has made is the same.
            with suppress(OSError):
                (Path(made) / "build").rename(base)
    return PreparedTree(
        base / "boot" / f"vmlinuz-{release}", release, base / "lib" / "modules" / release, stamp
    )


def tree_commit(tree: Path) -> str:
    """What git says of the sources: `v6.12-3-g0123456789ab`, with `-dirty` where files differ.

    Empty where git cannot tell, as of a tree that came as an archive.
    """
    source = tree / "source"
    folder = source if source.is_dir() else tree
    if not (folder / ".git").exists():
        return ""  # of a folder within another project, git would tell of that one
    command = ("git", "-C", str(folder), "describe", "--always", "--abbrev=12", "--dirty")
    try:
        told = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=True,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # somebody may be working in it
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()


def _module_files(tree: Path) -> Iterator[tuple[str, Path]]:
    """Place below `kernel/` -> file, of each module that is listed and was built."""
    for line in (tree / _ORDER).read_text(encoding="utf-8").splitlines():
        # Which of `fs/nfs/nfs.o`, `fs/nfs/nfs.ko` and `kernel/fs/nfs/nfs.ko` depends on the kernel.
        place = line.strip().removeprefix("kernel/")
        stem = place.removesuffix(".o").removesuffix(".ko")
        for ending in _ENDINGS:
            file = tree / (stem + ending)
            if place and file.is_file():
                yield stem + ending, file
                break


def _stamp_of(tree: Path, files: dict[str, Path]) -> str:
    """What changes when anything was built again."""
    parts = [str(tree)]
    for place, file in files.items():
        about = file.stat()
        parts.append(f"{place} {about.st_mtime_ns} {about.st_size}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _fill(made: Path, tree: Path, release: str, files: dict[str, Path]) -> None:
    """Make the folder `build` in `made`: image and modules as if they were installed there."""
    base = made / "build"
    modules = base / "lib" / "modules" / release
    # In its own place virtme-ng would take the image for a tree's, and write into the tree.
    _link(tree / _IMAGE, base / "boot" / f"vmlinuz-{release}")
    for place, file in files.items():
        _link(file, modules / "kernel" / place)
    modules.mkdir(parents=True, exist_ok=True)
    order = "".join(f"kernel/{place}\n" for place in files)
    (modules / _ORDER).write_text(order, encoding="utf-8")
    for name in ("modules.builtin", "modules.builtin.modinfo"):
        if (tree / name).is_file():
            shutil.copyfile(tree / name, modules / name)
    _run_depmod(base, release)


def _link(file: Path, link: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    try:
        # A guest may have a /tmp of its own, where a symbolic link would lead nowhere.
        link.hardlink_to(file.resolve())
    except OSError:
        link.symlink_to(file.resolve())


def _run_depmod(base: Path, release: str) -> None:
    program = find_program("depmod")
    if program is None:
        raise LabError(_STEP, "depmod is missing", "install kmod")
    command = (str(program), "--basedir", str(base), release)
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        raise LabError(_STEP, f"depmod: {told.stderr.strip()[-300:]}", "build the modules again")
