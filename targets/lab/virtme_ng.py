"""virtme-ng, which boots the lab's guest: where it is, and whether its version was tested.

The command may be this environment's or the system's, so that it is asked for its version itself.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

from targets.lab.errors import LabError
from targets.lab.programs import told_version
from targets.tested_versions import VIRTME_NG

__all__ = ["find_virtme_ng", "untested_virtme_ng", "virtme_ng_version"]

_UNKNOWN: Final = "of unknown version"


def find_virtme_ng() -> Path:
    """virtme-ng's command, beside this interpreter or on the search path.

    Raises:
        LabError: there is none.
    """
    beside = Path(sys.executable).parent / "vng"
    if beside.is_file():
        return beside
    found = shutil.which("vng")
    if found is None:
        raise LabError("booting the lab", "virtme-ng is missing", VIRTME_NG.remedy())
    return Path(found)


def virtme_ng_version(command: Path) -> str:
    """What the command says of its version, such as `1.42`; words to that effect if it cannot."""
    words = told_version(command).split()
    return words[-1] if words else _UNKNOWN


def untested_virtme_ng() -> str:
    """Found and tested versions in one sentence, with the remedy; empty if that one was tested.

    Raises:
        LabError: there is no virtme-ng.
    """
    objection = VIRTME_NG.objection(virtme_ng_version(find_virtme_ng()))
    return f"{objection}: {VIRTME_NG.remedy()}" if objection else ""
