"""Runs programs that make code for this machine: a C compiler, rpcgen."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["NotMadeError", "run_tool"]

_LIMIT_S: Final = 60.0


class NotMadeError(Exception):
    """A program has not made what it should; the message is what it said of that."""


def run_tool(command: Sequence[str], folder: Path | None = None) -> None:
    """Run a program to its end.

    Args:
        command: its name, and what it is given.
        folder: where it runs; None: here.

    Raises:
        FileNotFoundError: there is no such program.
        NotMadeError: it fails, or does not end within a minute.
    """
    # What watches this process (AddressSanitizer) would watch the program, too, and complain of it.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotMadeError(f"it does not end within {error.timeout:g} s") from error
    if ran.returncode:
        said = [*ran.stderr.strip().splitlines(), f"status {ran.returncode}"]
        raise NotMadeError(said[0])
