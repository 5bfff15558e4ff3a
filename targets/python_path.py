"""Makes Debian's pyverbs importable from another Python of the same version.

Debian installs pyverbs for the system's Python, in a folder with every other Python package of the
system.  Its extension modules work in any CPython of the same minor version, but a virtual
environment must not see the rest of that folder.  So one folder is put on the search path that
holds nothing but a symbolic link to the package.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import sysconfig
from pathlib import Path
from typing import Final

__all__ = ["caches", "find_pyverbs", "make_pyverbs_importable", "pyverbs_path", "user_cache"]

_DEBIAN: Final = Path("/usr/lib/python3/dist-packages/pyverbs")


def find_pyverbs(debian: Path = _DEBIAN) -> Path | None:
    """The pyverbs package that this interpreter can load, wherever it is; None if there is none.

    One that was made for another version of Python is not one.
    """
    spec = importlib.util.find_spec("pyverbs")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return debian if (debian / f"device{suffix}").is_file() else None


def pyverbs_path(debian: Path = _DEBIAN, cache: Path | None = None) -> Path | None:
    """A folder to put on PYTHONPATH, for `import pyverbs` in this version of Python.

    None when there is no pyverbs for it.

    Args:
        debian: where Debian's package is.
        cache: folder to make the link in; the user's cache folder if None.
    """
    package = find_pyverbs(debian)
    if package is None or package != debian:
        return package.parent if package else None
    folder = (cache or user_cache()) / f"pyverbs-{sys.implementation.cache_tag}"
    link = folder / "pyverbs"
    if not link.is_symlink() or link.readlink() != package:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"pyverbs.{os.getpid()}"
        fresh.symlink_to(package)
        fresh.replace(link)  # another process may do the same at this moment
    return folder


def make_pyverbs_importable() -> bool:
    """Let this process and its children import pyverbs; False when there is none for it."""
    folder = pyverbs_path()
    if folder is None:
        return False
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if str(folder) not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([*filter(None, paths), str(folder)])
    return True


def caches() -> Path:
    """The folder of a user's caches (XDG Base Directory, section 3).

    A relative XDG_CACHE_HOME is ignored, as that document asks.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"


def user_cache() -> Path:
    """Where this project keeps for a user what can be made again."""
    return caches() / "rpcrdma-conformance"
