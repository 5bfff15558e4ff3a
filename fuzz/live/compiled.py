"""Compiles the plugin by this machine's C compiler, and sees whether QEMU takes plugins."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from fuzz.tools import NotMadeError, run_tool
from targets.lab.accelerator import QEMU
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["compile_plugin"]

_STEP: Final = "preparing the coverage of a kernel"
_COMPILER: Final = "cc"
_OPTIONS: Final = ("-shared", "-fPIC", "-O2", "-fvisibility=hidden")
_LIMIT_S: Final = 60.0
_NO_BLOCKS: Final = "or give --no-blocks, which does without the kernel's blocks"


def compile_plugin(folder: Path, compiler: str = _COMPILER, qemu: str = QEMU) -> Path:
    """The plugin, as a library in a folder.

    Args:
        folder: where to leave it.
        compiler: of C.
        qemu: which is to load it.

    Raises:
        LabError: there is no compiler, it fails, or this QEMU was built without plugins.
    """
    source = files("fuzz.live") / "plugin" / "coverage.c"
    library = folder / "coverage.so"
    command = [compiler, *_OPTIONS, "-o", str(library), str(source)]
    try:
        run_tool(command)
    except FileNotFoundError as error:
        remedy = f"apt-get install gcc libc6-dev, {_NO_BLOCKS}"
        raise LabError(_STEP, f"there is no C compiler `{compiler}`", remedy) from error
    except NotMadeError as error:
        cause = f"`{compiler}` does not compile {source}: {error}"
        raise LabError(_STEP, cause, _NO_BLOCKS) from error
    if not _takes_plugins(qemu):
        raise LabError(_STEP, f"{qemu} was built without plugins (TCG)", _NO_BLOCKS)
    return library


def _takes_plugins(qemu: str) -> bool:
    try:
        told = subprocess.run(
            [qemu, "-help"], capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except FileNotFoundError as error:
        raise LabError(_STEP, f"there is no {qemu}", "`rpcrdma lab doctor` names it") from error
    return "\n-plugin " in told.stdout
