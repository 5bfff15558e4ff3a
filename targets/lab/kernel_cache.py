"""Kernels that `rpcrdma lab kernel` has fetched: where they are kept, and by which names.

Each release has a folder with `boot/vmlinuz-RELEASE` and `lib/modules/RELEASE`.  Beside them, the
folder `names` has a link for each name by which one was asked for (`6.12`, `6.1@oldest`,
`newest`), so that the same name gives the same kernel from then on, without a network.
"""

from __future__ import annotations

import os
from pathlib import Path

from targets.python_path import caches

__all__ = ["cache_folder", "cached_image", "image_in", "remember"]

_NAMES = "names"


def cache_folder() -> Path:
    """The folder of all of them, below that of the user's caches."""
    return caches() / "rpcrdma" / "kernels"


def cached_image(name: str, folder: Path | None = None) -> Path | None:
    """The image of a kernel that was fetched, by release or by the name that was asked for.

    Args:
        name: `6.12.117+deb12-amd64`, or what `rpcrdma lab kernel` was given.
        folder: of all kernels; that of this user if None.
    """
    if not name or "/" in name or name.startswith("."):
        return None
    top = folder or cache_folder()
    for place in (top / name, top / _NAMES / name):
        if image := image_in(place.resolve()):
            return image
    return None


def image_in(place: Path) -> Path | None:
    """The image in the folder of one kernel, which bears the name of the release; or None."""
    image = place / "boot" / f"vmlinuz-{place.name}"
    return image if image.is_file() else None


def remember(name: str, release: str, folder: Path) -> None:
    """Let a name mean a release from now on.

    Raises:
        OSError: the link cannot be made.
    """
    link = folder / _NAMES / name
    link.parent.mkdir(parents=True, exist_ok=True)
    fresh = link.with_name(f".{name}.{os.getpid()}")
    fresh.symlink_to(Path("..") / release)
    fresh.replace(link)  # two that fetch at once leave one whole link
