"""Which suite this is: the version of the package and, in a checkout, the commit."""

from __future__ import annotations

import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Final

__all__ = ["suite_version"]

_ROOT: Final = Path(__file__).parents[2]
"""Of a checkout; of an installed package, the folder that holds the packages."""

_SECONDS: Final = 10.0
"""In which git must have answered."""


def suite_version(root: Path = _ROOT) -> str:
    """`0.1.0 (commit 1234567890ab)`, with `, changed` where files differ from the commit.

    Args:
        root: where to look; without a project file there, the installed package is asked.
    """
    project = root / "pyproject.toml"
    if not project.exists():
        return version("rpcrdma-conformance")
    number: str = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    commit = _commit(root)
    return f"{number} (commit {commit})" if commit else number


def _commit(root: Path) -> str:
    """Of a checkout; empty where git cannot tell."""
    if not (root / ".git").exists():
        return ""
    command = ("git", "-C", str(root), "describe", "--always", "--abbrev=12", "--exclude=*")
    try:
        told = subprocess.run(
            (*command, "--dirty=, changed"),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()
