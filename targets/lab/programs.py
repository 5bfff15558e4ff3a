"""Where the system's programs are, whatever the search path says.

Half of what the lab calls lies in a folder for administrators, which the PATH of an ordinary user
of Debian does not name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

__all__ = ["GSSAPI_LIBRARY", "find_program", "search_path", "told_version"]

GSSAPI_LIBRARY: Final = "libgssapi_krb5.so.2"
"""The GSS-API with Kerberos, which is called, not run."""

_FOLDERS: Final = ("usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin")
_HOST: Final = Path("/")

_DEADLINE_S: Final = 30.0
"""For telling a version, on a machine that is busy; measured 0.2 s of virtme-ng."""


def find_program(name: str, root: Path = _HOST) -> Path | None:
    """The program of that name; None if there is none.

    Args:
        name: of its file.
        root: of the system whose folders are searched; for this one the search path comes first.
    """
    path = search_path() if root == _HOST else os.pathsep.join(_below(root))
    found = shutil.which(name, path=path)
    return Path(found) if found else None


def told_version(command: Path) -> str:
    """What a command prints of its version; empty if it cannot."""
    try:
        told = subprocess.run(
            [command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout if told.returncode == 0 else ""


def search_path() -> str:
    """This process's search path, and after it the system's folders, for the programs it calls."""
    return os.pathsep.join([*filter(None, [os.environ.get("PATH", "")]), *_below(_HOST)])


def _below(root: Path) -> list[str]:
    return [str(root / folder) for folder in _FOLDERS]
